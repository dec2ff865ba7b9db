import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { newAgentId, type PaneId } from '../src/domain/ids.ts'
import {
  createImplementation,
  scrubbedEnvironment,
} from '../test/conformance/multiplexer/create.ts'
import { waitFor } from '../test/helpers/wait-for.ts'
import { median, type Figure } from './figures.ts'
import { bareNode, rssOf } from './tree.ts'

const BUILT = join(import.meta.dirname, '..', 'dist', 'bin', 'detached-host.js')
const TERMINALS = 100
/** More than the screen and what is kept above it. */
const LINES = 2500
const COLUMNS = 200
/** Of its memory: readings, and milliseconds between them. */
const READINGS = 10
const BETWEEN = 300
/** Says that it is there, and once Enter is pressed as many lines of the terminal’s width. */
const PROGRAM = `echo ready; read -r _; i=0; while [ $i -lt ${String(LINES)} ]; do printf '%0${String(COLUMNS - 1)}d\\n' $i; i=$((i+1)); done; echo full; exec cat`

/**
 * The detached host without a daemon: what it takes by itself, and for each of 100 terminals, idle
 * and with all that is kept of its output.
 */
export async function measureHost(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'xb-'))
  const holder = createImplementation('headless', folder)
  try {
    // The built one: of sources Node keeps what they were before.
    const { pid = 0 } = spawn(
      process.execPath,
      [BUILT, folder, join(folder, 'detached-host.sock')],
      { stdio: 'ignore', env: scrubbedEnvironment(folder) },
    )
    await waitFor('the host', () => existsSync(join(folder, 'detached-host.json')))
    await holder.start()
    const empty = await memoryOf(pid)
    const bare = await bareNode(scrubbedEnvironment(folder))
    const opened: { paneId: PaneId; pid: number }[] = []
    for (let index = 0; index < TERMINALS; index += 1) {
      const options = {
        agentId: newAgentId(),
        name: 'agent',
        cwd: folder,
        env: {},
        argv: ['/bin/sh', '-c', PROGRAM],
        columns: COLUMNS,
        rows: 50,
      }
      opened.push(await holder.open(options))
    }
    const all = <Result>(of: (paneId: PaneId) => Promise<Result>) =>
      Promise.all(opened.map(({ paneId }) => of(paneId)))
    const show = (word: string) =>
      waitFor(
        `all to be ${word}`,
        async () =>
          (await all((paneId) => holder.capture(paneId))).every((text) => text.endsWith(word)),
        { limit: 120_000 },
      )
    await show('ready')
    const idle = await memoryOf(pid)
    const own = median(opened.map(({ pid: program }) => rssOf(program))) * 1024
    await all((paneId) => holder.pressEnter(paneId))
    await show('full')
    const full = await memoryOf(pid)
    const each = (after: number): number => ((after - empty) * 1024) / TERMINALS
    const row = (
      name: string,
      unit: Figure['unit'],
      value: number,
      floor: number,
      floorName: string,
    ): Figure => ({
      ...{ name, unit, value, floor, floorName, target: null, samples: READINGS },
    })
    return [
      row('memory of the detached host, nothing held', 'MB', empty, bare, 'a bare node'),
      row(
        `memory of the detached host for an idle terminal, ${String(TERMINALS)} of them`,
        'kB',
        each(idle),
        own,
        'the program’s own shell',
      ),
      row(
        `memory of the detached host for a terminal with its scrollback full, ${String(TERMINALS)} of them`,
        'kB',
        each(full),
        own,
        'the program’s own shell',
      ),
      row(
        `memory of the detached host with ${String(TERMINALS)} terminals, their scrollback full`,
        'MB',
        full,
        bare,
        'a bare node',
      ),
    ]
  } finally {
    await holder.shutdown()
    await holder.dispose()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function memoryOf(pid: number): Promise<number> {
  const readings: number[] = []
  for (let reading = 0; reading < READINGS; reading += 1) {
    await delay(BETWEEN)
    readings.push(rssOf(pid))
  }
  return median(readings)
}

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { spawn } from '@lydell/node-pty'
import type { Multiplexer } from '../src/adapters/terminals/holder.ts'
import { isRunning } from '../src/processes/processes.ts'
import { newAgentId, type PaneId } from '../src/domain/ids.ts'
import { createViewed } from '../src/adapters/terminals/viewed.ts'
import { createZellijViewer } from '../src/adapters/terminals/zellij/zellij.ts'
import { silentLog } from '../src/runtime/log.ts'
import {
  createHolder,
  scrubbedEnvironment,
  socketNameOf,
} from '../test/conformance/multiplexer/create.ts'
import { runProgram } from '../test/helpers/daemon.ts'
import { waitFor } from '../test/helpers/wait-for.ts'
import { whyNoZellij } from '../test/helpers/terminals/zellij.ts'
import { atMost, median, percentile, sample, timed, type Figure } from './figures.ts'

const PANES = 20
const MESSAGES = 100
const LISTS = 30
const HUNDRED = 100
const RECEIVER = join(import.meta.dirname, 'fixtures', 'receiver.js')

type Kind = 'tmux' | 'zellij' | 'headless'
interface Received {
  readonly at: number
  readonly text: string
}

/**
 * The same done by hand, with the multiplexer’s own program; a bare pseudo-terminal where there is
 * none.
 */
interface ByHand {
  readonly name: string
  open(): Promise<unknown>
  /** Text and Enter into the receiver whose pane this is. */
  type(paneId: PaneId, text: string): Promise<unknown>
  list(): Promise<unknown>
}

const now = (): number => performance.timeOrigin + performance.now()
const received = (file: string): Received[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))

/** tmux, with Zellij to show it. */
function inZellij(folder: string) {
  const environment = { ...scrubbedEnvironment(folder), ZELLIJ_SOCKET_DIR: folder }
  const viewer = createZellijViewer({
    session: socketNameOf(folder),
    former: 'none',
    stateDir: folder,
    environment,
    log: silentLog(),
  })
  return {
    viewer,
    multiplexer: createViewed({ holder: createHolder('tmux', folder), viewer, log: silentLog() }),
  }
}

/** From the first of a hundred that are opened at once until Zellij shows the last. */
async function measureHundred(): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'xb-'))
  const { viewer, multiplexer } = inZellij(folder)
  try {
    await multiplexer.start()
    const open = (name: string) =>
      multiplexer.open({
        agentId: newAgentId(),
        name,
        cwd: folder,
        env: {},
        argv: ['/bin/cat'],
        columns: 200,
        rows: 50,
      })
    await open('first')
    await viewer.settled()
    let opened = 0
    const { ms } = await timed(async () => {
      opened = (
        await timed(() =>
          Promise.all(Array.from({ length: HUNDRED }, (_, index) => open(`a${index}`))),
        )
      ).ms
      await viewer.settled()
    })
    return {
      name: 'open 100 panes, until the last is shown, zellij',
      unit: 'ms',
      value: ms,
      floorName: 'until they run',
      floor: opened,
      target: atMost(5000, 'ms', ms),
      samples: 1,
    }
  } finally {
    await multiplexer.shutdown()
    await multiplexer.dispose()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Each multiplexer on its own, without a daemon: what opening, typing, listing and noticing a death
 * cost in it.
 */
export async function measureMultiplexers(): Promise<Figure[]> {
  const kinds: Kind[] = [
    'tmux',
    ...(whyNoZellij() === null ? (['zellij'] as const) : []),
    'headless',
  ]
  const figures: Figure[][] = []
  for (const kind of kinds) figures.push(await measureOne(kind))
  // Side by side: the same work of all three in neighbouring lines.
  const side = (figures[0] ?? []).flatMap((_, index) => figures.flatMap((of) => of[index] ?? []))
  return [...side, ...(kinds.includes('zellij') ? [await measureHundred()] : [])]
}

async function measureOne(kind: Kind): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'xb-'))
  const multiplexer = kind === 'zellij' ? inZellij(folder).multiplexer : createHolder(kind, folder)
  const file = join(folder, 'received')
  const open = (argv: readonly string[], env: Record<string, string> = {}) =>
    multiplexer.open({
      agentId: newAgentId(),
      name: 'agent',
      cwd: folder,
      env,
      argv,
      columns: 200,
      rows: 50,
    })
  try {
    await multiplexer.start()
    const receiver = await open([process.execPath, RECEIVER], { RECEIVED: file })
    await waitFor('the receiver', () =>
      readFileSync(file, { encoding: 'utf8', flag: 'a+' }) === '' ? undefined : true,
    )
    const hand = byHand(kind, folder)
    const opened: { paneId: PaneId; pid: number }[] = []
    const opening = await sample(PANES, async () => opened.push(await open(['/bin/cat'])))
    const typing = await messages(file, async (text) => {
      await multiplexer.paste(receiver.paneId, text)
      await multiplexer.pressEnter(receiver.paneId)
    })
    const listing = await sample(LISTS, () => multiplexer.list())
    const handTyping =
      kind === 'headless'
        ? await toPty()
        : await messages(file, (text) => hand.type(receiver.paneId, text))
    const handListing = await sample(LISTS, () => hand.list())
    const handOpening = await sample(PANES, () => hand.open())
    const { reported, gone } = await deaths(multiplexer, opened)
    const row = (
      what: string,
      unit: 'ms',
      samples: readonly number[],
      floorName: string,
      floor: readonly number[],
    ): Figure => ({
      ...{
        name: `${what}, ${kind}`,
        unit,
        value: median(samples),
        floorName,
        floor: median(floor),
        target: null,
        samples: samples.length,
      },
    })
    return [
      row('open a pane, median', 'ms', opening, hand.name, handOpening),
      row('paste and Enter → both in the program, p50', 'ms', typing, hand.name, handTyping),
      {
        ...row('paste and Enter → both in the program, p99', 'ms', typing, hand.name, handTyping),
        value: percentile(typing, 0.99),
        floor: percentile(handTyping, 0.99),
      },
      row(
        `list ${PANES + 1} panes, median`,
        'ms',
        listing,
        kind === 'headless' ? 'one pane asked for' : hand.name,
        handListing,
      ),
      row('SIGKILL → death reported, median', 'ms', reported, 'SIGKILL → no such process', gone),
    ]
  } finally {
    await multiplexer.shutdown()
    await multiplexer.dispose()
    rmSync(folder, { recursive: true, force: true })
  }

  /** Into a pseudo-terminal of one’s own. */
  async function toPty(): Promise<number[]> {
    const direct = join(folder, 'direct')
    const pty = spawn(process.execPath, [RECEIVER], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', RECEIVED: direct },
    })
    try {
      await waitFor('the receiver', () =>
        readFileSync(direct, { encoding: 'utf8', flag: 'a+' }) === '' ? undefined : true,
      )
      return await messages(direct, async (text) => pty.write(`\u001B[200~${text}\u001B[201~\r`))
    } finally {
      pty.kill()
    }
  }

  function byHand(of: Kind, home: string): ByHand {
    const env = scrubbedEnvironment(home)
    if (of === 'headless') {
      const ptys: { kill: () => void }[] = []
      return {
        name: 'a pseudo-terminal of one’s own',
        open: async () => ptys.push(spawn('/bin/cat', [], { cwd: home, env })),
        type: async () => undefined,
        list: async () => {
          for (const pty of ptys.splice(0)) pty.kill()
          const [first] = await multiplexer.list()
          return first && multiplexer.inspect(first.paneId)
        },
      }
    }
    const name = socketNameOf(home)
    const run = (...args: string[]) => runProgram('tmux', ['-L', name, ...args], { env })
    return {
      name: 'the tmux commands by hand',
      open: () => run('new-window', '-d', '-P', '-F', '#{pane_id}', '/bin/cat'),
      type: (paneId, text) =>
        run(
          'set-buffer',
          text,
          ';',
          'paste-buffer',
          '-p',
          '-d',
          '-t',
          paneId,
          ';',
          'send-keys',
          '-t',
          paneId,
          'Enter',
        ),
      list: () => run('list-panes', '-a'),
    }
  }
}

/** Milliseconds from the call to the Enter that the program reads. */
async function messages(file: string, type: (text: string) => Promise<unknown>): Promise<number[]> {
  const samples: number[] = []
  for (let index = 0; index < MESSAGES; index += 1) {
    const mark = `mark-${index}-end`
    const before = received(file).length
    const start = now()
    await type(mark)
    const arrived = await waitFor(
      `message ${index}`,
      () => {
        const since = received(file).slice(before)
        return since.some(({ text }) => text.includes(mark))
          ? since.find(({ text }) => text.endsWith('\r'))
          : undefined
      },
      { every: 2 },
    )
    samples.push(arrived.at - start)
  }
  return samples
}

async function deaths(
  multiplexer: Multiplexer,
  panes: readonly { paneId: PaneId; pid: number }[],
): Promise<{ reported: number[]; gone: number[] }> {
  const reported: number[] = []
  const gone: number[] = []
  for (const { paneId, pid } of panes) {
    const died = new Promise<number>((resolve) => {
      const leave = multiplexer.onDeath((death) => {
        if (death.paneId !== paneId) return
        leave()
        resolve(performance.now())
      })
    })
    const start = performance.now()
    process.kill(pid, 'SIGKILL')
    const { ms } = await timed(() =>
      waitFor('the process to be gone', async () => !(await isRunning(pid)), { every: 1 }),
    )
    gone.push(ms)
    reported.push((await died) - start)
  }
  return { reported, gone }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import type { Pane } from '../../../src/adapters/terminals/holder.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { isAlive } from '../../helpers/processes.ts'
import { fixture, type Bench } from './bench.ts'

type Adopted = Pick<Pane, 'agentId' | 'name' | 'paneId' | 'pid'>

/** Runs a process that opens panes, kills it with SIGKILL, and returns what it had opened. */
async function openAndKill(bench: Bench, count: number): Promise<Adopted[]> {
  const child = spawn(
    process.execPath,
    [fixture('adopter.ts'), bench.kind, bench.folder, String(count)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'] },
    },
  )
  const lines = createInterface({ input: child.stdout })
  const line = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve)
    lines.once('close', () => reject(new Error('the process ended before it had opened its panes')))
  })
  lines.close()
  child.kill('SIGKILL')
  await once(child, 'exit')
  return JSON.parse(line) as Adopted[]
}

export function describeAdoption(bench: Bench): void {
  it('finds the panes of a daemon that was killed, with their agents, and they work', async () => {
    const opened = await openAndKill(bench, 3)
    const adopter = bench.another()
    await adopter.start()
    const panes = await adopter.list()
    expect(
      panes
        .map(({ agentId, name, paneId, pid }) => ({ agentId, name, paneId, pid }))
        .toSorted((a, b) => a.name.localeCompare(b.name)),
    ).toEqual(opened)
    expect(panes.every(({ dead, pid }) => !dead && isAlive(pid))).toBe(true)
    const [first] = opened
    if (first === undefined) throw new Error('nothing was opened')
    await adopter.paste(first.paneId, 'hello adopted')
    await waitFor('the text', async () =>
      (await adopter.capture(first.paneId)).includes('hello adopted'),
    )
  })

  it('reports the deaths of adopted panes', async () => {
    const [first] = await openAndKill(bench, 1)
    if (first === undefined) throw new Error('nothing was opened')
    const adopter = bench.another()
    await adopter.start()
    const deaths: unknown[] = []
    adopter.onDeath((death) => deaths.push(death))
    process.kill(first.pid, 'SIGKILL')
    await waitFor('the death', () => deaths.length > 0)
    expect(deaths).toEqual([
      { paneId: first.paneId, agentId: first.agentId, exitCode: null, exitSignal: 'SIGKILL' },
    ])
  })

  it('does not report again what was dead before it started, but lists it with its end', async () => {
    const { paneId, agentId } = await bench.open({ argv: ['/bin/sh', '-c', 'exit 9'] })
    await waitFor('the end', async () => (await bench.multiplexer.inspect(paneId))?.exitCode === 9)
    await bench.multiplexer.dispose()
    const adopter = bench.another()
    const deaths: unknown[] = []
    adopter.onDeath((death) => deaths.push(death))
    await adopter.start()
    expect(await adopter.list()).toMatchObject([{ paneId, agentId, dead: true, exitCode: 9 }])
    expect(deaths).toEqual([])
  })

  it('two adapters that start at the same time share one server', async () => {
    await bench.multiplexer.shutdown()
    const [first, second, third] = [bench.another(), bench.another(), bench.another()]
    await Promise.all([first.start(), second.start(), third.start()])
    const { paneId } = await first.open({
      agentId: '018f0000-0000-7000-8000-000000000000' as Pane['agentId'] & string,
      name: 'x',
      cwd: bench.folder,
      env: {},
      argv: ['/bin/cat'],
      columns: 80,
      rows: 24,
    })
    expect(await second.inspect(paneId)).toMatchObject({ paneId })
    expect(await third.inspect(paneId)).toMatchObject({ paneId })
    await first.shutdown()
  })

  it('reports panes that another adapter closes', async () => {
    const { paneId, agentId } = await bench.open({ argv: ['/bin/cat'] })
    const deaths: unknown[] = []
    bench.multiplexer.onDeath((death) => deaths.push(death))
    const other = bench.another()
    await other.start()
    await other.close(paneId)
    await waitFor('the death', () => deaths.length > 0)
    expect(deaths).toMatchObject([{ paneId, agentId }])
    expect(await bench.multiplexer.list()).toEqual([])
  })
}

import { PassThrough, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { createStore } from '../src/surfaces/cli/console/store.ts'
import { reduce } from '../src/surfaces/cli/console/reduce.ts'
import { initialState } from '../src/surfaces/cli/console/state.ts'
import { createPalette } from '../src/surfaces/text/palette.ts'
import type { TreeView } from '../src/core/agents/tree-document.ts'
import { node, pull, view } from '../test/unit/surfaces/text/sample-tree.ts'
import { atMost, percentile, type Figure } from './figures.ts'

const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
] as const
const FRAMES = 150
const WARM_UP = 20
/**
 * Lines of the terminal’s text, as many as are kept; and how many of them are new in each frame.
 */
const LINES = 20_000
const NEW = 300
const AGENTS = 200
/** Milliseconds between two frames: more than the least that Ink leaves between them. */
const BETWEEN = 60
const LIMIT = 30_000

/** What is on the screen, and what makes a frame: text that floods a terminal, or a key. */
const KINDS = [
  { name: 'console frame under flood', place: 'conversation', cause: 'flood' },
  { name: 'console list with a preview under flood', place: 'overview', cause: 'flood' },
  { name: 'console list, the next agent by a key', place: 'overview', cause: 'key' },
] as const
type Kind = (typeof KINDS)[number]
/** Milliseconds for a frame, p99. */
const TARGET = 50

/**
 * One frame of the console with 200 agents: from what makes it until the last byte of it is written.
 */
export async function measureConsole(): Promise<Figure[]> {
  // As the built program has it.
  process.env['NODE_ENV'] = 'production'
  const figures: Figure[] = []
  for (const kind of KINDS)
    for (const size of SIZES) figures.push(...(await measureFrames(kind, size)))
  return figures
}

async function measureFrames(
  { name, place, cause }: Kind,
  size: (typeof SIZES)[number],
): Promise<Figure[]> {
  const { startApp } = await import('../src/surfaces/cli/console/app.ts')
  const screen = terminalOf(size)
  const store = createStore(reduce, initialState())
  const treeOf = (frame: number): TreeView =>
    view(
      node('main', {
        children: Array.from({ length: AGENTS }, (_, index) =>
          node(`main.agent-${index}`, {
            depth: 1,
            task: `Task ${index}: ${lineOf(index)}`,
            state: (index + frame) % 3 === 0 ? 'idle' : 'running',
            pr: index % 4 === 0 ? pull(index, { checks: 'passed' }) : null,
          }),
        ),
      }),
    )
  store.dispatch({ type: 'tree', tree: treeOf(0), at: Date.now() })
  store.dispatch({ type: 'place', place })
  const app = startApp({
    store,
    palette: createPalette(true),
    now: Date.now,
    press: () => {},
    seen: () => {},
    streams: screen.streams,
  })
  const floors: number[] = []
  const frames: number[] = []
  const cpu: number[] = []
  const cpuFloors: number[] = []
  const lines = Array.from({ length: LINES }, (_, index) => lineOf(index))
  let text = lines.join('\n')
  for (const { id } of store.get().rotation) store.dispatch({ type: 'screen', agent: id, text })
  const next = (frame: number): (() => void) => {
    // What the tree says changes all the while.
    const tree = treeOf(frame)
    if (cause === 'key')
      return () => {
        store.dispatch({ type: 'tree', tree, at: Date.now() })
        store.dispatch({ type: 'move', by: frame % (2 * AGENTS) < AGENTS ? 1 : -1 })
      }
    lines.splice(0, NEW)
    while (lines.length < LINES) lines.push(lineOf((frame + WARM_UP) * NEW + lines.length))
    text = lines.join('\n')
    return () => store.dispatch({ type: 'screen', agent: store.get().viewed, text })
  }
  for (let frame = -WARM_UP; frame < FRAMES; frame += 1) {
    const act = next(frame)
    const before = process.cpuUsage()
    const start = performance.now()
    act()
    do {
      await delay(BETWEEN)
      if (performance.now() - start > LIMIT) throw new Error('the console drew nothing')
    } while (screen.writtenAt() < start)
    if (frame < 0) continue
    frames.push(screen.writtenAt() - start)
    cpu.push(milliseconds(process.cpuUsage(before)))
    const plainCpu = process.cpuUsage()
    const plain = performance.now()
    screen.streams.stdout.write(text.split('\n').slice(-size.rows).join('\n'))
    floors.push(performance.now() - plain)
    cpuFloors.push(milliseconds(process.cpuUsage(plainCpu)))
  }
  app.end()
  await app.ended
  const figure = (
    what: string,
    [values, plain]: readonly [number[], number[]],
    share: number,
    hasTarget = false,
  ): Figure => {
    const value = percentile(values, share)
    return {
      name: `${name}, ${size.columns}×${size.rows}, ${what}`,
      unit: 'ms',
      value,
      floorName: 'the last lines split off and written',
      floor: percentile(plain, share),
      target: hasTarget ? atMost(TARGET, 'ms', value) : null,
      samples: FRAMES,
    }
  }
  return [
    figure('p50', [frames, floors], 0.5),
    figure('p99', [frames, floors], 0.99, true),
    figure('CPU, p50', [cpu, cpuFloors], 0.5),
    figure('CPU, p99', [cpu, cpuFloors], 0.99),
  ]
}

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000

/** What tests and tools print: mostly plain, some longer than a row, some in other scripts. */
function lineOf(index: number): string {
  if (index % 10 === 0) return `✓ 検査 ${index} прошло за ${index % 97} мс`
  return `  test/unit/file-${index}.test.ts ${'.'.repeat(index % 110)} ok`
}

/** A terminal that swallows what it is given, and knows when that was. */
function terminalOf(size: { columns: number; rows: number }) {
  let writtenAt = 0
  const stdout = Object.assign(
    new Writable({
      write: (_chunk, _encoding, done) => {
        writtenAt = performance.now()
        done()
      },
    }),
    size,
    { isTTY: true },
  )
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  })
  const streams = { stdin, stdout, stderr: stdout } as unknown as {
    stdin: NodeJS.ReadStream
    stdout: NodeJS.WriteStream
    stderr: NodeJS.WriteStream
  }
  return { streams, writtenAt: () => writtenAt }
}

import { PassThrough, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { createStore } from '../src/surfaces/cli/console/store.ts'
import { reduce } from '../src/surfaces/cli/console/reduce.ts'
import { initialState } from '../src/surfaces/cli/console/state.ts'
import { createPalette } from '../src/surfaces/text/palette.ts'
import { node, view } from '../test/unit/surfaces/text/sample-tree.ts'
import { percentile, type Figure } from './figures.ts'

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

/**
 * One frame of the console while an agent floods its terminal: from the new text until the last
 * byte of the frame is written.
 */
export async function measureConsole(): Promise<Figure[]> {
  // As the built program has it.
  process.env['NODE_ENV'] = 'production'
  const { startApp } = await import('../src/surfaces/cli/console/app.ts')
  const figures: Figure[] = []
  for (const size of SIZES) {
    const screen = terminalOf(size)
    const store = createStore(reduce, initialState())
    const tree = view(
      node('main', {
        children: Array.from({ length: AGENTS }, (_, index) =>
          node(`main.agent-${index}`, { depth: 1 }),
        ),
      }),
    )
    store.dispatch({ type: 'tree', tree, at: Date.now() })
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
    const lines = Array.from({ length: LINES }, (_, index) => lineOf(index))
    for (let frame = -WARM_UP; frame < FRAMES; frame += 1) {
      lines.splice(0, NEW)
      while (lines.length < LINES) lines.push(lineOf((frame + WARM_UP) * NEW + lines.length))
      const text = lines.join('\n')
      const start = performance.now()
      store.dispatch({ type: 'screen', agent: tree.root.id, text })
      do {
        await delay(BETWEEN)
        if (performance.now() - start > LIMIT) throw new Error('the console drew nothing')
      } while (screen.writtenAt() < start)
      if (frame < 0) continue
      frames.push(screen.writtenAt() - start)
      const plain = performance.now()
      screen.streams.stdout.write(text.split('\n').slice(-size.rows).join('\n'))
      floors.push(performance.now() - plain)
    }
    app.end()
    await app.ended
    for (const [name, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      figures.push({
        name: `console frame under flood, ${size.columns}×${size.rows}, ${name}`,
        unit: 'ms',
        value: percentile(frames, share),
        floorName: 'the last lines split off and written',
        floor: percentile(floors, share),
        target: null,
        samples: FRAMES,
      })
    }
  }
  return figures
}

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

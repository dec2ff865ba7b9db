import process from 'node:process'
import { claude } from '../test/e2e/clis/claude.ts'
import { codex } from '../test/e2e/clis/codex.ts'
import { gemini } from '../test/e2e/clis/gemini.ts'
import { opencode } from '../test/e2e/clis/opencode.ts'
import type { RealCli } from '../test/e2e/real-cli.ts'
import { measureEndurance } from './agents/endurance.ts'
import { measureToolHooks } from './agents/hooks.ts'
import { measureIdle, measureMidTurn } from './agents/latency.ts'
import { openBenchWorld, type BenchWorld } from './agents/world.ts'
import type { Figure } from './figures.ts'

const CLIS: readonly RealCli[] = [claude, gemini, codex, opencode]
const PARTS: readonly {
  readonly name: string
  readonly measure: (world: BenchWorld) => Promise<Figure[]>
}[] = [
  { name: 'hooks of a tool call', measure: measureToolHooks },
  { name: 'message to an idle agent', measure: measureIdle },
  { name: 'message in mid-turn', measure: measureMidTurn },
  { name: 'many messages, daemon killed', measure: measureEndurance },
]

/**
 * The real agent CLIs against the mock model: `npm run bench -- agents`. EXOMONAD_BENCH_CLIS names
 * those to take (`claude,codex`), EXOMONAD_BENCH_PARTS the parts by their number (`1,2`),
 * EXOMONAD_BENCH_MESSAGES how many messages the last part sends (1000). What fails is a row that
 * says so; the rest goes on.
 */
export async function measureAgents(): Promise<Figure[]> {
  const wanted = listed('EXOMONAD_BENCH_CLIS')
  const parts = listed('EXOMONAD_BENCH_PARTS')
  const figures: Figure[] = []
  for (const cli of CLIS.filter(({ name }) => wanted === null || wanted.has(name))) {
    for (const [index, { name, measure }] of PARTS.entries()) {
      if (parts !== null && !parts.has(String(index + 1))) continue
      process.stderr.write(`  ${cli.name}: ${name} …\n`)
      const begun = performance.now()
      try {
        // A world for each: what one leaves behind must not be measured with the next.
        const world = await openBenchWorld(cli)
        const interrupted = (): void => void world.stop().finally(() => process.exit(130))
        process.once('SIGINT', interrupted).once('SIGTERM', interrupted)
        try {
          figures.push(...(await measure(world)))
        } finally {
          process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
          await world.stop()
        }
      } catch (error) {
        process.exitCode = 1
        const failure = error instanceof Error ? error.message : String(error)
        process.stderr.write(
          `  ${cli.name}: ${name} failed: ${error instanceof Error ? (error.stack ?? failure) : failure}\n`,
        )
        figures.push({
          name: `${cli.name}: ${name}`,
          unit: 'ms',
          value: Number.NaN,
          floorName: '',
          floor: Number.NaN,
          target: null,
          samples: 0,
          failure,
        })
      }
      process.stderr.write(
        `  ${cli.name}: ${name} took ${((performance.now() - begun) / 1000).toFixed(0)} s\n`,
      )
    }
  }
  return figures
}

const listed = (name: string): ReadonlySet<string> | null => {
  const value = process.env[name]
  return value === undefined || value === '' ? null : new Set(value.split(','))
}

import process from 'node:process'
import type { Reporter, TestModule } from 'vitest/node'

const LISTED = 10
/** A file above this is to be split or made faster. Seconds. */
const LONGEST = 60

/** The slowest files, after the summary. */
export default class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < LISTED) return
    const files = modules
      .map((module) => ({
        path: module.relativeModuleId,
        seconds: module.diagnostic().duration / 1000,
      }))
      .toSorted((one, other) => other.seconds - one.seconds)
    const lines = files
      .slice(0, LISTED)
      .map(
        ({ path, seconds }) =>
          `${seconds.toFixed(1).padStart(8)} s  ${path}${seconds > LONGEST ? '  (split it, or make it faster)' : ''}`,
      )
    const total = files.reduce((sum, { seconds }) => sum + seconds, 0)
    process.stdout.write(
      `\nSlowest of ${String(files.length)} files (${total.toFixed(0)} s of tests):\n${lines.join('\n')}\n`,
    )
  }
}

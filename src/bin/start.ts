import { enableCompileCache } from 'node:module'

/** Runs the command line; returns the exit code when all output is written. */
export async function start(): Promise<number> {
  const argv = process.argv.slice(2)
  const code = (await isDoneShortly(argv)) ? 0 : await run(argv)
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  return code
}

async function run(argv: readonly string[]): Promise<number> {
  enableCompileCache()
  const { main } = await import('./cli.ts')
  return main(argv)
}

/** What scripts and prompts ask often, without the command line and its parser. */
async function isDoneShortly(argv: readonly string[]): Promise<boolean> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${(await import('../runtime/version.ts')).readVersion()}\n`)
    return true
  }
  return argv.includes('--short') && (await import('./short-status.ts')).printShortStatus(argv)
}

/** Settles when what was written is out, also where the reader is gone. */
const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) return resolve()
    stream.write('', () => resolve())
  })

import { enableCompileCache } from 'node:module'

/** Runs the command line; returns the exit code when all output is written. */
export async function start(): Promise<number> {
  enableCompileCache()
  const { main } = await import('./cli.ts')
  const code = await main(process.argv.slice(2))
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  return code
}

/** Settles when what was written is out, also where the reader is gone. */
const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) return resolve()
    stream.write('', () => resolve())
  })

/**
 * The daemon in the background, as the command line starts it: `node bin/daemon.js`, in the folder
 * of its repository. What keeps it from starting is the last line of its output, as JSON. A program
 * of its own, and built as one: nothing of the command line is loaded for it.
 */
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { readEnvironment } = await import('../config/environment.ts')
const environment = readEnvironment()
try {
  const { runDaemon } = await import('../daemon/daemon.ts')
  await runDaemon({ cwd: process.cwd(), environment })
  process.exit(0)
} catch (thrown) {
  const { asCommandError } = await import('../surfaces/cli/file-fault.ts')
  const error = asCommandError(thrown, environment.home)
  process.stdout.write(`${JSON.stringify(error.toJSON())}\n`, () => process.exit(1))
}

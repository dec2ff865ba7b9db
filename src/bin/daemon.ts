/**
 * The daemon in the background, as the command line starts it: `node bin/daemon.js`, in the folder
 * of its repository. What keeps it from starting is the last line of its output, as JSON. A program
 * of its own, and built as one: nothing of the command line is loaded for it.
 */
import { enableCompileCache } from 'node:module'

enableCompileCache()
const [{ runDaemon }, { readEnvironment }] = await Promise.all([
  import('../daemon/daemon.ts'),
  import('../config/environment.ts'),
])
try {
  await runDaemon({ cwd: process.cwd(), environment: readEnvironment() })
  process.exit(0)
} catch (thrown) {
  const { asExomonadError } = await import('../domain/errors.ts')
  const error = asExomonadError(thrown)
  process.stdout.write(`${JSON.stringify(error.toJSON())}\n`, () => process.exit(1))
}

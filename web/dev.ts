import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { createServer } from 'vite'

/**
 * The page with hot reload against the running daemon of the repository in EXOMONAD_REPOSITORY, or
 * of this one. Prints a link.
 */
const repository = process.env['EXOMONAD_REPOSITORY'] ?? process.cwd()
const cli = join(import.meta.dirname, '..', 'dist', 'bin', 'exomonad.js')
const asked = execFileSync(
  process.execPath,
  [cli, '-C', repository, 'web', '--no-open', '--json'],
  { encoding: 'utf8' },
)
const { origin, search } = new URL((JSON.parse(asked) as { url: string }).url)
process.env['EXOMONAD_PAGE'] = origin
const server = await createServer({ configFile: join(import.meta.dirname, 'vite.config.ts') })
await server.listen()
const [here = 'http://127.0.0.1:5173/'] = server.resolvedUrls?.local ?? []
console.log(`${here}open${search}`)

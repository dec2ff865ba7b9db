import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { typescriptFlags } from './typescript-flags.js'

// `node --test`, with what this Node needs to run TypeScript.
const { status } = spawnSync(process.execPath, [...typescriptFlags, '--test', ...process.argv.slice(2)], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
})
process.exitCode = status ?? 1

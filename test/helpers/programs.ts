import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

const top = join(import.meta.dirname, '..', '..')

/**
 * `npm test` and `npm run bench` (and all `test:…`) have just built dist; a single file run by hand
 * uses the sources as they are.
 */
const BUILT = /^(test|bench)(:|$)/.test(process.env['npm_lifecycle_event'] ?? '')

/**
 * The file of a program of ours, by its path below src/ without ending. From the sources each start
 * costs three times the processor.
 */
export const programs = (name: string): string =>
  BUILT ? join(top, 'dist', `${name}.js`) : join(top, 'src', `${name}.ts`)

export const BIN = programs('bin/exomonad')

/** Of Node, for daemons: those of src/bin/cli-host.ts, which are a matter of memory. */
export const DAEMON_FLAGS = ['--max-semi-space-size=1']

/**
 * For `NODE_COMPILE_CACHE`: what programs of this run compile, or strip of its types, is compiled
 * once.
 */
export const COMPILED = join(tmpdir(), 'node-compile-cache')

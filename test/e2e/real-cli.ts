import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import type { Protocol } from '../fixtures/model-server/server.ts'

/** One agent CLI as it comes from npm, set up against the model server. One file each in clis/. */
export interface RealCli {
  readonly name: 'claude' | 'gemini' | 'codex' | 'opencode'
  readonly protocols: readonly Protocol[]
  /**
   * TOML: keys of [agents.<name>] that point it to the model server at this address; the preset
   * brings the rest.
   */
  config(model: { readonly url: string }): string
  /** Variables of the person who runs exomonad: dummy keys, addresses. */
  env(model: { readonly url: string }): Readonly<Record<string, string>>
  /** What the person’s home holds before exomonad is set up, beyond nothing. */
  prepareHome?(home: string, model: { readonly url: string }): void
  /**
   * The pattern that its permission dialog shows on the screen, and its empty input line, for the
   * tests that look at the terminal.
   */
  readonly dialog: RegExp
  readonly ready: RegExp
}

/** Where `npm ci --prefix test/agent-clis` puts the programs. */
export const AGENT_CLIS_BIN = join(import.meta.dirname, '..', 'agent-clis', 'node_modules', '.bin')

/** Whether all of them are there; where not, the tests are skipped, and fail in CI. */
export function requireInstalled(clis: readonly { readonly name: string }[]): boolean {
  const missing = clis.map(({ name }) => name).filter((name) => !isInstalled(name))
  if (missing.length === 0) return true
  const what = `${missing.join(', ')} not installed: \`npm run agent-clis\` installs the agent CLIs`
  if ((process.env['CI'] ?? '') !== '') throw new Error(what)
  process.stderr.write(`skipped, ${what}\n`)
  return false
}

export function isInstalled(name: string): boolean {
  try {
    accessSync(join(AGENT_CLIS_BIN, name), constants.X_OK)
    return true
  } catch {
    return false
  }
}

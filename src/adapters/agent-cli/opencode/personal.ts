import { join } from 'node:path'
import type { PersonalPath } from '../agent-cli.ts'

/** Where its conversations and login are. */
export const dataFolder = (home: string, variables: Readonly<Record<string, string>>): string =>
  join(variables['XDG_DATA_HOME'] || join(home, '.local/share'), 'opencode')

/**
 * Of a confined OpenCode, in the folders that XDG names: conversations and login are the person’s,
 * so that a fork finds its parent’s. Settings and what it has installed are copied, since it
 * installs into both; the programs that it keeps beside its conversations are its own, as everyone’s
 * OpenCode runs those.
 */
export function personalOf(
  home: string,
  variables: Readonly<Record<string, string>>,
): PersonalPath[] {
  const of = (name: string, otherwise: string): string =>
    join(variables[name] || join(home, otherwise), 'opencode')
  const data = dataFolder(home, variables)
  return [
    { path: of('XDG_CONFIG_HOME', '.config'), access: 'copy' },
    { path: of('XDG_CACHE_HOME', '.cache'), access: 'copy' },
    { path: of('XDG_STATE_HOME', '.local/state'), access: 'copy' },
    { path: data, access: 'write', isFolder: true },
    { path: join(data, 'bin'), access: 'own' },
  ]
}

/**
 * The providers that it has by itself. Those that the person configured stand in files of its own:
 * they are named in [sandbox] allow_hosts.
 */
export const HOSTS: readonly string[] = [
  'api.anthropic.com',
  'api.openai.com',
  'generativelanguage.googleapis.com',
  'models.dev',
  'opencode.ai',
  'openrouter.ai',
]

import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PlannedLink } from '../agent-cli.ts'
import { asTable, parseSettings, type Table } from './settings.ts'

/**
 * Gemini CLI reads settings, logins, rules and memory below one folder, `$GEMINI_CLI_HOME/.gemini`,
 * and writes its conversations there. Each agent has a folder of its own: settings made from the
 * person’s, and links to everything else that is the person’s. So nothing is written into theirs,
 * nothing into the worktree, and a branch can bring settings of its own.
 */
export const homeIn = (folder: string): string => join(folder, 'gemini')

/**
 * What each agent keeps for itself: settings, conversations, and what the program remembers of its
 * windows.
 */
const OWN = new Set([
  'settings.json',
  'tmp',
  'history',
  'projects.json',
  'state.json',
  'installation_id',
])

/**
 * The folder that holds the person’s `.gemini`. An agent’s own is not the person’s, where one of
 * them started the daemon.
 */
export const personalHome = (chosen: string | undefined, userHome: string): string =>
  chosen === undefined || /\/exomonad\/agents\//.test(chosen) ? userHome : chosen

export interface PersonalHome {
  /** Where the person’s `.gemini` is. */
  readonly home: string
  readonly settings: Table
  /** They have settings that can’t be read. */
  readonly broken: boolean
  /** Variables that the person’s `.env` files set. */
  readonly variables: ReadonlySet<string>
}

const read = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(() => null)

/** `[export ]NAME=`, as dotenv has it. */
const namesIn = (content: string | null): string[] =>
  [...(content ?? '').matchAll(/^\s*(?:export\s+)?([A-Z_][A-Z0-9_]*)\s*=\s*\S/gim)].map(
    (match) => match[1] ?? '',
  )

export async function readPersonalHome(home: string): Promise<PersonalHome> {
  const content = await read(join(home, '.gemini', 'settings.json'))
  const settings = content === null ? {} : parseSettings(content)
  const variables = [
    ...namesIn(await read(join(home, '.gemini', '.env'))),
    ...namesIn(await read(join(home, '.env'))),
  ]
  return {
    home,
    settings: settings ?? {},
    broken: settings === null,
    variables: new Set(variables),
  }
}

/** Links to what is the person’s: logins, rules, commands, extensions, memory. */
export async function linksFor(home: string, folder: string): Promise<readonly PlannedLink[]> {
  const names = (await readdir(join(home, '.gemini')).catch(() => [])).filter(
    (name) => !OWN.has(name) && !/\.(lock|tmp)$/.test(name),
  )
  const links = names.map((name) => ({
    path: join(homeIn(folder), '.gemini', name),
    target: join(home, '.gemini', name),
  }))
  for (const name of ['.env', '.agents']) {
    const there = await stat(join(home, name)).then(
      () => true,
      () => false,
    )
    if (there) links.push({ path: join(homeIn(folder), name), target: join(home, name) })
  }
  return links
}

/** `security.auth.selectedType`, by what is set; null where nothing is set and it would ask. */
export function loginOf(settings: Table, isSet: (name: string) => boolean): string | null {
  const chosen = asTable(asTable(settings['security'])['auth'])['selectedType']
  if (typeof chosen === 'string' && chosen !== '') return chosen
  if (isSet('GOOGLE_GENAI_USE_GCA')) return 'oauth-personal'
  if (isSet('GOOGLE_GENAI_USE_VERTEXAI')) return 'vertex-ai'
  return isSet('GEMINI_API_KEY') ? 'gemini-api-key' : null
}

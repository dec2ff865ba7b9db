import { randomBytes } from 'node:crypto'
import { readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { AgentCliOptions } from '../options.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

/** Where Claude Code keeps what belongs to the person. */
export interface ClaudeHome {
  /** `~/.claude`, or CLAUDE_CONFIG_DIR. */
  readonly folder: string
  /** Its state: onboarding, trust, approved keys. */
  readonly stateFile: string
  /** Of everything it is started with: the configuration’s first, then the person’s. */
  variable(name: string): string | undefined
}

export function claudeHome({
  config,
  variables,
  userHome,
}: Pick<AgentCliOptions, 'config' | 'variables' | 'userHome'>): ClaudeHome {
  const variable = (name: string): string | undefined =>
    config.env[name] || variables[name] || undefined
  const own = variable('CLAUDE_CONFIG_DIR')
  const home = config.env['HOME'] || userHome
  return own === undefined
    ? { folder: join(home, '.claude'), stateFile: join(home, '.claude.json'), variable }
    : { folder: own, stateFile: join(own, '.claude.json'), variable }
}

/** Variables by any of which it is logged in. */
export const LOGIN_VARIABLES: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
]

export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is text in an array, if it is one. */
export const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

/** A JSON object from a file; undefined where there is none, or it can’t be read as one. */
export async function readJson(file: string): Promise<Json | undefined> {
  try {
    const value: unknown = parseJson(await readFile(file, 'utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Changes a JSON file of the person’s, which appears whole and keeps its mode and everything else
 * in it. Throws where what is there can’t be understood.
 */
export async function changeJson(file: string, change: (value: Json) => Json): Promise<void> {
  const target = await realpath(file).catch(() => file)
  const text = await readFile(target, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  const value: unknown = parseJson(text)
  if (!isObject(value)) throw new Error(`${file} holds no JSON object.`)
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  )
  await removeDrafts(target)
  const fresh = `${target}${DRAFT}${randomBytes(4).toString('hex')}`
  try {
    await writeFile(fresh, `${JSON.stringify(change(value), null, 2)}\n`, { mode })
    await rename(fresh, target)
  } finally {
    await rm(fresh, { force: true })
  }
}

const DRAFT = '.exomonad-'
/** Nobody takes so long to write one. Milliseconds. */
const OLD = 60_000

/** Those that a crash left. */
async function removeDrafts(target: string): Promise<void> {
  const folder = dirname(target)
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(`${basename(target)}${DRAFT}`))) {
    const written = await stat(join(folder, name)).catch(() => null)
    if (written !== null && written.mtimeMs < Date.now() - OLD)
      await rm(join(folder, name), { force: true })
  }
}

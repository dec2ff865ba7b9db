import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { LaunchRequest } from '../agent-cli.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

/**
 * A task of more bytes is given by the server: the terminal takes seconds to lay a long one out,
 * and an argument ends at 128 kB.
 */
const ARGV_LIMIT = 16_000
/** Above the longest tool, so that ours ends first. */
const SPARE = 60_000

/**
 * How the first prompt gets there. With `--session`, OpenCode drops `--prompt`; a fork of another
 * worktree’s session can only be made by its server.
 */
export const promptsByArgv = (request: LaunchRequest): boolean =>
  (request.mode === 'start' || request.session === null) &&
  Buffer.byteLength(request.prompt) <= ARGV_LIMIT

/**
 * OpenCode installs a package of its own before it loads any plugin, once for each home: without a
 * network it would wait for minutes. Taken out of the environment by the plugin, before the agent’s
 * own npm could see them.
 */
const SHORT_INSTALL_LIMITS = { npm_config_fetch_retries: '0', npm_config_fetch_timeout: '15000' }

/** Variables of the process on top of its configuration; what the person set themselves stays. */
export const shortInstallLimits = (
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(SHORT_INSTALL_LIMITS).filter(
      ([name]) => variables[name] === undefined && variables[name.toUpperCase()] === undefined,
    ),
  )

type Table = Readonly<Record<string, unknown>>
const tableOf = (value: unknown): Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : {}

/**
 * OPENCODE_CONFIG_CONTENT, which OpenCode merges over the person’s and the repository’s own
 * configuration files; what the person had in that variable is kept. No permissions are configured:
 * a rule merged over theirs could loosen others.
 */
export function configContent(
  request: LaunchRequest,
  options: {
    readonly model: string | undefined
    readonly own: string | undefined
    readonly unset: Readonly<Record<string, string>>
  },
): { readonly content: string; readonly warnings: readonly string[] } {
  const own = parse(options.own)
  const mcp = {
    ...(request.mcpUrl === null
      ? { type: 'local', command: ['exomonad', 'mcp'] }
      : {
          type: 'remote',
          url: request.mcpUrl,
          headers: { Authorization: 'Bearer {env:EXOMONAD_TOKEN}' },
          oauth: false,
        }),
    enabled: true,
    timeout: request.toolTimeout * 1000 + SPARE,
  }
  const plugin = [
    pathToFileURL(join(dirname(request.hookScript), 'opencode-plugin.js')).href,
    {
      hook: request.hookScript,
      worktree: request.worktree,
      unset: options.unset,
      allow: request.permissions.policy === 'list' ? request.permissions.allow : [],
    },
  ]
  const content = {
    ...own.table,
    ...(options.model !== undefined && { model: options.model }),
    mcp: { ...tableOf(own.table['mcp']), exomonad: mcp },
    plugin: [
      ...(Array.isArray(own.table['plugin']) ? (own.table['plugin'] as unknown[]) : []),
      plugin,
    ],
  }
  return { content: JSON.stringify(content), warnings: own.warnings }
}

function parse(own: string | undefined): { table: Table; warnings: readonly string[] } {
  if (own === undefined || own.trim() === '') return { table: {}, warnings: [] }
  try {
    return { table: tableOf(parseJson(own)), warnings: [] }
  } catch {
    return {
      table: {},
      warnings: ['OPENCODE_CONFIG_CONTENT of your environment is no plain JSON: it is left out.'],
    }
  }
}

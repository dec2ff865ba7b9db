import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ACP_ADAPTERS } from '../../../domain/acp-names.ts'
import type { CliFinding, LaunchRequest } from '../agent-cli.ts'
import { LOGIN_VARIABLES } from '../claude/home.ts'
import { gitIdentity } from '../gemini/git-identity.ts'
import type { AcpCliOptions } from './options.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

/** Agent CLIs whose logins, keys and habits a program has that speaks the protocol for them. */
export type Vendor = 'claude' | 'codex' | 'gemini' | 'opencode'

/** By its name as an [acp.NAME], else by what its command is called; null for others. */
export function vendorOf(name: string, command: readonly string[]): Vendor | null {
  const words = new Set([name, ...command.flatMap((word) => word.split('/'))])
  const found = ACP_ADAPTERS.find(
    ([acp, adapter]) => words.has(acp) || (words.has(adapter) && acp === adapter),
  )
  return (found?.[1] as Vendor | undefined) ?? null
}

/**
 * What keeps each from asking, updating itself or giving up on a long tool, where nobody sees it.
 */
export async function nonInteractiveEnv(
  vendor: Vendor | null,
  options: AcpCliOptions,
  request: LaunchRequest,
): Promise<Record<string, string>> {
  switch (vendor) {
    case 'claude':
      return {
        DISABLE_AUTOUPDATER: '1',
        // A call that takes minutes would go on in the background, and its turn without its result.
        CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS: '0',
        // Guesses at what a person might say next cost a request after each turn.
        CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
        // exomonad’s tools are there from the first turn on, and not behind a search: the protocol
        // has no other way to say so.
        ENABLE_TOOL_SEARCH: 'false',
        MCP_TOOL_TIMEOUT: String((request.toolTimeout + 60) * 1000),
      }
    case 'gemini':
      return {
        GEMINI_CLI_NO_RELAUNCH: 'true',
        // Without trust it has no MCP, and asks. Who set exomonad up in the repository trusts it.
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        ...(await gitIdentity(options, request.worktree)),
      }
    case 'opencode':
      return { OPENCODE_DISABLE_AUTOUPDATE: '1' }
    // Its own file: acp/codex.ts.
    case 'codex':
    case null:
      return {}
  }
}

/**
 * The mode in which a program asks its client at all; null: it does by itself. Claude’s default
 * lets a model of its own decide.
 */
export const askingMode = (vendor: Vendor | null): string | null =>
  vendor === 'claude' ? 'default' : null

/** Variables with a key, files of a login (below the person’s home), and how to get one. */
const LOGINS: Readonly<
  Record<
    Exclude<Vendor, 'opencode'>,
    { readonly keys: readonly string[]; readonly files: readonly string[]; readonly fix: string }
  >
> = {
  claude: {
    keys: LOGIN_VARIABLES,
    files: ['.claude/.credentials.json'],
    fix: 'Run `claude` once and sign in, or set ANTHROPIC_API_KEY.',
  },
  // A key alone opens no session: it signs in with one only where it is told to.
  codex: {
    keys: ['DEFAULT_AUTH_REQUEST'],
    files: ['.codex/auth.json'],
    fix: 'Run `codex login`, or `printenv OPENAI_API_KEY | codex login --with-api-key`, or name a model_provider in CODEX_CONFIG of [acp.codex-acp] env.',
  },
  gemini: {
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA'],
    files: ['.gemini/oauth_creds.json', '.gemini/.env'],
    fix: 'Run `gemini` once and sign in, or set GEMINI_API_KEY.',
  },
}

export async function loginFinding(
  vendor: Vendor | null,
  options: AcpCliOptions,
): Promise<readonly CliFinding[]> {
  if (vendor === null || vendor === 'opencode') return []
  const { keys, files, fix } = LOGINS[vendor]
  const variables = { ...options.variables, ...options.config.env }
  const key = keys.find((name) => (variables[name] ?? '') !== '')
  if (key !== undefined) return [{ status: 'ok', found: `signs in by ${key}` }]
  if (vendor === 'codex' && /"model_provider"/.test(variables['CODEX_CONFIG'] ?? ''))
    return [{ status: 'ok', found: 'a model provider of your own' }]
  for (const file of files) {
    if ((await readFile(join(options.userHome, file)).catch(() => null)) !== null)
      return [{ status: 'ok', found: `signs in by ~/${file}` }]
  }
  return [
    {
      status: 'warning',
      found: 'no login was found: without a terminal it can’t ask for one',
      fix,
    },
  ]
}

/** Versions that the end-to-end tests have run with (docs/acp.md). */
const TESTED: Readonly<Record<string, string>> = {
  '@agentclientprotocol/claude-agent-acp': '0.101.0',
  '@agentclientprotocol/codex-acp': '2.6.0',
  '@google/gemini-cli': '0.61.0',
  'opencode-ai': '1.18.33',
}

/** Nothing for a program that is of no package. */
export async function versionFinding(program: string): Promise<readonly CliFinding[]> {
  const found = await packageOf(program)
  if (found === null) return []
  const said = `${found.name} ${found.version}`
  const tested = Object.hasOwn(TESTED, found.name) ? TESTED[found.name] : undefined
  if (tested === undefined || tested === found.version) return [{ status: 'ok', found: said }]
  return [
    {
      status: 'warning',
      found: `${said}; exomonad was tested with ${tested}`,
      fix: `If its sessions don’t begin, or ask about things that nobody is shown: npm install --global ${found.name}@${tested}`,
    },
  ]
}

/**
 * Name and version of the npm package that a program is of; null where it is of none. Nothing is
 * run.
 */
async function packageOf(program: string): Promise<{ name: string; version: string } | null> {
  let folder = dirname(await realpath(program).catch(() => program))
  for (let up = 0; up < 4; up++, folder = dirname(folder)) {
    const found = await readFile(join(folder, 'package.json'), 'utf8')
      .then(
        (content) => parseJson(content) as { name?: unknown; version?: unknown },
        () => null,
      )
      .catch(() => null)
    if (typeof found?.name === 'string' && typeof found.version === 'string')
      return { name: found.name, version: found.version }
  }
  return null
}

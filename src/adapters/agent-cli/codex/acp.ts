import { parseJson } from '../../../domain/formats/parse-json.ts'
import type { AcpLaunch } from '../../terminals/headless-program.ts'
import { findLogin } from '../acp/login.ts'
import type { AcpProgram } from '../acp/options.ts'
import type { LaunchRequest } from '../agent-cli.ts'
import { inertForCodex } from './inert.ts'
import { codexServer } from './overrides.ts'

type Table = Readonly<Record<string, unknown>>
const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Ours goes into the person’s, table by table. */
function merged(own: Table, ours: Table): Table {
  const result: Record<string, unknown> = { ...own }
  for (const [key, value] of Object.entries(ours)) {
    const there = Object.hasOwn(own, key) ? own[key] : undefined
    result[key] =
      isTable(value) && isTable(there)
        ? merged(there, value)
        : Array.isArray(value) && Array.isArray(there)
          ? [...there, ...value]
          : value
  }
  return result
}

function parsed(own: string | undefined): Table | null {
  if (own === undefined || own.trim() === '') return {}
  try {
    const value: unknown = parseJson(own)
    return isTable(value) ? value : null
  } catch {
    return null
  }
}

/**
 * Environment for `codex-acp`, on top of the person’s own CODEX_CONFIG. exomonad’s tools are named
 * there and not to the session: only so they are approved, waited for at the start, given their
 * time, and seen by models that write code to call the others. Null where CODEX_CONFIG is no JSON:
 * then the program says so.
 */
export function codexAcpEnvironment(
  request: LaunchRequest,
  permission: AcpLaunch['permission'],
  own: string | undefined,
): Record<'NO_BROWSER' | 'INITIAL_AGENT_MODE' | 'CODEX_CONFIG', string> | null {
  const config = parsed(own)
  if (config === null) return null
  const ours: Table = {
    // A login shell sets PATH anew, and `exomonad` is gone from it.
    allow_login_shell: false,
    check_for_update_on_startup: false,
    ...(request.noTools === true
      ? {}
      : {
          mcp_servers: { exomonad: codexServer(request) },
          features: { code_mode: { direct_only_tool_namespaces: ['mcp__exomonad'] } },
        }),
  }
  return {
    // No login page opens where nobody sees it.
    NO_BROWSER: '1',
    // By itself it lets a model decide what a person would be asked, and goes back to that when a
    // session is loaded.
    INITIAL_AGENT_MODE: permission === 'allow' ? 'agent-full-access' : 'workspace-write',
    CODEX_CONFIG: JSON.stringify(merged(config, ours)),
  }
}

export const codexAcp: AcpProgram = {
  inert: inertForCodex,
  askingMode: null,
  environment: async ({ config, variables }, request, permission) => {
    const own = config.env['CODEX_CONFIG'] ?? variables['CODEX_CONFIG']
    const env = codexAcpEnvironment(request, permission, own)
    return env === null
      ? { env: {} }
      : { env, merged: { CODEX_CONFIG: env.CODEX_CONFIG }, namesTools: true }
  },
  login: (options) =>
    findLogin(options, {
      // A key alone opens no session: it signs in with one only where this says so.
      keys: ['DEFAULT_AUTH_REQUEST'],
      otherwise: (variables) =>
        /"model_provider"/.test(variables['CODEX_CONFIG'] ?? '')
          ? 'a model provider of your own'
          : null,
      files: ['.codex/auth.json'],
      fix: 'Run `codex login`, or `printenv OPENAI_API_KEY | codex login --with-api-key`, or name a model_provider in CODEX_CONFIG of [acp.codex-acp] env.',
    }),
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseToml } from '../../../domain/formats/parse-toml.ts'
import type { ExecResult } from '../../../processes/exec.ts'
import type { CliFinding } from '../agent-cli.ts'
import type { AgentCliConfig } from '../options.ts'
import { PACKAGE } from './package.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

const { name: PACKAGE_NAME, tested: TESTED } = PACKAGE

export interface CodexDiagnosis {
  readonly name: string
  readonly config: AgentCliConfig
  readonly codexHome: string
  /** Runs the program with the environment it would have as an agent. */
  run(...args: string[]): Promise<ExecResult>
}

type Table = Readonly<Record<string, unknown>>

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

async function ownConfig(codexHome: string): Promise<Table> {
  try {
    return parseToml(await readFile(join(codexHome, 'config.toml'), 'utf8'))
  } catch {
    return {}
  }
}

async function version({ run }: CodexDiagnosis): Promise<CliFinding> {
  const result = await run('--version')
  const found = /\d+\.\d+\.\d+\S*/.exec(result.stdout)?.[0]
  if (result.exitCode !== 0 || found === undefined) {
    const why =
      result.startError ?? (result.stderr.trim() || `exit ${result.exitCode ?? result.signal}`)
    return {
      status: 'problem',
      found: `codex --version says nothing: ${why.slice(0, 200)}`,
      fix: `Install it: npm install --global ${PACKAGE_NAME}`,
    }
  }
  if (found === TESTED) return { status: 'ok', found: `codex ${found}` }
  return {
    status: 'warning',
    found: `codex ${found}; exomonad was tested with ${TESTED}`,
    fix: 'If its terminal asks about hooks, or messages stay undelivered, install a tested version.',
  }
}

/** With a provider of one’s own nobody has to sign in. */
function hasOwnProvider(args: readonly string[], own: Table): boolean {
  const provider = own['model_provider']
  return (
    (typeof provider === 'string' && provider !== 'openai') ||
    args.some((arg) => /^(--config=)?model_provider\s*=/.test(arg) || arg === '--oss')
  )
}

async function login({ name, config, run }: CodexDiagnosis, own: Table): Promise<CliFinding> {
  const result = await run('login', 'status')
  if (result.exitCode === 0)
    return {
      status: 'ok',
      found: result.stdout.trim() || result.stderr.trim().split('\n').at(-1) || 'signed in',
    }
  if (hasOwnProvider(config.args, own))
    return { status: 'ok', found: 'a model provider of your own' }
  return {
    status: 'problem',
    found: 'nobody is signed in: Codex would ask in each agent’s terminal',
    fix: `Run \`codex login\`, or \`printenv OPENAI_API_KEY | codex login --with-api-key\`, or name a model_provider in [agents.${name}] args.`,
  }
}

/** For a model that has a successor Codex asks once whether to change. */
async function model({ name, config, run }: CodexDiagnosis, own: Table): Promise<CliFinding[]> {
  const chosen = config.model ?? own['model']
  if (typeof chosen !== 'string') return []
  const result = await run('debug', 'models')
  const successor = successorOf(result.stdout, chosen)
  const notice = own['notice']
  const seen =
    isTable(notice) && isTable(notice['model_migrations'])
      ? notice['model_migrations'][chosen]
      : undefined
  if (successor === undefined || seen === successor) return []
  return [
    {
      status: 'warning',
      found: `${chosen} has a successor, ${successor}: Codex asks in the first agent’s terminal whether to change`,
      fix: `Start \`codex -m ${chosen}\` once and answer, or set [agents.${name}] model = "${successor}".`,
    },
  ]
}

function successorOf(catalog: string, chosen: string): string | undefined {
  try {
    const { models } = parseJson(catalog) as {
      models: { slug: string; upgrade: { model: string } | null }[]
    }
    return models.find(({ slug }) => slug === chosen)?.upgrade?.model
  } catch {
    return undefined
  }
}

export async function diagnoseCodex(options: CodexDiagnosis): Promise<readonly CliFinding[]> {
  // Where it can’t be found, the message says what to do.
  const found = await version(options).catch((error: unknown): CliFinding => ({
    status: 'problem',
    found: error instanceof Error ? error.message : String(error),
  }))
  if (found.status === 'problem') return [found]
  const own = await ownConfig(options.codexHome)
  return [found, await login(options, own), ...(await model(options, own))]
}

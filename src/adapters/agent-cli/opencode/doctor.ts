import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CliFinding } from '../agent-cli.ts'
import type { AgentCliOptions } from '../options.ts'
import { PACKAGE } from './package.ts'

const { name: PACKAGE_NAME, tested: TESTED } = PACKAGE

/** Keys by which OpenCode finds a provider without being configured. */
const KEYS = [
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENROUTER_API_KEY',
  'OPENCODE_API_KEY',
  'OPENCODE_AUTH_CONTENT',
]

/** Its version, and whether it has a model to ask. It has no first-run dialogs beyond that. */
export async function diagnoseOpenCode(
  options: AgentCliOptions,
  program: string,
): Promise<readonly CliFinding[]> {
  const { exec, userHome, variables } = options
  const { stdout } = await exec(program, ['--version'], {
    env: { PATH: options.path, HOME: userHome, TERM: 'dumb' },
    timeout: 20_000,
  })
  const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0]
  return [
    versionFinding(version),
    await providerFinding(userHome, { ...variables, ...options.config.env }),
  ]
}

function versionFinding(version: string | undefined): CliFinding {
  if (version === undefined)
    return {
      status: 'problem',
      found: 'OpenCode does not say its version',
      fix: 'Run `opencode --version` and see what it says.',
    }
  const found = `OpenCode ${version}`
  if (version === TESTED) return { status: 'ok', found }
  return {
    status: 'warning',
    found,
    fix: `exomonad was tested with ${TESTED}; where something is odd, install that: npm i -g ${PACKAGE_NAME}@${TESTED}`,
  }
}

async function providerFinding(
  home: string,
  variables: Readonly<Record<string, string>>,
): Promise<CliFinding> {
  const key = KEYS.find((name) => (variables[name] ?? '') !== '')
  if (key !== undefined) return { status: 'ok', found: `a provider by ${key}` }
  const data = variables['XDG_DATA_HOME'] ?? join(home, '.local', 'share')
  const config = variables['XDG_CONFIG_HOME'] ?? join(home, '.config')
  const login = await contentOf(join(data, 'opencode', 'auth.json'))
  if (login !== null && /"type"/.test(login))
    return { status: 'ok', found: 'a provider by `opencode auth login`' }
  const files = [
    variables['OPENCODE_CONFIG'],
    ...['opencode.json', 'opencode.jsonc', 'config.json'].map((name) =>
      join(config, 'opencode', name),
    ),
  ]
  for (const file of files) {
    if (file !== undefined && /"provider"\s*:/.test((await contentOf(file)) ?? ''))
      return { status: 'ok', found: `a provider by ${file}` }
  }
  if (/"provider"\s*:/.test(variables['OPENCODE_CONFIG_CONTENT'] ?? ''))
    return { status: 'ok', found: 'a provider by OPENCODE_CONFIG_CONTENT' }
  return {
    status: 'warning',
    found: 'no provider: OpenCode would use a free model of its maker’s service',
    fix: 'Run `opencode auth login`, or set a key such as ANTHROPIC_API_KEY. Keys by other names need environment.pass in .exomonad/config.toml.',
  }
}

const contentOf = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(() => null)

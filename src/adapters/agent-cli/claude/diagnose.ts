import { dirname, join } from 'node:path'
import type { CliFinding } from '../agent-cli.ts'
import { locateProgram } from '../locate.ts'
import type { AgentCliOptions } from '../options.ts'
import { PACKAGE } from './package.ts'
import { undecidedServers } from './project-servers.ts'
import {
  changeJson,
  claudeHome,
  isObject,
  LOGIN_VARIABLES,
  readJson,
  strings,
  type ClaudeHome,
  type Json,
} from './home.ts'

const { name: PACKAGE_NAME, tested: TESTED } = PACKAGE

const ok = (found: string): CliFinding => ({ status: 'ok', found })

async function version(options: AgentCliOptions, program: string): Promise<CliFinding> {
  const [, ...before] = options.config.command
  const result = await options.exec(program, [...before, '--version'], {
    env: { PATH: options.path, HOME: options.userHome, DISABLE_AUTOUPDATER: '1' },
    timeout: 20_000,
  })
  const found = /\d+\.\d+\.\d+/.exec(result.stdout)?.[0]
  if (found === undefined) {
    return {
      status: 'problem',
      found: `${program} --version says no version${result.stderr.trim() === '' ? '' : `: ${result.stderr.trim().slice(0, 200)}`}`,
      fix: `Install Claude Code ${TESTED}: npm install -g ${PACKAGE_NAME}@${TESTED}`,
    }
  }
  if (found === TESTED) return ok(`Claude Code ${found}, the version exomonad was tested with`)
  return {
    status: 'warning',
    found: `Claude Code ${found}; exomonad was tested with ${TESTED}`,
    fix: `If it misbehaves: npm install -g ${PACKAGE_NAME}@${TESTED}`,
  }
}

async function login(home: ClaudeHome, state: Json): Promise<CliFinding> {
  const variable = LOGIN_VARIABLES.find((name) => home.variable(name) !== undefined)
  if (variable !== undefined) return ok(`${variable} is set`)
  const settings = await readJson(join(home.folder, 'settings.json'))
  if (typeof settings?.['apiKeyHelper'] === 'string') return ok('an apiKeyHelper is configured')
  if (
    isObject(state['oauthAccount']) ||
    (await readJson(join(home.folder, '.credentials.json'))) !== undefined
  )
    return ok('it is logged in')
  return {
    status: 'problem',
    found: 'it is not logged in',
    fix: 'Run `claude` once and log in, or set ANTHROPIC_API_KEY where the daemon is started.',
  }
}

function onboarding(home: ClaudeHome, state: Json): CliFinding {
  if (state['hasCompletedOnboarding'] === true) return ok('its first-run questions were answered')
  return {
    status: 'problem',
    found:
      'its first-run questions (theme, login) were not answered: an agent would stand before them',
    fix: `Run \`claude\` once and answer them, or let exomonad write "hasCompletedOnboarding": true to ${home.stateFile}.`,
    repair: async () => {
      await changeJson(home.stateFile, (value) => ({ ...value, hasCompletedOnboarding: true }))
      return `"hasCompletedOnboarding": true in ${home.stateFile}`
    },
  }
}

/**
 * A key in the environment is only used after the person said yes to it once, recognized by its
 * last characters.
 */
function apiKey(home: ClaudeHome, state: Json): CliFinding[] {
  const key = home.variable('ANTHROPIC_API_KEY')
  if (key === undefined) return []
  const end = key.slice(-20)
  const responses = isObject(state['customApiKeyResponses']) ? state['customApiKeyResponses'] : {}
  if (strings(responses['approved']).includes(end))
    return [ok('the key in ANTHROPIC_API_KEY was approved')]
  const rejected = strings(responses['rejected'])
  return [
    {
      status: 'problem',
      found: rejected.includes(end)
        ? 'the key in ANTHROPIC_API_KEY was rejected earlier: it is not used'
        : 'it will ask whether to use the key in ANTHROPIC_API_KEY',
      fix: `Run \`claude\` once and say yes, or let exomonad write that to ${home.stateFile}.`,
      repair: async () => {
        await changeJson(home.stateFile, (value) => {
          const now = isObject(value['customApiKeyResponses']) ? value['customApiKeyResponses'] : {}
          return {
            ...value,
            customApiKeyResponses: {
              ...now,
              approved: [...new Set([...strings(now['approved']), end])],
              rejected: strings(now['rejected']).filter((one) => one !== end),
            },
          }
        })
        return `the end of the key among customApiKeyResponses.approved in ${home.stateFile}`
      },
    },
  ]
}

/** One entry for the main worktree covers the others. */
function trust(home: ClaudeHome, state: Json, repository: string): CliFinding {
  const projects = isObject(state['projects']) ? state['projects'] : {}
  for (let folder = repository; ; folder = dirname(folder)) {
    const project = projects[folder]
    if (isObject(project) && project['hasTrustDialogAccepted'] === true)
      return ok(`${folder} is trusted`)
    if (dirname(folder) === folder) break
  }
  return {
    status: 'problem',
    found: `it will ask whether to trust ${repository}`,
    fix: `Run \`claude\` there once and say yes, or let exomonad write that to ${home.stateFile}.`,
    repair: async () => {
      await changeJson(home.stateFile, (value) => {
        const now = isObject(value['projects']) ? value['projects'] : {}
        const project = isObject(now[repository]) ? now[repository] : {}
        return {
          ...value,
          projects: { ...now, [repository]: { ...project, hasTrustDialogAccepted: true } },
        }
      })
      return `projects["${repository}"].hasTrustDialogAccepted in ${home.stateFile}`
    },
  }
}

/**
 * Whoever chose another mode than “auto” in the own settings, and nowhere nearer, is asked once,
 * after any first turn, whether to change that.
 */
async function autoMode(home: ClaudeHome, state: Json, repository: string): Promise<CliFinding[]> {
  const modeIn = async (file: string): Promise<unknown> => {
    const permissions = (await readJson(file))?.['permissions']
    return isObject(permissions) ? permissions['defaultMode'] : undefined
  }
  const own = await modeIn(join(home.folder, 'settings.json'))
  const nearer = await Promise.all(
    ['settings.json', 'settings.local.json'].map((name) =>
      modeIn(join(repository, '.claude', name)),
    ),
  )
  if (own === undefined || own === 'auto' || nearer.some((mode) => mode !== undefined)) return []
  if (state['hasSeenAutoDefaultNudge'] === true)
    return [ok('it was asked whether auto mode should be its default')]
  return [
    {
      status: 'problem',
      found:
        'it will ask whether auto mode should be its default: an agent would stand before that after its first turn',
      fix: `Run \`claude\` once and answer it, or let exomonad write "hasSeenAutoDefaultNudge": true to ${home.stateFile}; your mode stays as it is.`,
      repair: async () => {
        await changeJson(home.stateFile, (value) => ({ ...value, hasSeenAutoDefaultNudge: true }))
        return `"hasSeenAutoDefaultNudge": true in ${home.stateFile}`
      },
    },
  ]
}

async function hooksAllowed(home: ClaudeHome, repository: string): Promise<CliFinding[]> {
  const files = [
    join(home.folder, 'settings.json'),
    join(repository, '.claude', 'settings.json'),
    join(repository, '.claude', 'settings.local.json'),
  ]
  for (const file of files) {
    if ((await readJson(file))?.['disableAllHooks'] !== true) continue
    return [
      {
        status: 'problem',
        found: `${file} sets disableAllHooks: exomonad would not learn what the agent does`,
        fix: 'Take disableAllHooks out of it.',
      },
    ]
  }
  return []
}

async function projectServers(home: ClaudeHome, repository: string): Promise<CliFinding[]> {
  const names = await undecidedServers(home, repository, repository)
  if (names.length === 0) return []
  return [
    {
      status: 'warning',
      found: `agents do without ${names.join(', ')} of .mcp.json: nobody has said whether Claude Code may use ${names.length === 1 ? 'it' : 'them'} here`,
      fix: 'Run `claude` in the main worktree once, and choose.',
    },
  ]
}

/** What stands between a start of Claude Code in this repository and its first turn. */
export async function diagnoseClaude(
  options: AgentCliOptions,
  repository: string,
): Promise<CliFinding[]> {
  const found = await locateProgram(options.config.command[0] ?? 'claude', {
    agent: options.name,
    path: options.path,
    home: options.home,
  })
  if (found.kind === 'missing') {
    return [
      {
        status: 'problem',
        found: found.reason,
        fix: `npm install -g ${PACKAGE_NAME}@${TESTED}`,
      },
    ]
  }
  const home = claudeHome(options)
  const state = (await readJson(home.stateFile)) ?? {}
  return [
    await version(options, found.path),
    await login(home, state),
    onboarding(home, state),
    ...apiKey(home, state),
    trust(home, state, repository),
    ...(await autoMode(home, state, repository)),
    ...(await hooksAllowed(home, repository)),
    ...(await projectServers(home, repository)),
  ]
}

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecResult } from '../../../processes/exec.ts'
import type { CliFinding } from '../agent-cli.ts'
import type { AgentCliOptions } from '../options.ts'
import { loginOf, personalHome, readPersonalHome } from './home.ts'
import { PACKAGE } from './package.ts'
import { asksAboutLoops, LOOPS, obstacles, parseSettings } from './settings.ts'

const { name: PACKAGE_NAME, tested: TESTED } = PACKAGE
/** `GEMINI_CLI_HOME`, `--session-id` and the hooks are not in all older ones. */
const OLDEST = [0, 50] as const

export async function diagnoseGemini(
  options: AgentCliOptions,
  passed: (name: string) => string | undefined,
  path: string,
  repository: string,
): Promise<readonly CliFinding[]> {
  const findings: CliFinding[] = []
  const asked = await askVersion(options, path, repository)
  const version = /^\d+\.\d+\.\d+\S*/m.exec(asked.stdout)?.[0]
  if (asked.exitCode !== 0 || version === undefined) {
    findings.push({
      status: 'problem',
      found: `${path} --version did not say its version`,
      fix: `Install it anew: npm install -g ${PACKAGE_NAME}`,
    })
  } else if (version === TESTED) {
    findings.push({ status: 'ok', found: `Gemini CLI ${version}, the tested version` })
  } else {
    const [major = 0, minor = 0] = version.split('.').map(Number)
    const old = major === OLDEST[0] && minor < OLDEST[1]
    findings.push({
      status: old ? 'problem' : 'warning',
      found: `Gemini CLI ${version}; exomonad was tested with ${TESTED}`,
      fix: `npm install -g ${PACKAGE_NAME}@${TESTED}`,
    })
  }
  const personal = await readPersonalHome(personalHome(passed('GEMINI_CLI_HOME'), options.userHome))
  if (personal.broken)
    findings.push({
      status: 'problem',
      found: `${join(personal.home, '.gemini', 'settings.json')} is not JSON`,
      fix: 'Correct it; agents run without it until then.',
    })
  const login = loginOf(
    personal.settings,
    (name) => passed(name) !== undefined || personal.variables.has(name),
  )
  findings.push(
    login === null
      ? {
          status: 'problem',
          found: 'no login: agents would stand at the question how to sign in',
          fix: 'Run `gemini` once and choose how to sign in, or set GEMINI_API_KEY where you start exomonad.',
        }
      : { status: 'ok', found: `signs in by ${login}` },
  )
  if (asksAboutLoops(personal.settings)) {
    const file = join(personal.home, '.gemini', 'settings.json')
    findings.push({
      status: 'warning',
      found: `${file}: ${LOOPS}`,
      fix: 'Take that key out of it: agents then go on without asking.',
    })
  }
  const workspace = await readFile(join(repository, '.gemini', 'settings.json'), 'utf8').then(
    parseSettings,
    () => null,
  )
  for (const obstacle of obstacles(workspace ?? {}))
    findings.push({
      status: 'problem',
      found: `.gemini/settings.json of the repository: ${obstacle}`,
      fix: 'Take that key out of it.',
    })
  return findings
}

/** Even to say its version it writes into its home: into one that is thrown away. */
async function askVersion(
  { exec, path, userHome }: AgentCliOptions,
  program: string,
  repository: string,
): Promise<ExecResult> {
  const home = await mkdtemp(join(tmpdir(), 'gemini-version-'))
  try {
    const env = {
      PATH: path,
      HOME: userHome,
      GEMINI_CLI_HOME: home,
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }
    return await exec(program, ['--version'], { cwd: repository, env, timeout: 20_000 })
  } finally {
    // What it started may outlive it for a moment.
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

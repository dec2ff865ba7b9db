import { access, appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ExomonadError } from '../../../domain/errors.ts'
import { PACKAGE_ROOT } from '../../../runtime/package-root.ts'
import type { Host } from '../host.ts'
import { checkCommand, quote } from './configuration.ts'
import type { DemoRepository } from './repository.ts'
import { GITHUB_PID, type Workspace } from './workspace.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

/** What the fake GitHub says of itself once it serves. */
interface Serving {
  readonly url: string
  readonly apiUrl: string
  readonly graphqlUrl: string
  readonly cloneUrl: string
  readonly token: string
}
const OWNER = 'octo'
const NAME = 'timetable'

/** How long it may take to start, and to end. Milliseconds. */
const TIMEOUT = 60_000
/** Times that the first push is tried, which may be among the calls that fail. */
const MOST_PUSHES = 10

const pidFile = (workspace: Workspace): string => join(workspace.folder, GITHUB_PID)

/**
 * Starts a GitHub of the demo’s own as a process, with the repository on it, and returns the tables
 * of the configuration that point to it. NOT_AVAILABLE outside of exomonad’s source folder, and
 * where it does not start.
 */
export async function startGithubFake(
  host: Pick<Host, 'startApart'>,
  workspace: Workspace,
  repository: DemoRepository,
  { failing, seed }: { readonly failing: number; readonly seed: number },
): Promise<string> {
  const program = join(PACKAGE_ROOT, 'test', 'fixtures', 'github', 'serve.ts')
  await access(program).catch(() => {
    throw new ExomonadError(
      'NOT_AVAILABLE',
      'The fake GitHub is part of exomonad’s tests and not of its package. Run `npm run demo -- --forge github-fake` in a checkout of exomonad’s source.',
    )
  })
  const options = {
    owner: OWNER,
    name: NAME,
    defaultBranch: repository.branch,
    folder: join(workspace.folder, 'github'),
    failing,
    seed,
    actions: {
      workflow: 'check',
      job: 'check',
      argv: checkCommand(repository),
      environment: workspace.environment.variables,
    },
  }
  const output = join(workspace.folder, 'github.log')
  const node = process.features.typescript
    ? []
    : ['--experimental-strip-types', '--disable-warning=ExperimentalWarning']
  const started = await host.startApart(
    [process.execPath, ...node, program, JSON.stringify(options)],
    {
      cwd: workspace.folder,
      env: workspace.environment.variables,
      output,
    },
  )
  await writeFile(pidFile(workspace), `${started.pid}\n`)
  const serving = await untilServing(output, started.ended)
  const tokenFile = join(workspace.folder, 'github.token')
  await writeFile(tokenFile, `${serving.token}\n`, { mode: 0o600 })
  await letGitIn(workspace, serving, tokenFile)
  await workspace.git('remote', 'add', 'origin', serving.cloneUrl)
  await push(workspace, repository)
  return tables(serving, tokenFile)
}

/** The line in which it says where it is. */
async function untilServing(output: string, ended: Promise<number | null>): Promise<Serving> {
  let over = false
  void ended.then(() => (over = true))
  const deadline = Date.now() + TIMEOUT
  for (;;) {
    const said = await readFile(output, 'utf8')
    const line = said
      .split('\n')
      .find((text) => text.startsWith('{') && text.includes('"graphqlUrl"') && text.endsWith('}'))
    if (line !== undefined) return parseJson(line) as Serving
    if (over || Date.now() > deadline)
      throw new ExomonadError(
        'NOT_AVAILABLE',
        `The fake GitHub did not start: ${said.trim().slice(-1000) || 'it said nothing'}`,
      )
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** git, here and in the agents’ worktrees, reads the token from its file. */
async function letGitIn(workspace: Workspace, { url }: Serving, tokenFile: string): Promise<void> {
  const config = workspace.environment.variables['GIT_CONFIG_GLOBAL'] ?? ''
  const helper = `!f() { test \\"$1\\" = get && echo username=demo && echo password=$(cat '${tokenFile}'); }; f`
  await appendFile(config, `[credential "${url}"]\n\thelper = "${helper}"\n`)
}

async function push(workspace: Workspace, repository: DemoRepository): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await workspace.git('push', '--quiet', '--set-upstream', 'origin', repository.branch)
      return
    } catch (error) {
      if (attempt === MOST_PUSHES) throw error
    }
  }
}

const tables = ({ url, apiUrl, graphqlUrl }: Serving, tokenFile: string): string => `[forge]
kind = "github"
poll_active = 2
poll_idle = 5

[forge.github]
remote = "origin"
host = ${quote(new URL(url).host)}
repository = ${quote(`${OWNER}/${NAME}`)}
api_url = ${quote(apiUrl)}
graphql_url = ${quote(graphqlUrl)}
token_file = ${quote(tokenFile)}
copilot_review = false

[liveness]
reconcile_every = 2`

/** Ends the process, and all of its group. */
export async function endGithubFake(
  host: Pick<Host, 'signal'>,
  workspace: Workspace,
): Promise<void> {
  const pid = Number(await readFile(pidFile(workspace), 'utf8').catch(() => ''))
  if (!Number.isInteger(pid) || pid <= 0) return
  const deadline = Date.now() + TIMEOUT
  for (
    let lives = host.signal(-pid, 'SIGTERM');
    lives;
    lives = host.signal(-pid, Date.now() > deadline ? 'SIGKILL' : 0)
  ) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await rm(pidFile(workspace), { force: true })
}

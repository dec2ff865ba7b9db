import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { startExomonad, type Exomonad, type ExomonadOptions } from '../../test/helpers/daemon.ts'
import { waitFor } from '../../test/helpers/wait-for.ts'

/** Where the hour begins, so that every run says the same times. */
const NINE = Date.UTC(2026, 0, 5, 9)
const MINUTE = 60_000
const LIMIT = { limit: 60_000 }

const fixture = (name: string): string =>
  join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'agents', name)

/** What other pictures need beside. */
export interface More {
  readonly start?: Pick<ExomonadOptions, 'config' | 'name'>
  /** Further TOML, of whole tables. */
  readonly config?: string
  /** Further lines of [limits]. */
  readonly limits?: string
  /** By agent: what its program does first. */
  readonly first?: Readonly<Record<string, readonly object[]>>
}

export interface Story {
  readonly tree: Exomonad
  /** What commands run with: the same clock, UTC. */
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  end(): Promise<void>
}

const write = (path: string, content = 'x\n') => ({ do: 'write', path, content })
const commit = (message: string) => ({ do: 'commit', message })
const file = (title: string) => ({
  do: 'tool',
  name: 'file_pr',
  input: { title, body: 'As asked.' },
})
const ask = (message: string) => ({
  do: 'tool',
  name: 'question',
  input: { message, timeout: 0.01 },
})
const note = (message: string) => ({ do: 'tool', name: 'note', input: { message } })
/**
 * An hour of 20 agents below a person: three leads with their workers, and five workers of the
 * person’s own. Everything is the product’s but the agents’ programs, which do as they are told, and
 * the clock, which is set on between what happens.
 */
export async function tellStory(more: More = {}): Promise<Story> {
  const clock = join(process.env['TMPDIR'] ?? '/tmp', `screens-clock-${process.pid}`)
  const ahead = NINE - Date.now()
  // Whole or not at all: it is read at any time.
  const setClock = (minute: number): void => {
    writeFileSync(`${clock}.new`, String(ahead + minute * MINUTE))
    renameSync(`${clock}.new`, clock)
  }
  setClock(0)
  const env = {
    TZ: 'UTC',
    SCREENS_CLOCK: clock,
    NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'clock.js')).href}`,
  }
  const tree = await startExomonad({ ...more.start, init: false, env })
  try {
    configure(tree, more)
    const made = await tree.run(['init', '--no-prepare-agents'])
    if (made.code !== 0) throw new Error(made.stderr)
    await happen(tree, setClock, more.first)
    return {
      ...{ tree, env, folder: tree.repository.folder },
      end: async () => {
        await tree.stop()
        rmSync(clock, { force: true })
      },
    }
  } catch (error) {
    await tree.stop()
    throw error
  }
}

function configure(tree: Exomonad, { config: tables = '', limits = '' }: More): void {
  const config = join(tree.repository.path, '.exomonad', 'config.toml')
  const hooked = `[agents.hooked]
adapter = "claude"
command = [${JSON.stringify(process.execPath)}, ${JSON.stringify(fixture('hooked.js'))}]
env = { SCRIPTED_AGENTS = ${JSON.stringify(tree.scripts)} }
[roles.dev.permissions]
policy = "ask"
[limits]
approval_depth = 2
${limits}[liveness]
reconcile_every = 2
[forge]
poll_active = 1
poll_idle = 1
[forge.local]
ci = ["sh", "-c", "test ! -e bad.ts"]
`
  writeFileSync(config, `${readFileSync(config, 'utf8')}\n${hooked}${tables}`)
}

async function happen(
  tree: Exomonad,
  setClock: (minute: number) => void,
  first: NonNullable<More['first']> = {},
): Promise<void> {
  const script = (name: string, { steps = [], ...rest }: Script) =>
    tree.script(name, { ...rest, steps: [...(first[name] ?? []), ...steps] })
  /** Those that file do so one after the other: each run numbers pull requests alike. */
  const spawn = async (names: readonly string[], as?: string, more: object = {}): Promise<void> => {
    const specs = names.map((name) => ({ name, prompt: TASKS[name] ?? name, ...more }))
    const wake = as === 'auth' ? { wake: 'all_settled' } : {}
    const options = as === undefined ? {} : { as }
    const { errors } = await tree.call('spawn_workers', { specs, ...wake }, options)
    if (errors.length > 0) throw new Error(JSON.stringify(errors))
    for (const name of names.filter((one) => filers.has(one))) {
      writeFileSync(turnOf(name), '')
      await pullOf(name)
    }
  }
  const turnOf = (name: string): string => join(tree.scripts, `${name}.turn`)
  const filers = new Set<string>()
  const files = (name: string, title: string, path = `${name}.ts`): void => {
    filers.add(name)
    const steps = [write(path), commit(title), { do: 'file', path: turnOf(name) }, file(title)]
    script(name, { steps })
  }
  const state = (name: string, ...states: readonly string[]) =>
    waitFor(
      `${name} to be ${states.join(' or ')}`,
      async () => states.includes((await tree.agent(name))?.state),
      LIMIT,
    )
  const pullOf = (name: string): Promise<number> =>
    waitFor(
      `the pull request of ${name}`,
      async () => (await tree.agent(name))?.pr?.number as number | undefined,
      LIMIT,
    )
  const checks = (name: string, result: string) =>
    waitFor(
      `the checks of ${name}`,
      async () => (await tree.agent(name)).pr.checks === result,
      LIMIT,
    )
  const event = (type: string, name: string) =>
    waitFor(
      `${type} of ${name}`,
      async () => {
        const { id } = await tree.agent(name)
        return (await tree.events()).some((one) => one.type === type && one.agentId === id)
      },
      LIMIT,
    )
  /** Nothing is on its way to anybody, so that the clock may be set on. */
  const quiet = () =>
    waitFor(
      'all messages to have arrived',
      async () => {
        const { root } = await tree.tree()
        const all = nodes(root).filter(({ kind }) => kind !== 'root')
        return all.every((node) => node.undelivered === 0 || node.name === 'auth')
      },
      LIMIT,
    )
  const at = async (minute: number): Promise<void> => {
    await quiet()
    setClock(minute)
  }
  const merge = async (name: string, as?: string): Promise<void> => {
    const number = await pullOf(name)
    await checks(name, 'passed')
    const options = as === undefined ? {} : { as }
    await tree.call('merge_pr', { pr_number: number, wait: true }, options)
  }

  for (const lead of ['auth', 'search', 'docs']) {
    script(lead, { on: ON[lead] ?? [] })
    await tree.call('spawn_subtree', { task: TASKS[lead], branch_name: lead })
    await state(lead, 'idle')
  }

  await at(3)
  script('billing', { steps: [ask('Which currencies must invoices support at first?')] })
  files('invoices', 'Number invoices without gaps')
  script('exports', { steps: [{ do: 'exit', code: 3 }] })
  await spawn(['billing', 'invoices'])
  await event('pr.ready', 'invoices')
  await spawn(['exports'])
  await state('exports', 'failed')
  const push = { do: 'ask', name: 'Bash', input: { command: 'git push --force origin v1' } }
  script('cleanup', { steps: [push] })
  const tests = { id: 'b1', type: 'shell', status: 'running', command: 'npm run test:browsers' }
  script('upgrade', {
    steps: [
      { do: 'print', text: BOX },
      { do: 'status', status: 'idle' },
      { do: 'stop', body: { background_tasks: [tests], session_crons: [] } },
    ],
  })
  await spawn(['cleanup', 'upgrade'], undefined, { agent: 'hooked' })
  await state('cleanup', 'waiting')
  await state('upgrade', 'idle')

  await at(8)
  files('login', 'Log in with a passkey')
  files('logout', 'Log out everywhere')
  files('tokens', 'Rotate tokens', 'bad.ts')
  script('sessions', { steps: [{ do: 'file', path: join(tree.scripts, 'never') }] })
  script('oauth', { steps: [ask('Which providers come first?')] })
  await spawn(['login', 'logout', 'tokens', 'sessions', 'oauth'], 'auth')
  await checks('tokens', 'failed')
  await merge('login', 'auth')

  await at(17)
  files('index', 'Index titles')
  files('query', 'Parse phrases')
  script('ranking', {
    steps: [{ do: 'complete', success: false, error: 'there is no log of clicks to learn from' }],
  })
  script('suggest', {
    steps: [
      note('Half of it stands: prefixes work.'),
      { do: 'file', path: join(tree.scripts, 'never') },
    ],
  })
  await spawn(['index', 'query', 'ranking', 'suggest'], 'search')
  await merge('index', 'search')
  await checks('query', 'passed')
  await state('query', 'idle')
  await tree.call(
    'pr_review',
    { pr_number: await pullOf('query'), verdict: 'request_changes', body: 'Quotes may nest.' },
    { as: 'search' },
  )

  await at(29)
  files('guide', 'A guide')
  files('api-docs', 'Pages for the API')
  script('examples', { steps: [{ do: 'file', path: join(tree.scripts, 'never') }] })
  await spawn(['guide', 'api-docs', 'examples'], 'docs')
  await merge('guide', 'docs')
  await merge('api-docs', 'docs')
  await tree.call('kill', { agent: 'examples' })
  await event('pr.ready', 'docs')
  await state('docs', 'idle')

  await at(41)
  await merge('logout', 'auth')

  await at(52)
  await tree.call('send', { to: 'search', message: 'We need synonyms as well.' })
  await waitFor('the approval', async () => (await tree.tree()).inbox.approvals === 2, LIMIT)
  await quiet()
  setClock(60)
  // The look that finds who was silent for too long.
  await event('agent.silent', 'sessions')
  // What it waits for an approval in takes no message meanwhile.
  await waitFor(
    'the lead to be notified of that',
    () => tree.log('auth').some(({ text = '' }) => String(text).startsWith('[SILENT]')),
    LIMIT,
  )
  await state('auth', 'idle')
  // In the middle of a minute: ages are the same, however long all of this took.
  setClock(61.1)
  if (existsSync(join(tree.scripts, 'never'))) throw new Error('nobody may be let go')
}

/** As the program draws it: there it can be written to. */
const RULE = '─'.repeat(60)
const BOX = `\r\n${RULE}\r\n❯ \r\n${RULE}\r\n`

/** What leads do about what reaches them. */
const ON: Readonly<Record<string, readonly object[]>> = {
  search: [
    {
      match: 'synonyms',
      steps: [
        {
          ...{ do: 'tool', name: 'spawn_workers' },
          input: { specs: [{ name: 'synonyms', prompt: 'Find synonyms.' }] },
        },
      ],
    },
  ],
  docs: [{ match: 'CHILD KILLED', once: true, steps: [file('Docs of version 2')] }],
}

const TASKS: Readonly<Record<string, string>> = {
  auth: 'Sign-in for version 2: passkeys, tokens, sessions.',
  search: 'Full-text search over articles.',
  docs: 'The documentation of version 2.',
  billing: 'Charge customers monthly.',
  invoices: 'Number invoices without gaps.',
  exports: 'Export orders as CSV.',
  cleanup: 'Remove what version 1 left behind.',
  upgrade: 'Bring the toolchain up to date.',
  login: 'Log in with a passkey.',
  logout: 'Log out of all devices.',
  tokens: 'Rotate refresh tokens.',
  sessions: 'Keep sessions in Redis.',
  oauth: 'Sign in with other accounts.',
  index: 'Index titles.',
  query: 'Parse phrases in queries.',
  ranking: 'Rank by what people click.',
  suggest: 'Suggest while typing.',
  guide: 'A guide for newcomers.',
  'api-docs': 'A page for each call of the API.',
  examples: 'Examples that run.',
}

interface Script {
  readonly steps?: readonly object[]
  readonly on?: readonly object[]
}

interface Node {
  readonly name: string
  readonly kind: string
  readonly undelivered: number
  readonly children: readonly Node[]
}
const nodes = (node: Node): Node[] => [node, ...node.children.flatMap(nodes)]

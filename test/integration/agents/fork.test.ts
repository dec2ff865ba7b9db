import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { repositoryHash } from '../../../src/runtime/paths.ts'
import { runProgram, startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { connectMcp } from '../../helpers/mcp-clients.ts'
import { waitFor as waitForSoon } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/**
 * Forks as agents and people make them: in another’s worktree, at once, and nothing left of what
 * failed.
 */

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'agents')
const DONE = { do: 'complete', success: true }

/** A program that is given what its parent’s terminal showed as its second argument. */
const READING = `[agents.reading]
adapter = "command"
command = ["{{node}}", ${JSON.stringify(join(FIXTURES, 'scripted.js'))}, "{{prompt_file}}", "{{transcript}}"]
acks = true
reports_state = true
enter_delay_ms = 20
env = { SCRIPTED_AGENTS = "SCRIPTS" }
`

const waitFor = <Value>(what: string, look: () => Value | Promise<Value>) =>
  waitForSoon(what, look, { limit: 90_000 })
const logged = (
  tree: Exomonad,
  name: string,
  what: string,
  test: (entry: Record<string, any>) => boolean,
) => waitFor(`${what} in the log of ${name}`, () => tree.log(name).find(test))

/** What a fork must not make. */
const places = async (tree: Exomonad): Promise<string> =>
  `${await tree.repository.git('for-each-ref', '--format=%(refname)', 'refs/heads')}\n${await tree.repository.git('worktree', 'list', '--porcelain')}`
const answers = (tree: Exomonad, name: string, tool: string): any[] =>
  tree.log(name).filter((entry) => entry['kind'] === 'tool' && entry['name'] === tool)
const promptOf = async (tree: Exomonad, name: string): Promise<string> =>
  readFileSync(
    (await logged(tree, name, 'its start', ({ kind }) => kind === 'started'))['argv'][0],
    'utf8',
  )
const idle = (tree: Exomonad, name: string) =>
  waitFor(`${name} to idle`, async () => (await tree.agent(name))?.state === 'idle')

describe('a fork', () => {
  let tree: Exomonad
  const gate = (): string => join(tree.scripts, 'gate')

  beforeAll(async () => {
    tree = await startExomonad({ config: '[limits]\nmax_tree_depth = 2\n' })
    const config = join(tree.repository.path, '.exomonad', 'config.toml')
    writeFileSync(
      config,
      `${readFileSync(config, 'utf8')}\n${READING.replace('"SCRIPTS"', JSON.stringify(tree.scripts))}`,
    )
  })
  afterAll(() => tree?.stop())

  it(
    verifies(
      'R000-01',
      'is listed like kill, send and wait: by name among all others, each with one exact schema',
    ),
    async () => {
      const id = (await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'listing' }))
        .agent_id
      const { socket } = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8'))
      const health = await tree.client().get<{ mcp: string }>('/healthz')
      const client = await connectMcp('v2', 'http', {
        url: health.mcp,
        socket,
        token: readFileSync(join(tree.state, 'auth', id), 'utf8').trim(),
      })
      onTestFinished(() => client.close())
      const listed = await client.list()
      const names = listed.map(({ name }) => name)
      expect(names).toEqual(names.toSorted())
      const shape = (name: string) => {
        const {
          type,
          properties,
          required = [],
          additionalProperties,
        } = listed.find((tool) => tool.name === name)?.inputSchema ?? {}
        const types = Object.entries<any>(properties).map(
          ([
            key,
            { type: of, enum: values, default: value, minimum, maximum, minLength, items },
          ]) => [key, { ...{ of, values, value, minimum, maximum, minLength, items } }],
        )
        return JSON.parse(
          JSON.stringify({ type, required, additionalProperties, ...Object.fromEntries(types) }),
        )
      }
      const text = { of: 'string', minLength: 1 }
      expect(shape('fork')).toEqual({
        type: 'object',
        required: ['name', 'prompt'],
        additionalProperties: false,
        name: text,
        prompt: text,
        context: { of: 'string', values: ['inherit', 'fresh'], value: 'inherit' },
      })
      expect(shape('kill')).toEqual({
        type: 'object',
        required: ['agent'],
        additionalProperties: false,
        agent: text,
      })
      expect(shape('send')).toEqual({
        urgency: { of: 'string', values: ['info'] },
        type: 'object',
        required: ['to', 'message'],
        additionalProperties: false,
        to: text,
        message: text,
      })
      expect(shape('wait')).toEqual({
        type: 'object',
        required: ['timeout'],
        additionalProperties: false,
        timeout: { of: 'number', minimum: 0, maximum: 86_400 },
        from_agents: { of: 'array', items: expect.objectContaining({ type: 'string' }) },
      })
    },
  )

  it(
    verifies('R000-17', 'knows its parent, works, reports, idles, and is given more'),
    async () => {
      tree.script('lead', {
        steps: [
          { do: 'print', text: 'MARK-OF-LEAD' },
          {
            do: 'tool',
            name: 'fork',
            input: { name: 'Scout One!', prompt: 'Count the files.' },
            as: 'child',
          },
        ],
        on: [
          {
            match: '42 files',
            steps: [
              {
                do: 'tool',
                name: 'send',
                input: { to: '${child.agent_id}', message: 'And the folders?' },
              },
            ],
          },
          { match: '7 folders', steps: [{ do: 'tool', name: 'check_mail', input: {} }] },
        ],
      })
      tree.script('scout-one', {
        steps: [
          { do: 'sh', command: 'printf %s "$EXOMONAD_PARENT_ID"' },
          { do: 'file', path: gate() },
          { ...DONE, summary: '42 files' },
        ],
        on: [
          {
            match: 'got mail',
            steps: [
              { do: 'tool', name: 'check_mail', input: {} },
              { ...DONE, summary: '7 folders' },
            ],
          },
        ],
      })
      const before = await places(tree)
      const lead = (
        await tree.call('spawn', {
          kind: 'subtree',
          specs: [{ name: 'lead', prompt: 'Lead the way.', agent: 'reading' }],
          dry_run: false,
        })
      ).spawned[0]
      // It goes on while its child is held at the gate.
      const { answer } = await logged(
        tree,
        'lead',
        'the fork',
        ({ kind, name }) => kind === 'tool' && name === 'fork',
      )
      expect(answer).toEqual({
        agent_id: expect.any(String),
        name: 'scout-one',
        context: 'transcript',
        warnings: [],
      })
      await idle(tree, 'lead')
      const started = await logged(tree, 'scout-one', 'its start', ({ kind }) => kind === 'started')
      expect(started).toMatchObject({ cwd: lead.worktree, branch: 'main.lead', role: 'tl' })
      expect(
        await logged(tree, 'scout-one', 'its parent’s id', ({ kind }) => kind === 'sh'),
      ).toMatchObject({ stdout: lead.agent_id })
      const prompt = await promptOf(tree, 'scout-one')
      expect(prompt).toContain(`a fork of lead (id ${lead.agent_id})`)
      expect(prompt).toContain('Your task:\n\nCount the files.')
      expect(prompt).toContain(started['argv'][1])
      const handed = readFileSync(started['argv'][1], 'utf8')
      expect(handed).toContain('Lead the way.')
      expect(handed).toContain('MARK-OF-LEAD')
      expect(await tree.agent('scout-one')).toMatchObject({
        kind: 'fork',
        depth: 2,
        branch: 'main.lead',
        base_branch: null,
        parent_id: lead.agent_id,
        pr: null,
      })

      writeFileSync(gate(), '')
      await logged(
        tree,
        'lead',
        'the first result',
        ({ kind, text }) => kind === 'message' && /42 files/.test(text),
      )
      await logged(
        tree,
        'lead',
        'the second result',
        ({ kind, text }) => kind === 'message' && /7 folders/.test(text),
      )
      await idle(tree, 'scout-one')
      const [mail] = await waitFor(
        'the mail of lead',
        () => answers(tree, 'lead', 'check_mail')[0]?.answer.messages,
      )
      expect(mail).toMatchObject({
        from: answer.agent_id,
        name: 'scout-one',
        message: expect.stringContaining('"success":true'),
      })
      expect(answers(tree, 'scout-one', 'check_mail')[0].answer.messages).toMatchObject([
        { from: lead.agent_id, message: 'And the folders?' },
      ])
      expect((await tree.agent('scout-one')).outcome).toEqual({
        success: true,
        summary: '7 folders',
      })
      // One branch and one worktree more, those of lead.
      const after = (await places(tree)).split('\n').filter((line) => !before.includes(line))
      expect(after.filter((line) => !/lead|^HEAD/.test(line))).toEqual([])
    },
  )

  it('forks again, spawns onto the branch it shares and merges there, and leaves pull requests of that to its parent', async () => {
    const deeper = (name: string) => ({
      do: 'tool',
      name: 'fork',
      input: { name, prompt: 'Look.', context: 'fresh' },
    })
    tree.script('inner', {
      steps: [
        deeper('innermost'),
        { do: 'tool', name: 'file_pr', input: { title: 'Mine', body: 'It is not.' } },
        {
          do: 'tool',
          name: 'spawn_workers',
          input: { specs: [{ name: 'hand', prompt: 'Write it.' }] },
        },
      ],
      on: [
        { match: 'PR READY', steps: [{ do: 'tool', name: 'merge_pr', input: { pr_number: 1 } }] },
      ],
    })
    tree.script('innermost', { steps: [deeper('deepest')] })
    tree.script('hand', {
      steps: [
        { do: 'write', path: 'hand.txt', content: 'by hand\n' },
        { do: 'commit', message: 'Write it by hand' },
        { do: 'tool', name: 'file_pr', input: { title: 'By hand', body: 'As asked.' } },
      ],
    })
    const { agent_id: id } = await tree.call('fork', {
      name: 'inner',
      prompt: 'Fork on.',
      context: 'fresh',
    })
    await waitFor('the merge', () => answers(tree, 'inner', 'merge_pr').length === 1)
    expect(answers(tree, 'inner', 'fork')[0]).toMatchObject({
      status: 200,
      answer: { context: 'fresh', warnings: [] },
    })
    expect((await promptOf(tree, 'innermost')).includes('terminal showed')).toBe(false)
    expect(await tree.agent('innermost')).toMatchObject({
      parent_id: id,
      worktree: tree.repository.path,
      branch: 'main',
    })
    // Deeper than branches may go: it has none of its own.
    await logged(tree, 'deepest', 'its start', ({ kind }) => kind === 'started')
    expect(await tree.agent('deepest')).toMatchObject({ depth: 3, branch: 'main' })
    expect(await tree.agent('hand')).toMatchObject({
      branch: 'main.hand',
      base_branch: 'main',
      parent_id: id,
    })
    expect(answers(tree, 'inner', 'merge_pr')[0]).toMatchObject({
      answer: { merged: true, local_synced: true },
    })
    expect(readFileSync(join(tree.repository.path, 'hand.txt'), 'utf8')).toBe('by hand\n')
    expect(answers(tree, 'inner', 'file_pr')[0]).toMatchObject({
      answer: {
        code: 'NOT_ALLOWED',
        error: expect.stringContaining('its parent files the pull request'),
      },
    })

    const kill = await tree.call('kill', { agent: 'inner' })
    expect(kill.killed).toHaveLength(4)
    expect(await tree.agent('deepest')).toMatchObject({ state: 'killed' })
    expect(existsSync(join(tree.repository.path, '.git'))).toBe(true)
    expect(await tree.refusal('fork', { name: 'late', prompt: 'x' }, { as: id })).toMatchObject({
      code: 'ALREADY_DEAD',
    })
  })

  it('is named apart from whoever lives by that name', async () => {
    const twin = { name: 'Twin', prompt: 'Nothing to do.' }
    const [one, two] = await Promise.all([tree.call('fork', twin), tree.call('fork', twin)])
    expect([one.name, two.name].toSorted()).toEqual(['twin', 'twin-2'])
    const second = one.name === 'twin-2' ? one : two
    expect(second.warnings.join()).toContain('twin already')
    await tree.call('send', { to: 'twin-2', message: 'Hello' })
    await logged(
      tree,
      'twin-2',
      'its message',
      ({ kind, text }) => kind === 'message' && /Hello/.test(text),
    )
    expect(await tree.refusal('fork', { name: '***', prompt: 'x' })).toMatchObject({
      code: 'INVALID_ARG',
    })
    await tree.call('kill', { agent: 'twin' })
    await tree.call('kill', { agent: 'twin-2' })
  })

  it('of a person begins with what they captured, or waits for what they say', async () => {
    const waiting = await tree.call('fork_capture')
    expect(waiting).toMatchObject({ name: 'fork-1', context: 'fresh', captured: false })
    expect(await promptOf(tree, 'fork-1')).toContain('You have no task yet')
    await tree.call('send', { to: waiting.agent_id, message: 'Look at the README.' })
    await logged(
      tree,
      'fork-1',
      'its task',
      ({ kind, text }) => kind === 'message' && /README/.test(text),
    )

    await tree.call('capture', { text: 'Count the *.md files\nand their words.' })
    const counting = await tree.call('fork_capture')
    expect(counting).toMatchObject({ name: 'count-the-md-files', captured: true })
    expect(await promptOf(tree, counting.name)).toContain(
      'Your task:\n\nCount the *.md files\nand their words.',
    )
    const { entries, capture_lines: open } = await tree.call('scrollback', { agent: 'root' })
    expect([open, entries.at(-1).kind]).toEqual([null, 'capture-fork'])
    expect(entries.at(-1).text).toContain(counting.agent_id)
    await tree.call('kill', { agent: counting.agent_id })
    await tree.call('kill', { agent: waiting.agent_id })
  })

  it('that crashes is reported to its parent, and resumed in the same place', async () => {
    tree.script('shaky', {
      steps: [
        { do: 'file', path: join(tree.scripts, 'crash') },
        { do: 'exit', code: 3 },
      ],
    })
    const { context } = await tree.call(
      'fork',
      { name: 'shaky', prompt: 'Hold on.' },
      { as: 'lead' },
    )
    expect(context).toBe('transcript')
    writeFileSync(join(tree.scripts, 'crash'), '')
    await waitFor('its end', async () => (await tree.agent('shaky'))?.state === 'failed')
    await logged(
      tree,
      'lead',
      'word of it',
      ({ kind, text }) => kind === 'message' && /shaky/.test(text) && /exit/.test(text),
    )
    const { worktree } = await tree.agent('lead')
    expect(existsSync(worktree)).toBe(true)
    expect((await tree.call('reap')).reaped.length).toBeGreaterThan(0)
    expect(await tree.agent('shaky')).toBeUndefined()

    writeFileSync(join(worktree, 'draft.txt'), 'not committed')
    tree.script('shaky', { steps: [{ do: 'print', text: 'again' }] })
    expect((await tree.call('resume', { agent: 'shaky' })).resumed).toMatchObject([
      { name: 'shaky' },
    ])
    await waitFor(
      'its second start',
      () => tree.log('shaky').filter(({ kind }) => kind === 'started').length === 2,
    )
    const started = tree.log('shaky').findLast(({ kind }) => kind === 'started')
    expect(started).toMatchObject({ cwd: worktree })
    expect(readFileSync(started?.['argv'][1], 'utf8')).toContain('MARK-OF-LEAD')
    const prompt = await promptOf(tree, 'shaky')
    expect(prompt).toContain('You are a fork of lead')
    expect(prompt).toContain(started?.['argv'][1])
    expect(prompt).not.toContain('worktree of your own')
    await idle(tree, 'shaky')
    // What lies about there is not its to commit.
    expect(
      tree
        .log('shaky')
        .filter(({ kind, answer }) => kind === 'stop' && answer.decision === 'block'),
    ).toEqual([])

    // Nobody’s worktree is cleaned away under it.
    expect((await tree.call('kill', { agent: 'lead' })).killed).toHaveLength(3)
    expect(await tree.agent('shaky')).toMatchObject({ state: 'killed' })
    expect(existsSync(worktree)).toBe(true)
  })
})

describe('a fork that may not be', () => {
  it('leaves nothing: no program, too many agents, a used-up budget, an untrusted configuration', async () => {
    const tree = await startExomonad({
      config:
        '[limits]\nmax_live_agents = 2\ntool_calls_per_agent = 2\n[agents.gone]\nadapter = "command"\ncommand = ["/nowhere/agent"]\n',
      roles: { tl: 'gone' },
    })
    onTestFinished(() => tree.stop())
    const child = { name: 'child', prompt: 'Nothing to do.' }
    expect(await tree.refusal('fork', child)).toMatchObject({ code: 'AGENT_CLI_MISSING' })

    tree.script('dev', {
      steps: [1, 2, 3].map(() => ({ do: 'hook', name: 'tool', body: { tool_name: 'Read' } })),
    })
    await tree.call('spawn_workers', { specs: [{ name: 'dev', prompt: 'Work.' }] })
    await waitFor('its calls to be counted', async () => (await tree.agent('dev')).tool_calls >= 2)
    expect(await tree.refusal('fork', child, { as: 'dev' })).toMatchObject({
      code: 'LIMIT_REACHED',
      key: 'limits.tool_calls_per_agent',
    })

    await tree.call('spawn_workers', { specs: [{ name: 'other', prompt: 'Work.' }] })
    expect(await tree.refusal('fork', child, { as: 'other' })).toMatchObject({
      code: 'LIMIT_REACHED',
      limit: 2,
      live: 2,
    })
    // A worker’s own program is one that forks nobody by itself.
    expect(await tree.refusal('fork', { name: 'child' }, { as: 'other' })).toMatchObject({
      code: 'INVALID_ARG',
    })

    await tree.call('kill', { agent: 'dev' })
    await tree.repository.git('add', '--force', '.exomonad/config.toml')
    await tree.repository.git('commit', '-qm', 'Share the configuration')
    writeFileSync(join(tree.repository.path, '.exomonad', 'config.toml'), '# from elsewhere\n', {
      flag: 'a',
    })
    await tree.repository.git('commit', '-qam', 'Change the configuration')
    expect(await tree.refusal('fork', child, { as: 'other' })).toMatchObject({
      code: 'UNTRUSTED_CONFIG',
    })
    expect(await tree.agent('child')).toBeUndefined()
  })
})

describe('a fork in a terminal', () => {
  it(
    verifies(
      'R000-03',
      'has the whole conversation, needs name and prompt, is there at once, and moves no view',
    ),
    async () => {
      const tree = await startExomonad({ init: false, multiplexer: 'tmux' })
      onTestFinished(() => tree.stop())
      const config = join(tree.repository.path, '.exomonad', 'config.toml')
      writeFileSync(
        config,
        `${readFileSync(config, 'utf8')}\n[agents.hooked]\nadapter = "claude"\ncommand = ${JSON.stringify([process.execPath, join(FIXTURES, 'hooked.js')])}\nenv = { SCRIPTED_AGENTS = ${JSON.stringify(tree.scripts)} }\n`,
      )
      expect((await tree.command(['init', '--no-prepare-agents'])).code).toBe(0)
      const keep =
        'mkdir -p "$HOME/.claude/projects/p" && echo "{}" > "$HOME/.claude/projects/p/$EXOMONAD_AGENT_ID.jsonl"'
      tree.script('lead', { steps: [{ do: 'tool', name: 'Bash', command: keep }, { do: 'stop' }] })
      tree.script('scout', { steps: [{ do: 'file', path: join(tree.scripts, 'never') }] })
      const { spawned } = await tree.call('spawn', {
        kind: 'subtree',
        specs: [{ name: 'lead', prompt: 'Lead.', agent: 'hooked' }],
      })
      const lead = spawned[0]
      await idle(tree, 'lead')
      const socket = `exomonad-${repositoryHash(join(tree.repository.path, '.git'))}`
      const view = async () =>
        (
          await runProgram(
            'tmux',
            [
              '-L',
              socket,
              'list-windows',
              '-a',
              '-f',
              '#{window_active}',
              '-F',
              '#{session_name} #{window_id}',
            ],
            {
              env: tree.repository.env,
            },
          )
        ).stdout

      for (const lacking of [{ name: 'scout' }, { prompt: 'Look.' }])
        expect(await tree.refusal('fork', lacking, { as: 'lead' })).toMatchObject({
          code: 'INVALID_ARG',
        })
      const before = await view()
      expect(before).not.toBe('')
      const forked = await tree.call(
        'fork',
        { name: 'scout', prompt: 'Look around.' },
        { as: 'lead' },
      )
      expect(forked).toEqual({
        agent_id: expect.any(String),
        name: 'scout',
        context: 'forked',
        warnings: [],
      })
      expect(await view()).toBe(before)
      const { argv } = await logged(tree, 'scout', 'its argv', ({ kind }) => kind === 'argv')
      expect(argv.join(' ')).toContain(
        `--resume ${lead.agent_id} --fork-session --session-id ${forked.agent_id}`,
      )
      expect(argv.at(-1)).toContain('The conversation up to here is your parent')
      expect(argv.at(-1)).toContain('Look around.')
      expect(await tree.agent('scout')).toMatchObject({
        kind: 'fork',
        worktree: lead.worktree,
        parent_id: lead.agent_id,
      })

      const fresh = await tree.call(
        'fork',
        { name: 'fresh', prompt: 'Look anew.', context: 'fresh' },
        { as: 'lead' },
      )
      expect(fresh.context).toBe('fresh')
      expect(
        (await logged(tree, 'fresh', 'its argv', ({ kind }) => kind === 'argv'))['argv'],
      ).not.toContain('--fork-session')
    },
  )
})

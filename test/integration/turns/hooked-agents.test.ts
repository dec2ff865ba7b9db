import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { isAlive } from '../../helpers/processes.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/**
 * A program with Claude Code’s hooks, through the whole daemon: what the real ones do is in
 * test/e2e.
 */

const HOOKED = join(import.meta.dirname, '..', '..', 'fixtures', 'agents', 'hooked.js')

async function hooked(more = ''): Promise<Exomonad> {
  const tree = await startExomonad({ init: false })
  const config = join(tree.repository.path, '.exomonad', 'config.toml')
  const env = `env = { SCRIPTED_AGENTS = ${JSON.stringify(tree.scripts)} }`
  writeFileSync(
    config,
    `${readFileSync(config, 'utf8')}\n[agents.hooked]\nadapter = "claude"\ncommand = [${JSON.stringify(process.execPath)}, ${JSON.stringify(HOOKED)}]\n${env}\n${more}`,
  )
  expect((await tree.command(['init', '--no-prepare-agents'])).code).toBe(0)
  return tree
}

/** Of all that end no more than their own agents. */
let tree: Exomonad
beforeAll(async () => {
  tree = await hooked(`[agents.codex]
command = ["sleep", "1000"]
[roles.careful]
agent = "hooked"
tools = ["note", "file_pr"]
permissions = { policy = "ask" }
`)
})
afterAll(() => tree?.stop())

const spawn = async (
  tree: Exomonad,
  name: string,
  steps: readonly object[],
  role = 'dev',
): Promise<{ agent_id: string; worktree: string }> => {
  tree.script(name, { steps })
  const { spawned, errors } = await tree.call('spawn', {
    kind: 'worker',
    specs: [{ name, prompt: `Do ${name}.`, agent: 'hooked', role }],
  })
  expect(errors).toEqual([])
  return spawned[0]
}
const state = (tree: Exomonad, name: string, wanted: string) =>
  waitFor(`${name} to be ${wanted}`, async () => {
    const node = await tree.agent(name)
    return node?.state === wanted ? node : undefined
  })
const hookOf = (tree: Exomonad, name: string, event: string, number = 1) =>
  waitFor(
    `hook ${event} of ${name}`,
    () =>
      tree.log(name).filter((entry) => entry['kind'] === 'hook' && entry['event'] === event)[
        number - 1
      ],
  )
const approvalOf = (tree: Exomonad, name: string): Promise<any> =>
  waitFor('the approval', async () =>
    (await tree.call('inbox')).approvals.find((approval: any) => approval.agent === name),
  )

describe('a program with hooks', () => {
  it('reports its session, its turns and tools, and is given what waits for it in the middle of one', async () => {
    const [go, on] = [join(tree.scripts, 'busy-go'), join(tree.scripts, 'busy-on')]
    await spawn(tree, 'busy', [
      { do: 'tool', name: 'Read', input: {} },
      { do: 'file', path: go },
      { do: 'tool', name: 'Bash', input: { command: 'true' }, command: 'true' },
      { do: 'file', path: on },
      { do: 'stop' },
    ])
    expect(await hookOf(tree, 'busy', 'PostToolUse')).toMatchObject({ answer: null })
    // A daemon that does not take a hook within two seconds reads it in the spool.
    const counted = (calls: number) =>
      waitFor(
        'its tools to be counted',
        async () => (await tree.agent('busy')).tool_calls === calls,
      )
    await counted(1)
    expect(await tree.agent('busy')).toMatchObject({
      state: 'running',
      state_source: 'hook',
      tool_calls: 1,
    })
    await tree.call('send', { to: 'busy', message: 'Mind the gap.' })
    writeFileSync(go, '')
    const { answer } = await hookOf(tree, 'busy', 'PostToolUse', 2)
    expect(answer).toMatchObject({
      hookSpecificOutput: {
        hookEventName: 'PostToolUse',
        additionalContext: expect.stringContaining('Mind the gap.'),
      },
    })
    await counted(2)
    writeFileSync(on, '')
    await state(tree, 'busy', 'idle')
    // Of the environment of whoever started exomonad it has what it needs, and its own agent’s
    // identity.
    const { variables, argv } = await tree.logged('busy', 'its argv', ({ kind }) => kind === 'argv')
    expect(variables).toEqual(
      expect.arrayContaining(['EXOMONAD_TOKEN', 'EXOMONAD_AGENT_ID', 'PATH']),
    )
    expect(
      variables.filter((variable: string) =>
        /^(TMUX|CLAUDE(?!_CODE_(MCP|ENABLE|RESUME)))/.test(variable),
      ),
    ).toEqual([])
    expect(argv.join(' ')).not.toContain('Bearer ey')
  })

  it('is held at its stop until what objects is done', async () => {
    await spawn(tree, 'held', [
      { do: 'tool', name: 'Write', command: 'echo work > work.txt' },
      { do: 'stop' },
      {
        do: 'tool',
        name: 'Bash',
        command: 'git add work.txt && git -c user.name=a -c user.email=a@b commit -q -m Work',
      },
      { do: 'stop', again: true },
      {
        do: 'tool',
        name: 'Bash',
        command: 'exomonad call file_pr \'{"title":"Work","body":"Some."}\'',
      },
      { do: 'stop', again: true },
    ])
    // The daemon knows that it idles before the program was answered.
    await hookOf(tree, 'held', 'Stop', 3)
    await state(tree, 'held', 'idle')
    const answers = tree.log('held').filter(({ event }) => event === 'Stop')
    expect(answers).toHaveLength(3)
    expect(JSON.stringify(answers[0]?.['answer'])).toContain('work.txt')
    expect(JSON.stringify(answers[1]?.['answer'])).toContain('file_pr')
    expect(answers[2]?.['answer']).toBeNull()
    expect((await tree.agent('held')).pr).toMatchObject({ state: 'open' })
  })

  it(
    verifies(
      'R004-14',
      'waits at a permission dialog for a person, who is notified, and goes on when it was answered there',
    ),
    async () => {
      const go = join(tree.scripts, 'asks-go')
      await spawn(tree, 'asks', [
        { do: 'ask', name: 'Bash', input: { command: 'git push --force' } },
        { do: 'file', path: go },
        { do: 'tool', name: 'Bash', input: { command: 'git push --force' } },
      ])
      expect(await state(tree, 'asks', 'waiting')).toMatchObject({
        state_reason: expect.stringContaining('git push --force'),
        state_source: 'hook',
      })
      const { messages, approvals } = await tree.call('inbox')
      expect(messages.map(({ text }: any) => text).join()).toContain('[WAITING] asks')
      expect(approvals.filter(({ agent }: any) => agent === 'asks')).toEqual([])
      writeFileSync(go, '')
      await state(tree, 'asks', 'running')
    },
  )

  it('is answered from the inbox with policy ask, by whoever comes first', async () => {
    const dialog = join(tree.scripts, 'dialog')
    await spawn(
      tree,
      'careful',
      [
        { do: 'ask', name: 'Bash', input: { command: 'make clean' } },
        { do: 'ask', name: 'Bash', input: { command: 'make install' } },
        { do: 'ask', name: 'Bash', input: { command: 'make love' }, by: 'terminal', path: dialog },
        { do: 'tool', name: 'Bash', input: { command: 'make love' } },
      ],
      'careful',
    )
    const decided = async (what: string, ...argv: string[]): Promise<void> => {
      const approval = await waitFor(what, async () => {
        const one = await approvalOf(tree, 'careful')
        return one.what.includes(what) ? one : undefined
      })
      const [verb = '', ...rest] = argv
      if (verb !== '')
        expect((await tree.command([verb, approval.approval_id, ...rest])).code).toBe(0)
    }
    await decided('make clean', 'approve')
    expect(await hookOf(tree, 'careful', 'PermissionRequest')).toMatchObject({
      answer: { hookSpecificOutput: { decision: { behavior: 'allow' } } },
    })
    await decided('make install', 'deny', '--reason', 'not here')
    expect(await hookOf(tree, 'careful', 'PermissionRequest', 2)).toMatchObject({
      answer: { hookSpecificOutput: { decision: { behavior: 'deny', message: 'not here' } } },
    })
    await decided('make love')
    writeFileSync(dialog, '')
    await waitFor(
      'nothing to be asked',
      async () => (await tree.call('inbox')).approvals.length === 0,
    )
    expect(await hookOf(tree, 'careful', 'PermissionRequest', 3)).toMatchObject({ answer: null })
    await state(tree, 'careful', 'running')
  })

  it('speaks into the spool while the daemon is away, and is understood when it is back', async () => {
    const [go, on] = [join(tree.scripts, 'lone-go'), join(tree.scripts, 'lone-on')]
    await spawn(tree, 'lone', [
      { do: 'file', path: go },
      { do: 'tool', name: 'Read' },
      { do: 'stop' },
      { do: 'file', path: on },
    ])
    await hookOf(tree, 'lone', 'UserPromptSubmit')
    await tree.crash()
    writeFileSync(go, '')
    await hookOf(tree, 'lone', 'Stop')
    await tree.command(['daemon', 'start'])
    expect(await state(tree, 'lone', 'idle')).toMatchObject({ tool_calls: 1 })
    // What was said is deleted once it was understood.
    await waitFor(
      'the spool to be empty',
      () => readdirSync(join(tree.state, 'spool')).length === 0,
    )
  })

  it('leaves nothing running when it is killed, stopped, or gone by itself, and its folder when it is taken away', async () => {
    const tree = await hooked()
    onTestFinished(() => tree.stop())
    const go = join(tree.scripts, 'go')
    const servers: number[] = []
    for (const [name, ...end] of [
      ['killed'],
      ['stopped'],
      ['gone', { do: 'file', path: go }, { do: 'exit', code: 3 }],
    ] as [string, ...object[]][]) {
      await spawn(tree, name, [{ do: 'server' }, ...end])
      servers.push(
        (await tree.logged(name, 'its server', ({ kind }) => kind === 'server'))['server'],
      )
    }
    expect(servers.every(isAlive)).toBe(true)
    await tree.call('kill', { agent: 'killed' })
    expect(isAlive(servers[0] ?? 0)).toBe(false)
    const { id } = await tree.agent('killed')
    expect(existsSync(join(tree.state, 'agents', id, 'claude-settings.json'))).toBe(true)
    writeFileSync(go, '')
    await state(tree, 'gone', 'failed')
    await tree.call('clean', {})
    expect(existsSync(join(tree.state, 'agents', id))).toBe(false)
    expect(isAlive(servers[1] ?? 0)).toBe(true)
    await tree.command(['down'])
    await waitFor('the servers to end', () => !servers.some(isAlive))
  })
})

describe('a conversation', () => {
  it(
    verifies(
      'R004-02',
      'is what a subtree begins with: its program is launched with a fork of its parent’s session, and the task',
    ),
    async () => {
      // The program keeps its conversation where the real one does.
      const keep =
        'mkdir -p "$HOME/.claude/projects/p" && echo "{}" > "$HOME/.claude/projects/p/$EXOMONAD_AGENT_ID.jsonl"'
      tree.script('lead', { steps: [{ do: 'tool', name: 'Bash', command: keep }, { do: 'stop' }] })
      tree.script('parser', { steps: [] })
      const lead = await tree.call('spawn_subtree', {
        branch_name: 'lead',
        task: 'Lead.',
        agent: 'hooked',
      })
      await state(tree, 'lead', 'idle')
      const child = await tree.call(
        'spawn_subtree',
        { branch_name: 'parser', task: 'Write the parser.', agent: 'hooked' },
        { as: 'lead' },
      )
      expect(child).toMatchObject({ session: 'forked', warnings: [], branch: 'main.lead.parser' })
      const { argv } = await tree.logged('parser', 'its argv', ({ kind }) => kind === 'argv')
      expect(argv.join(' ')).toContain(
        `--resume ${lead.agent_id} --fork-session --session-id ${child.agent_id}`,
      )
      expect(argv.at(-1)).toContain('Write the parser.')
    },
  )

  it('is not handed to a program of another kind: the child starts fresh, with a warning that says why', async () => {
    tree.script('chief', { steps: [] })
    tree.script('same', { steps: [] })
    expect(
      await tree.call('spawn_subtree', { branch_name: 'chief', task: 'Lead.', agent: 'hooked' }),
    ).toMatchObject({ session: 'fresh', warnings: [] })
    await hookOf(tree, 'chief', 'UserPromptSubmit')
    const other = await tree.call(
      'spawn_subtree',
      { branch_name: 'other', task: 'Work.', agent: 'codex' },
      { as: 'chief' },
    )
    expect(JSON.stringify(other)).toContain(
      'other starts with a fresh conversation: it runs codex, which can’t read the one of its parent’s claude.',
    )
    // Of its own kind it tries, and says that there is nothing to be read.
    const same = await tree.call(
      'spawn_subtree',
      { branch_name: 'same', task: 'Work.', agent: 'hooked' },
      { as: 'chief' },
    )
    expect(JSON.stringify(same)).toContain('same starts with a fresh conversation: session')
  })
})

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHostedTerminal } from '../../src/adapters/multiplexer/headless/hosted-terminal.ts'
import { commandLines, openAcpTree, startAcpTree, type AcpTree } from '../helpers/acp-tree.ts'
import { waitFor } from '../helpers/wait-for.ts'

/** Workers without a terminal, by the Agent Client Protocol: the real daemon and runner, and a scripted agent. The real agents are in test/e2e. */

const FILE_PR = 'call file_pr {"title":"Add a","body":"It adds a."}'
const COMMIT = 'run echo hello > a.txt && git add -A && git commit -qm "Add a"'

const approvalOf = (tree: AcpTree, what: string): Promise<any> =>
  waitFor(`the approval of ${what}`, async () => (await tree.call('inbox')).approvals.find((approval: any) => approval.what.includes(what)))
/** By which lanes messages arrived. */
const lanes = async (tree: AcpTree, agentId: string): Promise<string[]> =>
  (await tree.events()).flatMap((event) => (event.type === 'delivery.acked' && event.agentId === agentId ? [event.payload.lane] : []))
const count = (text: string, word: string): number => text.split(word).length - 1

describe('a worker by the Agent Client Protocol', () => {
  let tree: AcpTree
  beforeAll(async () => {
    tree = await openAcpTree()
  })
  afterAll(() => tree?.stop())

  it('does its task, files its pull request by exomonad’s tools, is merged, and never shows its token', async () => {
    const { agent_id } = await tree.worker('auth', COMMIT, FILE_PR, 'say it is done')
    const node = await tree.becomes('auth', 'idle')
    expect(node).toMatchObject({ runtime: 'acp', agent: 'acp:scripted', role: 'dev', state_source: 'hook', pr: { state: 'open' } })
    expect(node.tool_calls).toBe(1)
    expect(await tree.shown('auth')).toContain('it is done')

    const token = readFileSync(join(tree.state, 'auth', agent_id), 'utf8').trim()
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(commandLines().filter((line) => line.includes(token))).toEqual([])
    expect(readFileSync(join(tree.state, 'logs', 'daemon.log'), 'utf8')).not.toContain(token)
    expect(await tree.shown('auth')).not.toContain(token)

    const tools = (await tree.events()).filter(({ type }) => type === 'agent.tool').map(({ payload }) => payload)
    expect(tools).toContainEqual({ name: 'auth', tool: 'file_pr', detail: expect.any(String), phase: 'started' })
    expect(tools).toContainEqual({ name: 'auth', tool: 'file_pr', detail: expect.any(String), phase: 'ended', status: 'completed' })

    await tree.call('merge_pr', { pr_number: node.pr.number })
    expect(await tree.repository.git('show', 'main:a.txt')).toBe('hello')
    const attach = await tree.call('attach', { agent: 'auth' })
    expect([attach.multiplexer, attach.pane.startsWith('r-'), attach.argv.length > 1]).toEqual(['runner', true, true])
    expect((await tree.run(['tree'])).stdout).toContain('auth')
  })

  it('is held at its stop for what is missing, and goes on', async () => {
    const tree = await startAcpTree()
    const reactions = join(tree.scripts, 'reactions.json')
    writeFileSync(
      reactions,
      JSON.stringify([
        { match: 'uncommitted', script: 'run git add -A && git commit -qm "Add a"' },
        { match: 'no pull request', script: FILE_PR },
      ]),
    )
    const config = join(tree.repository.path, '.exomonad', 'config.toml')
    writeFileSync(config, readFileSync(config, 'utf8').replace('"--store"', `"--reactions", ${JSON.stringify(reactions)}, "--store"`))
    await tree.worker('forgetful', 'save a.txt hello')
    await waitFor('its pull request', async () => (await tree.agent('forgetful')).pr?.state === 'open')
    await tree.becomes('forgetful', 'idle')
    expect((await tree.events()).filter(({ type }) => type === 'stop.blocked').map(({ payload }) => payload.objection)).toEqual([
      'uncommitted',
      'no_pull_request',
    ])
  })

  it('is given a message once, when it is idle: at once, or after the turn that is under way', async () => {
    const gate = tree.gate('go')
    const { agent_id } = await tree.worker('listener', gate.wait, 'say first turn over')
    await tree.becomes('listener', 'running')
    await tree.call('send', { to: 'listener', message: tree.order('say heard-in-between') })
    expect((await tree.agent('listener')).undelivered).toBe(1)
    writeFileSync(gate.file, '')
    await tree.shows('listener', 'heard-in-between')
    await tree.becomes('listener', 'idle')
    await tree.call('send', { to: 'listener', message: tree.order('say heard-while-idle') })
    await tree.shows('listener', 'heard-while-idle')
    await waitFor('both to be confirmed', async () => (await lanes(tree, agent_id)).length === 2)
    await tree.becomes('listener', 'idle')
    // What waits when a turn ends is the reason to go on.
    expect(await lanes(tree, agent_id)).toEqual(['hook', 'acp'])
    const output = readFileSync(join(tree.state, 'outputs', `${agent_id}.log`), 'utf8')
    expect([count(output, 'say heard-in-between'), count(output, 'say heard-while-idle')]).toEqual([1, 1])
    expect(await tree.agent('listener')).toMatchObject({ undelivered: 0, undecided: 0 })
  })

  it('waits in a question until it is answered', async () => {
    await tree.worker('asker', 'call question {"message":"Tabs or spaces?"}', 'say after the answer')
    expect(await tree.becomes('asker', 'waiting')).toMatchObject({ state_source: 'tool', open_questions: 1 })
    await tree.call('answer_question', { agent: 'asker', message: 'Spaces it is' })
    await tree.shows('asker', 'after the answer')
    await tree.becomes('asker', 'idle')
  })

  it('asks the human for permission, in the tree and the inbox, and goes on as they decide', async () => {
    await tree.worker('careful', 'ask make clean', 'ask make install', 'say all asked')
    const clean = await approvalOf(tree, 'make clean')
    expect(await tree.becomes('careful', 'waiting')).toMatchObject({ state_source: 'hook', state_reason: expect.stringContaining('make clean') })
    expect((await tree.run(['approve', clean.approval_id])).code).toBe(0)
    const install = await approvalOf(tree, 'make install')
    expect((await tree.run(['deny', install.approval_id, '--reason', 'not here'])).code).toBe(0)
    const screen = await tree.shows('careful', 'all asked')
    expect(screen).toMatch(/allowed[\s\S]*denied/)
    await tree.becomes('careful', 'idle')
    expect((await tree.call('inbox')).approvals).toEqual([])
  })

  it('is not asked about what a policy decided: all, or a list', async () => {
    const all = await startAcpTree({ config: '[roles.dev.permissions]\npolicy = "all"\n' })
    await all.worker('free', 'ask make clean', 'say all asked')
    expect(await all.shows('free', 'all asked')).toContain('allowed')
    const list = await startAcpTree({ acp: 'permission = "deny"\nallow = ["make i"]\n' })
    await list.worker('listed', 'ask make install', 'ask make clean', 'say all asked')
    expect(await list.shows('listed', 'all asked')).toMatch(/allowed[\s\S]*denied/)
    expect((await list.call('inbox')).approvals).toEqual([])
  })

  it('can be interrupted by a person who looks at it, and takes more work', async () => {
    await tree.worker('endless', 'say working', 'wait', 'say never')
    await tree.shows('endless', 'working')
    const { argv } = await tree.call('attach', { agent: 'endless' })
    const person = createHostedTerminal({
      argv,
      cwd: '/',
      env: { ...tree.repository.env, TERM: 'xterm-256color' },
      columns: 100,
      rows: 30,
      onOutput: () => undefined,
    })
    try {
      await waitFor('the person to see it', async () => (await person.capture(0)).includes('working'))
      await person.type('\u001B', { paste: false })
      expect(await tree.becomes('endless', 'idle')).toMatchObject({ state_reason: 'interrupted' })
    } finally {
      person.dispose()
    }
    await tree.call('send', { to: 'endless', message: tree.order('say something else') })
    const screen = await tree.shows('endless', 'something else')
    expect(screen).not.toMatch(/^never$/m)
  })

  it('leaves nothing running when it is killed', async () => {
    const { agent_id } = await tree.worker('leaver', 'child sleep 1000', 'term sleep 1000', 'say left them', 'hang')
    await tree.shows('leaver', 'left them')
    expect(tree.processesOf(agent_id).length).toBeGreaterThanOrEqual(3)
    await tree.call('kill', { agent: 'leaver' })
    expect(tree.processesOf(agent_id)).toEqual([])
    expect((await tree.agent('leaver')).state).toBe('killed')
    expect(await tree.shown('leaver')).toContain('left them')
  })
})

describe('a session that outlives the daemon', () => {
  it('goes on in mid-turn when the daemon is killed, and nothing is lost or doubled', async () => {
    const tree = await startAcpTree()
    const gate = tree.gate('go')
    const { agent_id } = await tree.worker('steady', gate.wait, COMMIT, FILE_PR, 'say turn over')
    await tree.becomes('steady', 'running')
    await tree.call('send', { to: 'steady', message: tree.order('say heard-the-message') })
    const { pid } = await tree.agent('steady')
    await tree.crash()
    writeFileSync(gate.file, '')
    await tree.run(['daemon', 'start'])
    await tree.shows('steady', 'turn over')
    await tree.shows('steady', 'heard-the-message')
    expect(await tree.becomes('steady', 'idle')).toMatchObject({ pid, undelivered: 0, undecided: 0 })
    const output = readFileSync(join(tree.state, 'outputs', `${agent_id}.log`), 'utf8')
    expect(count(output, 'say heard-the-message')).toBe(1)
    expect(existsSync(join((await tree.agent('steady')).worktree, 'a.txt'))).toBe(true)
  })

  it('asks for permission again when the daemon is back', async () => {
    const tree = await startAcpTree()
    await tree.worker('careful', 'ask make clean', 'say asked it')
    await approvalOf(tree, 'make clean')
    await tree.crash()
    await tree.run(['daemon', 'start'])
    const again = await approvalOf(tree, 'make clean')
    await tree.run(['approve', again.approval_id])
    expect(await tree.shows('careful', 'asked it')).toContain('allowed')
    await tree.becomes('careful', 'idle')
  })

  it('fails with its last words when the runner is killed, leaves nothing running, and is taken up again', async () => {
    const tree = await startAcpTree()
    const gate = tree.gate('go')
    const { agent_id } = await tree.worker('orphan', 'say before the end', 'child sleep 1000', gate.wait)
    await tree.shows('orphan', 'before the end')
    await waitFor('its child', () => tree.processesOf(agent_id).length >= 2)
    process.kill(tree.runnerPid(), 'SIGKILL')
    await tree.becomes('orphan', 'failed')
    await waitFor('what it left to end', () => tree.processesOf(agent_id).length === 0)
    const failed = (await tree.events()).find(({ type }) => type === 'agent.failed')
    expect(failed.payload.last_lines).toContain('before the end')
    expect(await tree.shown('orphan')).toContain('before the end')

    writeFileSync(gate.file, '')
    const { resumed } = await tree.call('resume', { agent: 'orphan' })
    expect(resumed).toMatchObject([{ name: 'orphan', session: 'resumed', warnings: [] }])
    await tree.becomes('orphan', 'idle')
    await tree.call('send', { to: 'orphan', message: tree.order('say here again') })
    await tree.shows('orphan', 'here again')
  })

  it('fails when its program crashes in mid-turn', async () => {
    const tree = await startAcpTree()
    await tree.worker('crashing', 'say half a', 'crash 9')
    expect(await tree.becomes('crashing', 'failed')).toMatchObject({ state_reason: expect.stringContaining('exit code 9') })
    expect(await tree.shown('crashing')).toContain('half a')
    // Nobody asked it to end: it has not done its work, whatever it says.
    await tree.worker('quitting', 'say half a', 'crash 0')
    expect(await tree.becomes('quitting', 'failed')).toMatchObject({ state_reason: expect.stringContaining('exit code 0') })
  })
})

describe('a tree with sessions in it', () => {
  it('says both numbers where a limit is reached, and counts those in terminals apart', async () => {
    const tree = await startAcpTree({ config: '[limits]\nmax_live_headless = 1\n' })
    await tree.worker('first', 'wait')
    const second = await tree.refusal('spawn_workers', { specs: [{ name: 'second', prompt: 'wait' }] })
    expect(second).toMatchObject({ code: 'LIMIT_REACHED', limit: 1, live: 1, wanted: 1 })
    expect(second.error).toContain('1 of 1 agents without a terminal are live (limits.max_live_headless)')
    tree.script('lead', { steps: [] })
    expect(await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })).toMatchObject({ name: 'lead' })
    await tree.call('kill', { agent: 'first' })
    await tree.worker('third', 'say hello')
  })

  it('gives each only the tools of its role and its table', async () => {
    const tree = await startAcpTree({ acp: 'tools = ["note", "send"]\n' })
    await tree.worker('narrow', 'tools', 'call file_pr {"title":"x"}', 'say tried')
    const screen = await tree.shows('narrow', 'tried')
    expect(screen).toMatch(/^note read_message send$/m)
    expect(screen).not.toMatch(/merge_pr|spawn_workers/)
  })

  it('plans a spawn without making anything', async () => {
    const tree = await startAcpTree()
    const { planned } = await tree.call('spawn', { kind: 'worker', specs: [{ name: 'dry', prompt: 'x' }], dry_run: true })
    expect(planned).toMatchObject([{ name: 'dry', agent: 'acp:scripted', argv: expect.arrayContaining([process.execPath]) }])
    expect(await tree.agent('dry')).toBeUndefined()
  })

  it('fails the spawn with the program’s words where no session begins, and leaves nothing', async () => {
    const tree = await startAcpTree({ args: ['--auth'] })
    const { spawned, errors } = await tree.call('spawn_workers', { specs: [{ name: 'stranger', prompt: 'x' }] })
    expect(spawned).toEqual([])
    expect(errors[0]).toMatchObject({ code: 'SPAWN_FAILED' })
    expect(errors[0].error).toMatch(/log ?in|[Aa]uthentic/)
    expect(await tree.repository.git('branch', '--list', 'main.stranger')).toBe('')
  })

  it('forks one into its worktree with what it showed, since sessions can’t be forked', async () => {
    const tree = await startAcpTree()
    const parent = await tree.worker('origin', 'say the word is plover')
    await tree.becomes('origin', 'idle')
    const forked = await tree.call('fork', { name: 'reader', prompt: tree.order('prompt') }, { as: 'origin' })
    expect(forked).toMatchObject({ context: 'transcript', warnings: [expect.stringContaining('can’t be forked')] })
    const node = await tree.becomes('reader', 'idle')
    expect(node).toMatchObject({ kind: 'fork', runtime: 'acp', worktree: parent.worktree })
    expect(await tree.shown('reader')).toContain('the word is plover')
  })

  it('lets a lead without a terminal lead: subtrees, their workers, down and up again', async () => {
    const tree = await startAcpTree({ tl: 'runtime = "acp"\n' })
    const { already } = await tree.call('up', { task: tree.order('call spawn_subtree {"task":"script:\\nsay I lead","branch_name":"lead"}', 'say spawned it') })
    expect(already).toBe(false)
    await tree.shows('root', 'spawned it')
    expect(await tree.becomes('lead', 'idle')).toMatchObject({ runtime: 'acp', role: 'tl', kind: 'subtree' })
    const root = await tree.becomes('root', 'idle')
    expect(root.runtime).toBe('acp')
    await tree.call('down')
    expect(await tree.agent('lead')).toMatchObject({ state: 'idle', state_reason: 'stopped' })
    expect(tree.processesOf(root.id)).toEqual([])
    await tree.call('up')
    const { resumed } = await tree.call('resume')
    expect(resumed).toMatchObject([{ name: 'lead', session: 'resumed' }])
    await tree.call('send', { to: 'root', message: tree.order('say the root is back') })
    await tree.shows('root', 'the root is back')
  })
})

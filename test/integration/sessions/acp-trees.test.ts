import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAcpTree, SCRIPTED_ACP, startAcpTree, type AcpTree } from '../../helpers/acp-tree.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * Workers without a terminal, by the Agent Client Protocol: the real daemon and host, and a
 * scripted agent. The real agents are in test/e2e.
 */

const FILE_PR = 'call file_pr {"title":"Add a","body":"It adds a."}'
const COMMIT = 'run echo hello > a.txt && git add -A && git commit -qm "Add a"'

/** Of all that need no settings, limits or root of their own. */
let tree: AcpTree
beforeAll(async () => {
  const program = (name: string, more: string, ...args: string[]): string =>
    `[acp.${name}]\ncommand = ${JSON.stringify([process.execPath, SCRIPTED_ACP, ...args])}\n${more}`
  tree = await openAcpTree({
    config: `${program('narrow', 'tools = ["note", "send"]\n')}${program('locked', '', '--auth')}`,
  })
})
afterAll(() => tree?.stop())

const approvalOf = (what: string): Promise<any> =>
  waitFor(`the approval of ${what}`, async () =>
    (await tree.call('inbox')).approvals.find((approval: any) => approval.what.includes(what)),
  )
const count = (text: string, word: string): number => text.split(word).length - 1

describe('a session that outlives the daemon', () => {
  it('goes on in mid-turn when the daemon is killed, and nothing is lost or doubled', async () => {
    const gate = tree.gate('go')
    const { agent_id } = await tree.worker('steady', gate.wait, COMMIT, FILE_PR, 'say turn over')
    await tree.becomes('steady', 'running')
    await tree.call('send', { to: 'steady', message: tree.order('say read-the-message') })
    const { pid } = await tree.agent('steady')
    await tree.crash()
    writeFileSync(gate.file, '')
    await tree.command(['daemon', 'start'])
    await tree.shows('steady', 'turn over')
    await tree.shows('steady', 'read-the-message')
    expect(await tree.becomes('steady', 'idle')).toMatchObject({
      pid,
      undelivered: 0,
      undecided: 0,
    })
    // The disk may be behind what is shown.
    const output = await waitFor('the end of that turn on the disk', () => {
      const text = readFileSync(join(tree.state, 'outputs', `${agent_id}.log`), 'utf8')
      return /read-the-message[^]*the turn ended/.test(text) && text
    })
    expect(count(output, 'say read-the-message')).toBe(1)
    expect(existsSync(join((await tree.agent('steady')).worktree, 'a.txt'))).toBe(true)
  })

  it('asks for permission again when the daemon is back', async () => {
    await tree.worker('careful', 'ask make clean', 'say asked it')
    await approvalOf('make clean')
    await tree.crash()
    await tree.command(['daemon', 'start'])
    const again = await approvalOf('make clean')
    await tree.command(['approve', again.approval_id])
    expect(await tree.shows('careful', 'asked it')).toContain('allowed')
    await tree.becomes('careful', 'idle')
  })

  it('fails with its last words when the host is killed, leaves nothing running, and is taken up again', async () => {
    const gate = tree.gate('go')
    const { agent_id } = await tree.worker(
      'orphan',
      'say before the end',
      'child sleep 1000',
      gate.wait,
    )
    await tree.shows('orphan', 'before the end')
    await waitFor('its child', () => tree.processesOf(agent_id).length >= 2)
    // What the host has just read may not be on the disk yet, and would be gone with it.
    await waitFor('its words on the disk', () =>
      readFileSync(join(tree.state, 'outputs', `${agent_id}.log`), 'utf8').includes(
        '\nbefore the end',
      ),
    )
    process.kill(tree.hostPid(), 'SIGKILL')
    await tree.becomes('orphan', 'failed')
    await waitFor('what it left to end', () => tree.processesOf(agent_id).length === 0)
    const failed = (await tree.events()).find(
      ({ type, agentId }) => type === 'agent.failed' && agentId === agent_id,
    )
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
    await tree.worker('crashing', 'say half a', 'crash 9')
    expect(await tree.becomes('crashing', 'failed')).toMatchObject({
      state_reason: expect.stringContaining('exit code 9'),
    })
    expect(await tree.shown('crashing')).toContain('half a')
    // Nobody asked it to end: it has not done its work, whatever it says.
    await tree.worker('quitting', 'say half a', 'crash 0')
    expect(await tree.becomes('quitting', 'failed')).toMatchObject({
      state_reason: expect.stringContaining('exit code 0'),
    })
  })
})

describe('a tree with sessions in it', () => {
  it('says both numbers where a limit is reached, and counts those in terminals apart', async () => {
    const tree = await startAcpTree({ config: '[limits]\nmax_live_headless = 1\n' })
    await tree.worker('first', 'wait')
    const second = await tree.refusal('spawn_workers', {
      specs: [{ name: 'second', prompt: 'wait' }],
    })
    expect(second).toMatchObject({ code: 'LIMIT_REACHED', limit: 1, live: 1, wanted: 1 })
    expect(second.error).toContain(
      '1 of 1 agents without a terminal are live (limits.max_live_headless)',
    )
    tree.script('lead', { steps: [] })
    expect(await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })).toMatchObject({
      name: 'lead',
    })
    await tree.call('kill', { agent: 'first' })
    await tree.worker('third', 'say hello')
  })

  it('gives each only the tools of its role and its table', async () => {
    const prompt = tree.order('tools', 'call file_pr {"title":"x"}', 'say tried')
    await tree.call('spawn_workers', { specs: [{ name: 'narrow', prompt, agent: 'narrow' }] })
    const screen = await tree.shows('narrow', 'tried')
    expect(screen).toMatch(/^note read_message send$/m)
    expect(screen).not.toMatch(/merge_pr|spawn_workers/)
  })

  it('plans a spawn without making anything', async () => {
    const { planned } = await tree.call('spawn', {
      kind: 'worker',
      specs: [{ name: 'dry', prompt: 'x' }],
      dry_run: true,
    })
    expect(planned).toMatchObject([
      { name: 'dry', agent: 'acp:scripted', argv: expect.arrayContaining([process.execPath]) },
    ])
    expect(await tree.agent('dry')).toBeUndefined()
  })

  it('fails the spawn with the program’s words where no session begins, and leaves nothing', async () => {
    const { spawned, errors } = await tree.call('spawn_workers', {
      specs: [{ name: 'stranger', prompt: 'x', agent: 'locked' }],
    })
    expect(spawned).toEqual([])
    expect(errors[0]).toMatchObject({ code: 'SPAWN_FAILED' })
    expect(errors[0].error).toMatch(/log ?in|[Aa]uthentic/)
    expect(await tree.repository.git('branch', '--list', 'main.stranger')).toBe('')
  })

  it('forks one into its worktree with what it showed, since sessions can’t be forked', async () => {
    const parent = await tree.worker('origin', 'say the word is plover')
    await tree.becomes('origin', 'idle')
    const forked = await tree.call(
      'fork',
      { name: 'reader', prompt: tree.order('prompt') },
      { as: 'origin' },
    )
    expect(forked).toMatchObject({
      context: 'transcript',
      warnings: [expect.stringContaining('can’t be forked')],
    })
    const node = await tree.becomes('reader', 'idle')
    expect(node).toMatchObject({ kind: 'fork', runtime: 'acp', worktree: parent.worktree })
    expect(await tree.shown('reader')).toContain('the word is plover')
  })

  it('lets a lead without a terminal lead: subtrees, their workers, down and up again', async () => {
    const tree = await startAcpTree({ tl: 'runtime = "acp"\n' })
    const { already } = await tree.call('up', {
      task: tree.order(
        'call spawn_subtree {"task":"script:\\nsay I lead","branch_name":"lead"}',
        'say spawned it',
      ),
    })
    expect(already).toBe(false)
    await tree.shows('root', 'spawned it')
    expect(await tree.becomes('lead', 'idle')).toMatchObject({
      runtime: 'acp',
      role: 'tl',
      kind: 'subtree',
    })
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

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHostedTerminal } from '../../../src/adapters/terminals/detached/hosted-terminal.ts'
import { commandLines, openAcpTree, startAcpTree, type AcpTree } from '../../helpers/acp-tree.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * Workers without a terminal, by the Agent Client Protocol: the real daemon and host, and a
 * scripted agent. The real agents are in test/e2e.
 */

const FILE_PR = 'call file_pr {"title":"Add a","body":"It adds a."}'
const COMMIT = 'run echo hello > a.txt && git add -A && git commit -qm "Add a"'

const approvalOf = (tree: AcpTree, what: string): Promise<any> =>
  waitFor(`the approval of ${what}`, async () =>
    (await tree.call('inbox')).approvals.find((approval: any) => approval.what.includes(what)),
  )
/** By which lanes messages arrived. */
const lanes = async (tree: AcpTree, agentId: string): Promise<string[]> =>
  (await tree.events()).flatMap((event) =>
    event.type === 'delivery.acked' && event.agentId === agentId ? [event.payload.lane] : [],
  )
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
    expect(node).toMatchObject({
      runtime: 'acp',
      agent: 'acp:scripted',
      role: 'dev',
      state_source: 'hook',
      pr: { state: 'open' },
    })
    expect(node.tool_calls).toBe(1)
    expect(await tree.shown('auth')).toContain('it is done')

    const token = readFileSync(join(tree.state, 'auth', agent_id), 'utf8').trim()
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(commandLines().filter((line) => line.includes(token))).toEqual([])
    expect(readFileSync(join(tree.state, 'logs', 'daemon.log'), 'utf8')).not.toContain(token)
    expect(await tree.shown('auth')).not.toContain(token)

    const tools = (await tree.events())
      .filter(({ type }) => type === 'agent.tool')
      .map(({ payload }) => payload)
    expect(tools).toContainEqual({
      name: 'auth',
      tool: 'file_pr',
      detail: expect.any(String),
      phase: 'started',
    })
    expect(tools).toContainEqual({
      name: 'auth',
      tool: 'file_pr',
      detail: expect.any(String),
      phase: 'ended',
      status: 'completed',
    })

    await tree.call('merge_pr', { pr_number: node.pr.number })
    expect(await tree.repository.git('show', 'main:a.txt')).toBe('hello')
    const attach = await tree.call('attach', { agent: 'auth' })
    expect([attach.multiplexer, attach.pane.startsWith('r-'), attach.argv.length > 1]).toEqual([
      'runner',
      true,
      true,
    ])
    expect((await tree.command(['tree'])).stdout).toContain('auth')
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
    writeFileSync(
      config,
      readFileSync(config, 'utf8').replace(
        '"--store"',
        `"--reactions", ${JSON.stringify(reactions)}, "--store"`,
      ),
    )
    await tree.worker('forgetful', 'save a.txt hello')
    await waitFor(
      'its pull request',
      async () => (await tree.agent('forgetful')).pr?.state === 'open',
    )
    await tree.becomes('forgetful', 'idle')
    expect(
      (await tree.events())
        .filter(({ type }) => type === 'stop.blocked')
        .map(({ payload }) => payload.objection),
    ).toEqual(['uncommitted', 'no_pull_request'])
  })

  it('is given a message once, when it is idle: at once, or after the turn that is under way', async () => {
    const gate = tree.gate('go')
    const { agent_id } = await tree.worker('listener', gate.wait, 'say first turn over')
    await tree.becomes('listener', 'running')
    await tree.call('send', { to: 'listener', message: tree.order('say read-in-between') })
    expect((await tree.agent('listener')).undelivered).toBe(1)
    writeFileSync(gate.file, '')
    await tree.shows('listener', 'read-in-between')
    await tree.becomes('listener', 'idle')
    await tree.call('send', { to: 'listener', message: tree.order('say read-while-idle') })
    await tree.shows('listener', 'read-while-idle')
    await waitFor('both to be confirmed', async () => (await lanes(tree, agent_id)).length === 2)
    await tree.becomes('listener', 'idle')
    // What waits when a turn ends is the reason to go on.
    expect(await lanes(tree, agent_id)).toEqual(['hook', 'acp'])
    // The disk may be behind what is shown.
    const output = await waitFor('the end of that turn on the disk', () => {
      const text = readFileSync(join(tree.state, 'outputs', `${agent_id}.log`), 'utf8')
      return /read-while-idle[^]*the turn ended/.test(text) && text
    })
    expect([count(output, 'say read-in-between'), count(output, 'say read-while-idle')]).toEqual([
      1, 1,
    ])
    expect(await tree.agent('listener')).toMatchObject({ undelivered: 0, undecided: 0 })
  })

  it('waits in a question until it is answered', async () => {
    await tree.worker(
      'asker',
      'call question {"message":"Tabs or spaces?"}',
      'say after the answer',
    )
    expect(await tree.becomes('asker', 'waiting')).toMatchObject({
      state_source: 'tool',
      open_questions: 1,
    })
    await tree.call('answer_question', { agent: 'asker', message: 'Spaces it is' })
    await tree.shows('asker', 'after the answer')
    await tree.becomes('asker', 'idle')
  })

  it('asks the human for permission, in the tree and the inbox, and goes on as they decide', async () => {
    await tree.worker('careful', 'ask make clean', 'ask make install', 'say all asked')
    const clean = await approvalOf(tree, 'make clean')
    expect(await tree.becomes('careful', 'waiting')).toMatchObject({
      state_source: 'hook',
      state_reason: expect.stringContaining('make clean'),
    })
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
      await waitFor('the person to see it', async () =>
        (await person.capture(0)).includes('working'),
      )
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
    const { agent_id } = await tree.worker(
      'leaver',
      'child sleep 1000',
      'term sleep 1000',
      'say left them',
      'hang',
    )
    await tree.shows('leaver', 'left them')
    expect(tree.processesOf(agent_id).length).toBeGreaterThanOrEqual(3)
    await tree.call('kill', { agent: 'leaver' })
    expect(tree.processesOf(agent_id)).toEqual([])
    expect((await tree.agent('leaver')).state).toBe('killed')
    expect(await tree.shown('leaver')).toContain('left them')
  })
})

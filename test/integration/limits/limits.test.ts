import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { newAgentId } from '../../../src/domain/ids.ts'
import { exec } from '../../../src/processes/exec.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { groupsOf, isGrouped, limitsIn, membersOf, probeLimits } from '../../helpers/limits.ts'
import { isAlive } from '../../helpers/processes.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const records = mkdtempSync(join(tmpdir(), 'exomonad-limits-'))
const found = await probeLimits(records).finally(() => rmSync(records, { recursive: true }))

/** Where it is held for each process by itself, agent CLIs need 1 GiB. */
const MEMORY = found.of.memory === undefined ? '1GiB' : '192MiB'
const TOO_MUCH = found.of.memory === undefined ? 2048 : 400

/** Processes that end by themselves, more than the limit has room for; what the shell says of it. */
const FORKS = `for i in $(seq 80); do sleep 2 >/dev/null 2>&1 & done`
/** Has so many MiB. */
const allocate = (mib: number): string =>
  `'${process.execPath}' -e 'const all = []; for (let i = 0; i < ${mib}; i += 16) all.push(Buffer.alloc(16 * 2 ** 20, 1))'`

const LIMITS = (limits: string): string => `
[roles.held]
agent = "scripted"
limits = { ${limits} }
tools = ["note", "file_pr", "spawn_workers", "spawn_background_task"]`

const start = async (limits: string): Promise<Exomonad> => {
  const tree = await startExomonad({ config: LIMITS(limits) })
  onTestFinished(() => tree.stop())
  return tree
}

const spawn = (tree: Exomonad, name: string, role = 'held'): Promise<any> =>
  tree.call('spawn', { kind: 'worker', specs: [{ name, prompt: 'Do it.', role }] })

const sh = (command: string) => ({ do: 'sh', command, allow_failure: true })

const messageOf = (tree: Exomonad, name: string, what: RegExp): Promise<Record<string, any>> =>
  tree.logged(name, String(what), ({ kind, text }) => kind === 'message' && what.test(text))

/** Of the only agent that is held. */
const onlyGroup = (tree: Exomonad): string => {
  const [groups] = groupsOf(tree.state)
  const path = groups?.processes
  if (path === undefined) throw new Error('nobody is held')
  return path
}

describe.skipIf(!isGrouped(found, 'processes'))('what holds one agent', () => {
  it('waits for its program, whoever else is let go of meanwhile', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'exomonad-limits-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const limits = limitsIn(folder)
    const bounds = { processes: { value: 20, key: 'limits' } }
    const [one, other] = [newAgentId(), newAgentId()]
    await limits.hold(one, bounds)
    const { argv } = await limits.hold(other, bounds)
    expect(await limits.release(one, { kill: false })).toBe(true)
    const run = await exec(argv[0] ?? '', [...argv.slice(1), 'echo', 'it runs'], {
      env: { PATH: process.env['PATH'] ?? '' },
    })
    expect(run).toMatchObject({ exitCode: 0, stdout: 'it runs\n' })
    expect(await limits.release(other, { kill: false })).toBe(true)
    expect(await limits.list()).toEqual([])
  })
})

describe.skipIf(!isGrouped(found, 'processes'))('agents that are held to limits', () => {
  let tree: Exomonad
  beforeAll(async () => {
    tree = await startExomonad({ config: LIMITS('processes = 48, cpu_weight = 40') })
  })
  afterAll(() => tree?.stop())

  it('are refused processes, with all that they start, and are told so once', async () => {
    tree.script('forks', { steps: [sh(FORKS)], on: [{ match: 'again', steps: [sh(FORKS)] }] })
    const { spawned } = await spawn(tree, 'forks')
    expect(spawned[0].warnings).toEqual([])
    await tree.logged(
      'forks',
      'its forks',
      (entry) => /fork/i.test(JSON.stringify(entry)) && entry['kind'] === 'sh',
    )
    await waitFor('the event', async () =>
      ((await tree.events()) as any[]).find(
        ({ type, payload }) => type === 'agent.limited' && payload.name === 'forks',
      ),
    )
    await tree.call('send', { to: 'forks', message: 'again' })
    const { text } = await messageOf(tree, 'forks', /TOO MANY PROCESSES/)
    expect(text).toContain('limit of 48 processes')
    expect(text).toContain('roles.held.limits.processes')
    const group = onlyGroup(tree)
    // What weighs less than others gets less beside them.
    const weight = groupsOf(tree.state)[0]?.cpu_weight
    if (weight !== undefined)
      expect([40, 410]).toContain(
        Number(
          readFileSync(
            join(weight, existsSync(join(weight, 'cpu.weight')) ? 'cpu.weight' : 'cpu.shares'),
            'utf8',
          ),
        ),
      )
    await tree.call('kill', { agent: 'forks' })
    expect(existsSync(group)).toBe(false)
    const limited = ((await tree.events()) as any[]).filter(({ type }) => type === 'agent.limited')
    expect(limited).toHaveLength(1)
  })

  it('are held on when the daemon was killed, and let go of when they end', async () => {
    tree.script('stays', {
      steps: [{ do: 'print', text: 'here' }],
      on: [{ match: 'go on', steps: [sh(FORKS)] }],
    })
    await spawn(tree, 'stays')
    const { pid } = await tree.logged('stays', 'its start', ({ kind }) => kind === 'ready')
    const group = onlyGroup(tree)
    expect(membersOf(group)).toContain(pid)
    await tree.crash()
    expect(membersOf(group)).toContain(pid)
    await tree.call('send', { to: 'stays', message: 'go on' })
    await waitFor('the event', async () =>
      ((await tree.events()) as any[]).find(
        ({ type, payload }) => type === 'agent.limited' && payload.name === 'stays',
      ),
    )
    await waitFor('its forks to end', () => membersOf(group).length < 10)
    // It ends while nobody looks.
    await tree.crash()
    process.kill(pid, 'SIGKILL')
    await waitFor('its end', () => membersOf(group).length === 0)
    await tree.call('tree')
    await waitFor('its group to go', () => !existsSync(group))
    await waitFor('it to be failed', async () => (await tree.agent('stays')).state === 'failed')
    await waitFor('the group of all to go', () => !existsSync(dirname(group)))
  })

  it('have their background tasks in their group, and nothing that hides outlives a kill', async () => {
    const hidden = `env -i PATH="$PATH" setsid sleep 600 >/dev/null 2>&1 </dev/null &`
    tree.script('hides', { steps: [sh(hidden)] })
    await spawn(tree, 'hides')
    await tree.logged('hides', 'its start', ({ kind }) => kind === 'stop')
    const group = onlyGroup(tree)
    const before = membersOf(group).length
    await tree.call('spawn_background_task', { command: 'sleep 600' }, { as: 'hides' })
    await waitFor('the task', () => membersOf(group).length > before)
    expect(groupsOf(tree.state)).toHaveLength(1)
    const all = membersOf(group)
    await tree.call('kill', { agent: 'hides' })
    expect(all.filter(isAlive)).toEqual([])
    expect(existsSync(group)).toBe(false)
  })

  it('leave nothing behind when exomonad is taken out', async () => {
    tree.script('last', { steps: [{ do: 'print', text: 'here' }] })
    await spawn(tree, 'last')
    await tree.logged('last', 'its start', ({ kind }) => kind === 'ready')
    const groups = Object.values(groupsOf(tree.state)[0] ?? {})
    const doctor = await tree.command(['doctor', '--json'])
    expect(doctor.json.findings).toContainEqual(
      expect.objectContaining({ subject: 'limit of processes', status: 'ok' }),
    )
    const out = await tree.command(['deinit', '--force'])
    expect(out, out.stderr).toMatchObject({ code: 0 })
    for (const group of groups) expect(existsSync(dirname(group))).toBe(false)
  })
})

describe.skipIf(!isGrouped(found, 'memory'))('a limit of memory', () => {
  it('ends what needs more, and the agent is woken to know it', async () => {
    const tree = await start(`memory = "${MEMORY}"`)
    tree.script('builds', {
      steps: [
        {
          do: 'sh',
          command: `${allocate(TOO_MUCH)} & wait $!; echo ended $?`,
          allow_failure: true,
        },
      ],
    })
    await spawn(tree, 'builds')
    await tree.logged('builds', 'its build', (entry) => JSON.stringify(entry).includes('ended 137'))
    const { text } = await messageOf(tree, 'builds', /OUT OF MEMORY/)
    expect(text).toContain(
      'Your memory limit of 192 MiB (roles.held.limits.memory) ended 1 of your processes',
    )
    expect((await tree.agent('builds')).state).not.toBe('failed')
  })

  it('is the reason of an end that it caused', async () => {
    const tree = await startExomonad({
      config: `${LIMITS(`memory = "${MEMORY}"`)}
[agents.big]
adapter = "command"
command = ["sh", "-c", ${JSON.stringify(`exec ${allocate(TOO_MUCH)}`)}]
[roles.big]
agent = "big"
limits = { memory = "${MEMORY}" }
tools = ["note"]`,
    })
    onTestFinished(() => tree.stop())
    await spawn(tree, 'big', 'big')
    const ended = await waitFor('its end', async () => {
      const agent = await tree.agent('big')
      return agent.state === 'failed' && agent
    })
    const reason = 'ended by its memory limit of 192 MiB (kernel OOM kill)'
    expect(JSON.stringify(ended)).toContain(reason)
    expect(JSON.stringify(ended)).toContain('roles.big.limits.memory')
    expect(JSON.stringify(await tree.call('inbox'))).toContain(reason)
    expect(JSON.stringify(await tree.events())).not.toContain('agent.limited')
  })
})

describe.skipIf(found.of.memory !== undefined || found.partly.memory === undefined)(
  'a limit of memory without a control group',
  () => {
    it('holds each process, says what it does not hold, and refuses what no agent starts with', async () => {
      const tree = await start(`memory = "${MEMORY}"`)
      tree.script('builds', { steps: [sh(`${allocate(TOO_MUCH)}; echo ended $?`)] })
      const { spawned } = await spawn(tree, 'builds')
      expect(JSON.stringify(spawned[0].warnings)).toContain(
        'The memory limit of 1 GiB (roles.held.limits.memory) is kept in part',
      )
      const entry = await tree.logged('builds', 'its build', ({ kind }) => kind === 'sh')
      expect(JSON.stringify(entry)).toMatch(/ended (?!0)\d+/)
      const refused = await startExomonad({ config: LIMITS('memory = "512MiB"') })
      onTestFinished(() => refused.stop())
      const { spawned: none, errors } = await spawn(refused, 'small')
      expect(none).toEqual([])
      expect(errors[0]).toMatchObject({ code: 'LIMITS_UNAVAILABLE' })
      expect(JSON.stringify(errors[0])).toContain('roles.held.limits.memory')
      expect(await refused.repository.git('branch', '--list', '*small*')).toBe('')
      expect(existsSync(join(refused.state, 'limits'))).toBe(false)
      const doctor = await refused.command(['doctor', '--json'])
      expect(doctor.json.findings).toContainEqual(
        expect.objectContaining({ subject: 'limit of memory', status: 'warning' }),
      )
    })
  },
)

it('hold set-up, teardown and checks of what agents wrote as they hold the agent, and nobody else', async () => {
  const tree = await start('memory = "1GiB", cpu_weight = 80')
  /** Writes which group it is in, how nice it is, and how much data it may have. */
  const held = (name: string): string =>
    `{ sed -e 's/[0-9a-f]\\{8\\}-[0-9a-f-]\\{27\\}/ID/; s/[0-9a-f]\\{32\\}/ID/; s/run-[^/]*\\.scope/SCOPE/' /proc/self/cgroup; nice; ulimit -d; } > "${tree.scripts}/${name}"`
  const quoted = (name: string): string => JSON.stringify(['sh', '-c', held(name)])
  const file = join(tree.repository.path, '.exomonad', 'config.toml')
  writeFileSync(
    file,
    `${readFileSync(file, 'utf8')}
[worktree]
setup = [${quoted('setup-$EXOMONAD_AGENT_NAME')}]
teardown = [${quoted('teardown')}]
[forge.local]
ci = ${quoted('check')}
`,
  )
  const read = (name: string): string => readFileSync(join(tree.scripts, name), 'utf8')
  tree.script('held', {
    steps: [
      sh(held('agent')),
      { do: 'write', path: 'a.txt', content: 'a' },
      { do: 'commit', message: 'A' },
      { do: 'tool', name: 'file_pr', input: { title: 'A', body: 'A' } },
      { do: 'exit', code: 0 },
    ],
  })
  await spawn(tree, 'held')
  await spawn(tree, 'free', 'dev')
  // What is nice comes last on a busy machine.
  const PATIENT = { limit: 80_000 }
  const pull = await waitFor(
    'the check',
    async () => {
      const [filed] = (await tree.call('pr_list')).pull_requests
      if (filed?.checks === 'passed') return filed
      throw new Error(`${JSON.stringify(filed)}, ${JSON.stringify(await tree.agent('held'))}`)
    },
    PATIENT,
  )
  await tree.call('merge_pr', { pr_number: pull.number })
  await waitFor('its end', async () => (await tree.agent('held')).state === 'completed', PATIENT)
  expect((await tree.call('clean', { agents: ['held'] })).removed).toHaveLength(1)
  for (const name of ['setup-held', 'check', 'teardown']) expect(read(name)).toBe(read('agent'))
  expect(read('setup-free')).not.toBe(read('agent'))
  // What held the check and the teardown is gone with them.
  await waitFor('all to be let go', () => groupsOf(tree.state).length === 0, PATIENT)
})

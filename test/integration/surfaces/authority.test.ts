import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ExomonadError } from '../../../src/domain/errors.ts'
import { createClient } from '../../../src/surfaces/client.ts'
import { requestOverSocket, readText } from '../../../src/surfaces/socket-http.ts'
import { ALL_TOOLS } from '../../../src/tools/all.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { connectMcp, type McpTestClient } from '../../helpers/mcp-clients.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * Who may do what: every tool, called by everybody there can be, of one agent (`target`). The tree:
 *
 *   root ─┬─ grand ─── boss ─┬─ target   the agent that is acted on
 *         │                  ├─ peer     another worker of the same lead
 *         │                  ├─ lead     a lead beside it
 *         │                  └─ auditor  a role of the user's own
 *         └─ other ─── cousin            a lead of another branch of the tree
 */
const CALLERS = [
  'human',
  'as-target',
  'as-parent',
  'parent',
  'grand',
  'lead',
  'cousin',
  'self',
  'peer',
  'auditor',
  'ended',
  'nobody',
] as const
type Caller = (typeof CALLERS)[number]

interface World {
  readonly tree: Exomonad
  readonly ids: Record<string, string>
  /**
   * Pull request of target, of boss (its base is protected), a background task of boss, and
   * target's question.
   */
  readonly pull: number
  readonly protectedPull: number
  readonly task: string
}
let world: World
const tokens: Partial<Record<Caller, string>> = {}
const WHO: Partial<Record<Caller, string>> = {
  parent: 'boss',
  grand: 'grand',
  lead: 'lead',
  cousin: 'cousin',
  self: 'target',
  peer: 'peer',
  auditor: 'auditor',
  ended: 'ended',
}

const tokenOf = (id: string): string =>
  readFileSync(join(world.tree.state, 'auth', id), 'utf8').trim()
const clientOf = (caller: Caller) => {
  if (caller === 'human') return world.tree.client()
  if (caller === 'as-target') return world.tree.client('target')
  if (caller === 'as-parent') return world.tree.client('boss')
  return createClient(accessOf(caller))
}
const accessOf = (caller: Caller): { socket: string; token: string } => {
  const { socket } = JSON.parse(
    readFileSync(join(world.tree.state, 'repository.json'), 'utf8'),
  ) as { socket: string }
  return { socket, token: caller === 'human' ? ownerToken() : (tokens[caller] ?? 'of-nobody') }
}

beforeAll(async () => {
  const tree = await startExomonad({
    topConfig: 'protected_branches = ["main.grand"]',
    config: '[roles.auditor]\nagent = "scripted"\ntools = ["note", "kill", "pr_diff", "send"]\n',
  })
  world = { tree, ids: {}, pull: 0, protectedPull: 0, task: '' }
  const filing = (name: string) => [
    { do: 'write', path: `${name}.txt`, content: `${name}\n` },
    { do: 'commit', message: `Add ${name}` },
    { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: 'As asked.' } },
  ]
  tree.script('target', { steps: filing('target') })
  tree.script('boss', { steps: filing('boss') })
  const ids: Record<string, string> = {}
  const pullOf = (agent: string) =>
    waitFor(
      `the pull request of ${agent}`,
      async () =>
        (await tree.call('pr_list')).pull_requests.find((pull: any) => pull.agent === agent)
          ?.number,
    )
  const lead = async (name: string, as?: string): Promise<void> => {
    ids[name] = (
      await tree.call(
        'spawn_subtree',
        { task: 'Lead', branch_name: name },
        as === undefined ? {} : { as },
      )
    ).agent_id
  }
  await lead('grand')
  await lead('other')
  await lead('boss', 'grand')
  const protectedPull = await pullOf('boss')
  await lead('cousin', 'other')
  await lead('lead', 'boss')
  const { spawned } = await tree.call(
    'spawn_workers',
    { specs: ['target', 'peer', 'ended'].map((name) => ({ name, prompt: 'Do it' })) },
    { as: 'boss' },
  )
  for (const agent of spawned) ids[agent.name] = agent.agent_id
  const audited = await tree.call(
    'spawn',
    { kind: 'worker', specs: [{ name: 'auditor', prompt: 'Look', role: 'auditor' }] },
    { as: 'boss' },
  )
  ids['auditor'] = audited.spawned[0].agent_id
  const task = (await tree.call('spawn_background_task', { command: 'cat' }, { as: 'boss' }))
    .agent_id
  world = { tree, ids, pull: await pullOf('target'), protectedPull, task }
  for (const [caller, name] of Object.entries(WHO))
    tokens[caller as Caller] = tokenOf(ids[name] ?? '')
  await tree.call('kill', { agent: 'ended' })
}, 120_000)
afterAll(() => world?.tree.stop())

/**
 * Input for each tool, by what it is allowed to do to others; after `/` what is special. Tools that
 * would change the world get what fails next.
 */
const INPUTS: Readonly<Record<string, (world: World) => unknown>> = {
  ack: () => ({ ids: ['nothing'] }),
  agent_diff: ({ ids }) => ({ agent: ids['target'] }),
  agent_mail: ({ ids }) => ({ agent: ids['target'] }),
  agent_result: ({ task }) => ({ agent_id: task }),
  agent_status: ({ ids }) => ({ agent_id: ids['target'] }),
  answer_question: ({ ids }) => ({
    agent: ids['target'],
    message: 'Blue.',
    question_id: 'nothing',
  }),
  approve: () => ({ approval_id: 'nothing' }),
  attach: ({ ids }) => ({ agent: ids['target'] }),
  attention: () => ({}),
  cancel: () => ({}),
  capture: () => ({ begin: false }),
  check_mail: () => ({ peek: true }),
  clean: () => ({ dry_run: true }),
  deny: () => ({ approval_id: 'nothing' }),
  down: () => ({ none: true }),
  fan_in: ({ ids }) => ({ from_agents: [ids['target']] }),
  file_pr: () => ({ title: '' }),
  fold: () => ({}),
  fold_log: ({ pull }) => ({ pr_number: pull }),
  fold_pause: () => ({}),
  fold_resume: () => ({}),
  fork: () => ({ name: '' }),
  fork_capture: () => ({ name: '' }),
  inbox: () => ({}),
  interrupt: ({ ids }) => ({ agent: ids['target'] }),
  kill: ({ ids }) => ({ agent: ids['victim'] }),
  kill_agent: ({ ids }) => ({ agent_id: ids['victim'] }),
  kill_agents: ({ ids }) => ({ agents: [ids['victim']] }),
  merge_pr: ({ pull }) => ({ pr_number: pull, head_sha: 'f'.repeat(40) }),
  'merge_pr/force': ({ pull }) => ({ pr_number: pull, head_sha: 'f'.repeat(40), force: true }),
  'merge_pr/protected': ({ protectedPull }) => ({
    pr_number: protectedPull,
    head_sha: 'f'.repeat(40),
  }),
  move_root: () => ({}),
  note: () => ({ message: 'A note.' }),
  notify_test: () => ({}),
  pr_checks: ({ pull }) => ({ pr_number: pull }),
  'pr_checks/rerun': ({ pull }) => ({ pr_number: pull, rerun: true }),
  pr_commits: ({ pull }) => ({ pr_number: pull }),
  pr_diff: ({ pull }) => ({ pr_number: pull }),
  pr_list: () => ({}),
  pr_review: ({ pull }) => ({ pr_number: pull, verdict: 'comment', body: 'Seen.' }),
  'pr_review/approve': ({ pull }) => ({ pr_number: pull, verdict: 'approve' }),
  // Of boss’s own pull request.
  'pr_review/own': ({ protectedPull }) => ({ pr_number: protectedPull, verdict: 'approve' }),
  // What lets it pass finds no such comment.
  'pr_review/reply': ({ pull }) => ({
    pr_number: pull,
    replies: [{ comment_id: 'nothing', body: 'Done.', resolve: true }],
  }),
  pr_show: ({ pull }) => ({ pr_number: pull }),
  question: () => ({ message: 'Which?', timeout: 0 }),
  radar: () => ({}),
  read_message: () => ({ id: 'm-000000000000' }),
  reap: () => ({}),
  resume: ({ ids }) => ({ agent: ids['target'] }),
  screen: ({ ids }) => ({ agent: ids['target'] }),
  scrollback: ({ ids }) => ({ agent: ids['target'] }),
  send: ({ ids }) => ({ to: ids['target'], message: 'A word.' }),
  send_raw: ({ ids }) => ({ to: ids['target'], message: 'A word.' }),
  spawn: () => ({ kind: 'worker', specs: [] }),
  spawn_agents: () => ({ specs: [] }),
  spawn_background_task: () => ({ command: '' }),
  spawn_choices: () => ({}),
  spawn_gemini_teammate: () => ({ name: '', prompt: '' }),
  spawn_llm_session: () => ({ goal: '' }),
  spawn_subtree: () => ({ task: '', branch_name: '' }),
  spawn_workers: () => ({ specs: [] }),
  subagent_delegate: () => ({ task: '' }),
  subagent_spawn: () => ({ task: '' }),
  tear_down: () => ({ worktrees: [] }),
  tree: () => ({}),
  tree_changes: () => ({}),
  up: () => ({ agent: 'nothing' }),
  usage: () => ({}),
  wait: () => ({ timeout: 0 }),
  web: () => ({}),
  write_stdin: ({ task }) => ({ agent_id: task, data: 'x' }),
}

/**
 * What a cell of the table stands for. All but `ok` are the code of the error; those of a later
 * step than authority show that this one let it pass.
 */
const MEANS: Readonly<Record<string, string>> = {
  ok: 'ok',
  '–': 'NOT_ALLOWED',
  'not-below': 'NOT_A_CHILD',
  unknown: 'UNAUTHORIZED',
  invalid: 'INVALID_ARG',
  moved: 'HEAD_CHANGED',
  running: 'RESULT_NOT_READY',
  unasked: 'NO_PENDING_QUESTION',
  'no-cli': 'AGENT_CLI_MISSING',
  'no-target': 'NOT_AVAILABLE',
}
const TABLE = `
tool                  human      as-target  as-parent  parent     grand      lead       cousin     self       peer       auditor    ended      nobody
ack                   ok         ok         ok         ok         ok         ok         ok         ok         ok         ok         –          unknown
agent_diff            ok         –          –          –          –          –          –          –          –          –          –          unknown
agent_mail            ok         –          –          –          –          –          –          –          –          –          –          unknown
agent_result          running    –          running    running    running    not-below  not-below  –          –          –          –          unknown
agent_status          ok         ok         ok         ok         ok         ok         ok         ok         ok         –          –          unknown
answer_question       unasked    –          unasked    unasked    unasked    not-below  not-below  –          –          –          –          unknown
approve               invalid    –          –          –          –          –          –          –          –          –          –          unknown
attach                ok         –          –          –          –          –          –          –          –          –          –          unknown
attention             ok         –          –          –          –          –          –          –          –          –          –          unknown
cancel                invalid    invalid    invalid    –          –          –          –          –          –          –          –          unknown
capture               invalid    invalid    invalid    –          –          –          –          –          –          –          –          unknown
check_mail            ok         ok         ok         ok         ok         ok         ok         ok         ok         –          –          unknown
clean                 ok         –          –          –          –          –          –          –          –          –          –          unknown
deny                  invalid    –          –          –          –          –          –          –          –          –          –          unknown
down                  invalid    –          –          –          –          –          –          –          –          –          –          unknown
fan_in                ok         invalid    ok         ok         ok         ok         ok         invalid    ok         –          –          unknown
file_pr               invalid    invalid    invalid    invalid    invalid    invalid    invalid    invalid    invalid    –          –          unknown
fold                  ok         ok         ok         ok         ok         ok         ok         ok         ok         –          –          unknown
fold_log              invalid    invalid    invalid    invalid    invalid    invalid    invalid    invalid    invalid    –          –          unknown
fold_pause            ok         –          –          –          –          –          –          –          –          –          –          unknown
fold_resume           ok         –          –          –          –          –          –          –          –          –          –          unknown
fork                  invalid    invalid    invalid    invalid    invalid    invalid    invalid    –          –          –          –          unknown
fork_capture          invalid    invalid    invalid    –          –          –          –          –          –          –          –          unknown
inbox                 ok         –          –          –          –          –          –          –          –          –          –          unknown
interrupt             ok         –          ok         ok         ok         not-below  not-below  –          –          –          –          unknown
kill                  ok         –          ok         ok         ok         not-below  not-below  –          –          not-below  –          unknown
kill_agent            ok         –          ok         ok         ok         not-below  not-below  –          –          –          –          unknown
kill_agents           ok         –          ok         ok         ok         not-below  not-below  –          –          –          –          unknown
merge_pr              moved      –          moved      moved      not-below  not-below  not-below  –          –          –          –          unknown
merge_pr/force        moved      –          –          –          –          –          –          –          –          –          –          unknown
merge_pr/protected    moved      –          not-below  not-below  –          not-below  not-below  –          –          –          –          unknown
move_root             ok         –          –          –          –          –          –          –          –          –          –          unknown
note                  ok         ok         ok         ok         ok         ok         ok         ok         ok         ok         –          unknown
notify_test           no-target  –          –          –          –          –          –          –          –          –          –          unknown
pr_checks             ok         ok         ok         ok         ok         ok         ok         ok         ok         –          –          unknown
pr_checks/rerun       invalid    –          invalid    invalid    invalid    not-below  not-below  –          –          –          –          unknown
pr_commits            ok         ok         ok         ok         ok         ok         ok         ok         ok         –          –          unknown
pr_diff               ok         –          ok         ok         ok         ok         ok         –          –          ok         –          unknown
pr_list               ok         ok         ok         ok         ok         ok         ok         ok         ok         –          –          unknown
pr_review             ok         ok         ok         ok         ok         not-below  not-below  ok         –          –          –          unknown
pr_review/approve     ok         –          ok         ok         ok         not-below  not-below  –          –          –          –          unknown
pr_review/own         ok         –          –          –          ok         not-below  not-below  –          –          –          –          unknown
pr_review/reply       invalid    invalid    invalid    invalid    invalid    not-below  not-below  invalid    –          –          –          unknown
pr_show               ok         ok         ok         ok         ok         ok         ok         ok         ok         –          –          unknown
question              ok         ok         ok         ok         ok         ok         ok         ok         ok         –          –          unknown
radar                 ok         ok         ok         ok         ok         ok         ok         ok         ok         –          –          unknown
read_message          invalid    invalid    invalid    invalid    invalid    invalid    invalid    invalid    invalid    invalid    –          unknown
reap                  ok         ok         ok         –          –          –          –          –          –          –          –          unknown
resume                invalid    –          –          –          –          –          –          –          –          –          –          unknown
screen                ok         –          –          –          –          –          –          –          –          –          –          unknown
scrollback            ok         ok         ok         –          –          –          –          –          –          –          –          unknown
send                  ok         invalid    ok         ok         ok         ok         ok         invalid    ok         ok         –          unknown
send_raw              ok         –          –          –          –          –          –          –          –          –          –          unknown
spawn                 invalid    –          invalid    invalid    invalid    invalid    invalid    –          –          –          –          unknown
spawn_agents          invalid    –          invalid    invalid    invalid    invalid    invalid    –          –          –          –          unknown
spawn_background_task invalid    –          invalid    invalid    invalid    invalid    invalid    –          –          –          –          unknown
spawn_choices         ok         –          –          –          –          –          –          –          –          –          –          unknown
spawn_gemini_teammate invalid    –          invalid    invalid    invalid    invalid    invalid    –          –          –          –          unknown
spawn_llm_session     invalid    –          invalid    invalid    invalid    invalid    invalid    –          –          –          –          unknown
spawn_subtree         invalid    –          invalid    invalid    invalid    invalid    invalid    –          –          –          –          unknown
spawn_workers         invalid    –          invalid    invalid    invalid    invalid    invalid    –          –          –          –          unknown
subagent_delegate     invalid    –          invalid    invalid    invalid    invalid    invalid    –          –          –          –          unknown
subagent_spawn        invalid    –          invalid    invalid    invalid    invalid    invalid    –          –          –          –          unknown
tear_down             ok         –          –          –          –          –          –          –          –          –          –          unknown
tree                  ok         ok         ok         ok         ok         ok         ok         ok         ok         –          –          unknown
tree_changes          ok         –          –          –          –          –          –          –          –          –          –          unknown
up                    no-cli     –          –          –          –          –          –          –          –          –          –          unknown
usage                 ok         –          –          –          –          –          –          –          –          –          –          unknown
wait                  ok         ok         ok         ok         ok         ok         ok         ok         ok         –          –          unknown
web                   ok         –          –          –          –          –          –          –          –          –          –          unknown
write_stdin           ok         –          ok         ok         ok         not-below  not-below  –          –          –          –          unknown
`
const [head = '', ...lines] = TABLE.trim().split('\n')
const EXPECTED = new Map(
  lines.map((line) => {
    const [row = '', ...cells] = line.split(/ +/)
    return [row, new Map(CALLERS.map((caller, index) => [caller, MEANS[cells[index] ?? '']]))]
  }),
)

const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) => (error instanceof ExomonadError ? error.code : String(error)),
  )

let victims = 0
/** Whom the next call may kill, in target’s place. */
async function hireVictim(): Promise<void> {
  const alive = await world.tree.agent(`victim-${String(victims)}`)
  if (alive === undefined || alive.state === 'killed') {
    const name = `victim-${String(++victims)}`
    const { spawned } = await world.tree.call(
      'spawn_workers',
      { specs: [{ name, prompt: 'Wait' }] },
      { as: 'boss' },
    )
    world.ids['victim'] = spawned[0].agent_id
  }
  tokens.self = tokenOf(world.ids['victim'] ?? '')
}

/**
 * What each of them gets for one row: what the least may do first, so that nothing of the mighty
 * stands in their way.
 */
async function play(
  row: string,
  callers: readonly Caller[],
  call: (caller: Caller, tool: string, input: unknown) => Promise<string>,
) {
  const seen = new Map<Caller, string>()
  for (const caller of callers.toReversed()) {
    if (row.startsWith('kill')) await hireVictim()
    seen.set(caller, await call(caller, row.split('/')[0] ?? '', INPUTS[row]?.(world)))
    if (row.startsWith('kill')) tokens.self = tokenOf(world.ids['target'] ?? '')
  }
  return callers.map((caller) => `${caller}: ${seen.get(caller) ?? ''}`)
}
const expected = (row: string, callers: readonly Caller[]) =>
  callers.map((caller) => `${caller}: ${EXPECTED.get(row)?.get(caller) ?? ''}`)

describe('who may call a tool', () => {
  it('the table has every tool, every caller, and a known word in every cell', () => {
    expect([...new Set(lines.map((line) => line.split(/[ /]/)[0]))]).toEqual(
      ALL_TOOLS.map(({ name }) => name),
    )
    expect(head.split(/ +/)).toEqual(['tool', ...CALLERS])
    expect(Object.keys(INPUTS)).toEqual([...EXPECTED.keys()])
    for (const line of lines)
      expect(
        line
          .split(/ +/)
          .slice(1)
          .map((cell) => cell in MEANS),
        line,
      ).toEqual(CALLERS.map(() => true))
  })

  it.each(Object.keys(INPUTS))('%s', async (row) => {
    const seen = await play(row, CALLERS, (caller, tool, input) =>
      outcome(clientOf(caller).callTool(tool, input)),
    )
    expect(seen).toEqual(expected(row, CALLERS))
  })
})

/**
 * Over MCP an agent gets what it gets over HTTP; a token of nobody’s, of one that ended or of the
 * owner opens no connection there.
 */
const SPEAK: readonly Caller[] = ['parent', 'grand', 'lead', 'cousin', 'self', 'peer', 'auditor']
describe.each(['http', 'stdio'] as const)('who may call a tool over MCP by %s', (transport) => {
  const clients = new Map<Caller, McpTestClient>()
  const open = async (caller: Caller): Promise<McpTestClient> => {
    const { mcp } = await world.tree.client().get<{ mcp: string }>('/healthz')
    return connectMcp('v2', transport, {
      url: mcp,
      ...accessOf(caller),
      cwd: world.tree.repository.path,
    })
  }
  beforeAll(async () => {
    for (const caller of SPEAK) clients.set(caller, await open(caller))
  })
  afterAll(async () => {
    for (const client of clients.values()) await client.close()
  })

  // What takes a victim each time, or a call’s whole time limit, is the same code behind the same
  // door.
  it.each(Object.keys(INPUTS).filter((row) => !row.startsWith('kill')))('%s', async (row) => {
    const seen = await play(row, SPEAK, async (caller, tool, input) => {
      const result = await clients.get(caller)?.call(tool, input as Record<string, unknown>)
      return result?.isError === true
        ? (JSON.parse(result.content[0]?.text ?? 'null').code as string)
        : 'ok'
    })
    expect(seen).toEqual(expected(row, SPEAK))
  })

  it.each(['human', 'ended', 'nobody'] as const)(
    'nothing is open to the token of %s',
    async (caller) => {
      const refused = await open(caller).then(
        async (client) => {
          const tools = await client.list().then(
            (list) => list.map(({ name }) => name),
            () => [],
          )
          await client.close()
          return tools
        },
        () => [],
      )
      // The owner’s program speaks as the root’s agent where it runs \`exomonad mcp\` itself: never
      // as the human.
      if (caller === 'human' && transport === 'stdio') expect(refused).not.toContain('approve')
      else expect(refused).toEqual([])
    },
  )
})

const ownerToken = (): string => {
  const folder = join(world.tree.repository.env['XDG_STATE_HOME'] ?? '', 'exomonad')
  const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.token'))
  return readFileSync(join(folder, file), 'utf8').trim()
}

describe('a question that is open', () => {
  it('is answered by nobody who is not above the one who asks, and stays open until one who is does', async () => {
    const { spawned } = await world.tree.call(
      'spawn_workers',
      { specs: [{ name: 'asker', prompt: 'Ask' }] },
      { as: 'boss' },
    )
    const [{ agent_id: asker }] = spawned
    const own = createClient({ ...accessOf('self'), token: tokenOf(asker) })
    const asked = own.call('question', {
      message: 'Red or blue?',
      timeout: 60,
    })
    await waitFor('the question', async () =>
      (await world.tree.events()).some(
        ({ type, agentId }) => type === 'question.asked' && agentId === asker,
      ),
    )
    const red = { agent: asker, message: 'Red.' }
    expect(await outcome(own.callTool('answer_question', red))).toBe('NOT_ALLOWED')
    expect(await outcome(world.tree.client('asker').callTool('answer_question', red))).toBe(
      'NOT_ALLOWED',
    )
    for (const caller of [
      'nobody',
      'ended',
      'auditor',
      'peer',
      'self',
      'cousin',
      'lead',
    ] as const) {
      expect([caller, await outcome(clientOf(caller).callTool('answer_question', red))]).toEqual([
        caller,
        EXPECTED.get('answer_question')?.get(caller),
      ])
    }
    expect(
      await clientOf('parent').callTool('answer_question', { agent: asker, message: 'Blue.' }),
    ).toMatchObject({ status: 'delivered' })
    expect(await asked).toMatchObject({ answer: 'Blue.' })
  })
})

describe('what is no tool', () => {
  const ask = async (
    method: 'GET' | 'POST',
    path: string,
    caller: Caller,
    headers: Record<string, string> = {},
  ): Promise<string> => {
    const { socket, token } = accessOf(caller)
    const response = await requestOverSocket({
      socket,
      method,
      path,
      headers: { ...(caller === 'nobody' ? {} : { authorization: `Bearer ${token}` }), ...headers },
      ...(method === 'POST' ? { body: '{}' } : {}),
    })
    const text = await readText(response)
    return response.status < 400
      ? 'ok'
      : ((JSON.parse(text) as { code: string }).code ?? String(response.status))
  }
  const ROUTES = `
route                                        human   parent  grand   lead      cousin    self    peer      auditor   ended nobody
GET_/healthz                                 ok      ok      ok      ok        ok        ok      ok        ok        ok    ok
GET_/openapi.json                            ok      ok      ok      ok        ok        ok      ok        ok        –     unknown
GET_/v1/tools                                ok      ok      ok      ok        ok        ok      ok        ok        –     unknown
GET_/v1/tree                                 ok      ok      ok      ok        ok        ok      ok        ok        –     unknown
GET_/v1/tree/changes                         ok      –       –       –         –         –       –         –         –     unknown
GET_/v1/events?follow=false                  ok      ok      ok      ok        ok        ok      ok        ok        –     unknown
GET_/v1/events?follow=false&agent=target     ok      ok      ok      not-below not-below ok      not-below not-below –     unknown
POST_/v1/hooks/session-start                 ok      ok      ok      ok        ok        ok      ok        ok        –     unknown
POST_/v1/hooks/prompt                        ok      ok      ok      ok        ok        ok      ok        ok        –     unknown
POST_/v1/hooks/tool                          ok      ok      ok      ok        ok        ok      ok        ok        –     unknown
POST_/v1/hooks/waiting                       ok      ok      ok      ok        ok        ok      ok        ok        –     unknown
POST_/v1/hooks/stop                          ok      ok      ok      ok        ok        ok      ok        ok        –     unknown
POST_/v1/hooks/session-end                   ok      ok      ok      ok        ok        ok      ok        ok        –     unknown
POST_/v1/hooks/program/Stop                  ok      ok      ok      ok        ok        ok      ok        ok        –     unknown
POST_/v1/tools/nothing                       invalid invalid invalid invalid   invalid   invalid invalid   invalid   –     unknown
`
  const [callers = '', ...routes] = ROUTES.trim().split('\n')
  it.each(routes.map((line) => line.split(/ +/)))('%s', async (route, ...cells) => {
    const [method, path] = route.split('_') as ['GET' | 'POST', string]
    const who = callers.split(/ +/).slice(1) as Caller[]
    const seen: string[] = []
    for (const caller of who) seen.push(`${caller}: ${await ask(method, path, caller)}`)
    expect(seen).toEqual(
      who.map((caller, index) => `${caller}: ${MEANS[cells[index] ?? ''] ?? ''}`),
    )
  })

  it('that is all there is', async () => {
    const { paths } = await world.tree
      .client()
      .get<{ paths: Record<string, Record<string, unknown>> }>('/openapi.json')
    const there = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()}_${path}`),
    )
    const others = there
      .filter((route) => !route.startsWith('POST_/v1/tools/'))
      .map((route) => route.replace('{event}', 'Stop'))
    const tested = new Set(routes.map((line) => line.split(/[ ?]/)[0]))
    expect(others.filter((route) => !tested.has(route))).toEqual([])
  })

  it('an agent acts for nobody else, and sees no events but its own and those below it', async () => {
    for (const caller of ['parent', 'self', 'auditor'] as const) {
      expect(await ask('GET', '/v1/tree', caller, { 'x-exomonad-as': 'root' })).toBe('NOT_ALLOWED')
    }
    const about = new Set<string | null>()
    for await (const event of clientOf('parent').events({ follow: false })) about.add(event.agentId)
    expect(about).toContain(world.ids['target'])
    for (const name of ['other', 'cousin', 'grand']) expect(about).not.toContain(world.ids[name])
    expect(about).not.toContain(null)
  })
})

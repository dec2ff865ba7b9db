import { describe, expect, it } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import { attentionOf, checkAttention } from '../../../src/delivery/attention.ts'
import { batchedUntil } from '../../../src/delivery/outbox-batching.ts'
import { composeMessage, MEANT_FOR, type Waiting } from '../../../src/delivery/outbox-message.ts'
import { route, type RoutingAgent, type RoutableEvent } from '../../../src/delivery/router.ts'
import type { AgentId, BranchName, DeliveryId } from '../../../src/domain/ids.ts'

const agent = (
  name: string,
  parent: string | null,
  role: string,
): readonly [AgentId, RoutingAgent] => [
  name as AgentId,
  {
    id: name as AgentId,
    role,
    parentId: parent as AgentId | null,
    branch: name as BranchName,
    baseBranch: parent as BranchName | null,
    state: 'idle',
    reachable: true,
  },
]
const tree = new Map([
  agent('main', null, 'root'),
  agent('main.auth', 'main', 'tl'),
  agent('main.auth.login', 'main.auth', 'dev'),
])
const about = (type: string, of = 'main.auth.login', more = {}): RoutableEvent => ({
  type,
  agentId: of as AgentId,
  actor: 'daemon',
  payload: {},
  ...more,
})

describe('[attention]', () => {
  const reachOf = (config: object, event: RoutableEvent): string | undefined =>
    route(event, tree, { policy: attentionOf(configSchema.parse(config).attention) })[0]?.reach

  it('leaves an event as it is defined, until it says otherwise: for all, or for the role of who gets it', () => {
    expect(reachOf({}, about('agent.idle'))).toBe('wake')
    const quiet = { attention: { events: { 'agent.idle': 'log' } } }
    expect(reachOf(quiet, about('agent.idle'))).toBe('log')
    const loud = {
      attention: {
        events: { 'agent.idle': 'log' },
        roles: { tl: { 'agent.idle': 'carry' }, dev: { 'agent.idle': 'wake' } },
      },
    }
    expect(reachOf(loud, about('agent.idle'))).toBe('carry')
    expect(reachOf(loud, about('agent.idle', 'main.auth'))).toBe('log')
  })

  it('leaves what somebody wrote to nobody’s log, and a person’s inbox as it is', () => {
    const silent = { attention: { events: { note: 'log', 'agent.failed': 'log' } } }
    expect(reachOf(silent, about('note'))).toBe('carry')
    expect(
      route(about('agent.failed'), tree, {
        policy: attentionOf(configSchema.parse(silent).attention),
      }),
    ).toEqual([
      {
        to: 'main.auth',
        type: 'agent.failed',
        reach: 'log',
        why: 'it is only logged for its role',
      },
      { to: 'human', type: 'agent.failed', reach: 'wake' },
    ])
  })

  it('is checked for events that reach nobody, with the one that may be meant', () => {
    const { attention } = configSchema.parse({
      attention: {
        events: { 'pr.opend': 'wake', 'pr.ready': 'wake' },
        roles: { tl: { 'agent.started': 'wake' } },
      },
    })
    expect(checkAttention(attention)).toEqual([
      {
        key: 'attention.events."pr.opend"',
        line: null,
        problem: 'no event of this name reaches anybody; did you mean "pr.opened"?',
      },
      {
        key: 'attention.roles.tl."agent.started"',
        line: null,
        problem: expect.stringContaining('no event of this name reaches anybody'),
      },
    ])
  })

  it('keeps in the log why somebody was not notified', () => {
    expect(route(about('agent.killed', 'main.auth.login', { actor: 'main.auth' }), tree)).toEqual([
      { to: 'main.auth', type: 'agent.killed', reach: 'log', why: 'it did so itself' },
    ])
  })
})

const waiting = (id: string, more: Partial<Waiting> = {}): Waiting => ({
  id: id as DeliveryId,
  kind: 'pr.ready',
  text: `[X] ${id}`,
  why: null,
  eventSeq: 7,
  reach: 'wake',
  ...more,
})
const compose = (all: readonly Waiting[], maxChars = 16_000) =>
  composeMessage(all, { maxChars, acks: true, inert: (text) => text })

describe('what is carried along', () => {
  const carried = (id: string, text = `[MERGED] ${id}\nwith more`): Waiting =>
    waiting(id, { kind: 'pr.merged', reach: 'carry', text })

  it('comes last in the message, a line each, confirmed with it', () => {
    const { ids, text } = compose([carried('m-1'), waiting('m-2'), carried('m-3')])
    expect(text).toBe(
      '[X] m-2\n\nBesides, with nothing to do for it:\n- [MERGED] m-1\n- [MERGED] m-3\n[m-2 m-1 m-3]',
    )
    expect(ids).toEqual(['m-2', 'm-1', 'm-3'])
  })

  it('shows the ten newest, and how many more there are and where', () => {
    const many = Array.from({ length: 13 }, (_, index) => carried(`m-${String(index)}`))
    const { ids, text } = compose([waiting('w'), ...many])
    expect(ids).toHaveLength(14)
    const lines = text.split('\n').filter((line) => line.startsWith('- '))
    expect(lines[0]).toBe('- 3 older: `exomonad events --json`')
    expect(lines.slice(1)).toEqual(many.slice(3).map(({ id }) => `- [MERGED] ${id}`))
  })

  it('keeps whole what somebody wrote, and whom it was meant for', () => {
    const note = waiting('m-1', { kind: 'note', reach: 'carry', text: '[NOTE] a: one\ntwo' })
    const stray = { ...carried('m-2', '[MERGED] #1'), why: `${MEANT_FOR}auth, which has ended` }
    expect(compose([stray, note]).text).toBe(
      '[NOTE] a: one\ntwo\n\nBesides, with nothing to do for it:\n- [MERGED] #1 (meant for auth, which has ended)\n[m-1 m-2]',
    )
    // However many they are.
    const notes = Array.from({ length: 12 }, (_, index) =>
      waiting(`n-${String(index)}`, {
        kind: 'note',
        reach: 'carry',
        text: `[NOTE] ${String(index)}`,
      }),
    )
    for (const { text } of notes) expect(compose(notes).text).toContain(text)
  })

  it('shows as many of the newest as there is room for, where it is alone too', () => {
    const many = Array.from({ length: 8 }, (_, index) => carried(`m-${String(index)}`))
    const { ids, text } = compose(many, 170)
    expect(ids).toHaveLength(8)
    expect(text.length).toBeLessThanOrEqual(170)
    expect(text).toMatch(/older: `exomonad events --json`\n[^]*- \[MERGED\] m-7\n/)
  })

  it('waits for the next message where it has no room', () => {
    const { ids } = compose([waiting('m-1', { text: 'x'.repeat(900) }), carried('m-2')], 950)
    expect(ids).toEqual(['m-1'])
    // Neither does it pass what wakes and waits too.
    const two = compose(
      [
        waiting('m-1', { text: 'x'.repeat(900) }),
        waiting('m-2', { text: 'y'.repeat(90) }),
        carried('m-3', '[MERGED] a'),
      ],
      980,
    )
    expect(two.ids).toEqual(['m-1'])
  })
})

describe('batchedUntil', () => {
  const at = (createdAt: number, kind = 'pr.ready', reach: Waiting['reach'] = 'wake') => ({
    createdAt,
    kind,
    reach,
  })

  it('counts from the first of what wakes, and keeps nobody waiting who wrote', () => {
    const until = (queued: readonly ReturnType<typeof at>[], now = 9000) =>
      batchedUntil(queued, { now, within: 2000 })
    expect(until([at(5000), at(4000), at(100, 'pr.merged', 'carry')])).toBe(6000)
    expect(until([at(5000), at(5000, 'message')])).toBe(0)
    expect(until([at(5000), at(5000, 'message.raw')])).toBe(0)
    expect(until([at(5000), at(5000, 'question.answered', 'carry')])).toBe(7000)
    // The clock was set back after it came.
    expect(until([at(5000)], 1000)).toBe(3000)
  })
})

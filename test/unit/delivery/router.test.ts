import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentState } from '../../../src/domain/records.ts'
import { baseMergers } from '../../../src/domain/base-owner.ts'
import { definitionOf, EVENTS, type EventType } from '../../../src/events/event.ts'
import { sampleOfEvent } from '../../../src/delivery/render/check-templates.ts'
import {
  isDead,
  route,
  ROUTED_TYPES,
  type AttentionPolicy,
  type RoutableEvent,
  type RoutingAgent,
  type RoutingTree,
} from '../../../src/delivery/router.ts'
import type { Actor, AgentId, BranchName } from '../../../src/domain/ids.ts'
import { verifies } from '../../requirements.ts'

const id = (name: string): AgentId => name as AgentId
const agent = (
  name: string,
  parent: string | null,
  more: Partial<RoutingAgent> = {},
): RoutingAgent => ({
  id: id(name),
  role: 'dev',
  parentId: parent === null ? null : id(parent),
  branch: name as BranchName,
  baseBranch: parent as BranchName | null,
  state: 'idle',
  reachable: true,
  ...more,
})
const treeOf = (...agents: RoutingAgent[]): RoutingTree =>
  new Map(agents.map((one) => [one.id, one]))
const event = (
  type: EventType,
  about: string | null,
  payload: Record<string, unknown> = {},
  actor: Actor = 'daemon',
): RoutableEvent => ({
  type,
  agentId: about === null ? null : id(about),
  actor,
  payload,
})
const recipients = (of: RoutableEvent, tree: RoutingTree): string[] =>
  route(of, tree)
    .filter(({ reach }) => reach !== 'log')
    .map(({ to }) => to)

const family = treeOf(
  agent('main', null),
  agent('main.auth', 'main'),
  agent('main.auth.login', 'main.auth'),
)

describe('route', () => {
  it(
    verifies(
      'R004-05',
      'sends a child’s lifecycle to the parent recorded at its spawn, whatever its branch is called',
    ),
    () => {
      const tree = treeOf(
        agent('main', null),
        agent('lead', 'main'),
        agent('main.elsewhere', 'lead'),
      )
      for (const type of [
        'agent.idle',
        'agent.completed',
        'agent.killed',
        'agent.silent',
      ] as const) {
        expect(recipients(event(type, 'main.elsewhere'), tree)).toEqual(['lead'])
      }
    },
  )

  it('wakes nobody with news that needs nothing', () => {
    expect(route(event('pr.opened', 'main.auth.login'), family)).toEqual([
      { to: 'main.auth', type: 'pr.opened', reach: 'carry' },
    ])
    for (const type of [
      'agent.started',
      'ci.pending',
      'ci.passed',
      'pr.conflict_cleared',
      'landing.queued',
      'base.green',
    ] as const) {
      expect(recipients(event(type, 'main.auth.login'), family), type).toEqual([])
    }
    const tree = treeOf(
      agent('main', null),
      agent('main.filed', 'main', { filed: true }),
      agent('main.open', 'main'),
    )
    expect(recipients(event('agent.idle', 'main.filed'), tree)).toEqual([])
    expect(recipients(event('agent.idle', 'main.open'), tree)).toEqual(['main'])
    // Nobody is notified of the merge that they made.
    expect(recipients(event('pr.merged', 'main.auth.login', {}, id('main.auth')), family)).toEqual([
      'main.auth.login',
    ])
    expect(recipients(event('pr.merged', 'main.auth.login', {}, 'human'), family)).toEqual([
      'main.auth.login',
      'main.auth',
    ])
  })

  it('carries a merge to those at work whose own goes into the same base, and never wakes them', () => {
    const beside = treeOf(
      agent('main', null),
      agent('main.a', 'main'),
      agent('main.b', 'main'),
      agent('main.b.c', 'main.b'),
      agent('main.done', 'main', { folded: true }),
      agent('main.over', 'main', { state: 'killed' }),
      { ...agent('fork', 'main.b'), branch: null, baseBranch: 'main' as BranchName },
    )
    const merged = event('pr.merged', 'main.a', { head: 'main.a', base: 'main' }, 'human')
    const toSiblings = (policy?: AttentionPolicy) =>
      route(merged, beside, { policy }).filter(({ aside }) => aside)
    expect(toSiblings()).toEqual([{ to: 'main.b', type: 'pr.merged', reach: 'carry', aside: true }])
    expect(toSiblings(() => 'wake')).toEqual(toSiblings())
    expect(toSiblings(() => 'log')).toMatchObject([{ reach: 'log' }])
    // Whose branch it is is no matter; what the base lacks here nobody is behind of yet.
    const stranger = event('pr.merged', null, { head: 'theirs', base: 'main' })
    expect(recipients(stranger, beside)).toEqual(['main', 'main.a', 'main.b'])
    expect(
      recipients({ ...stranger, payload: { ...stranger.payload, local_error: 'dirty' } }, beside),
    ).toEqual(['main'])
    expect(recipients({ ...merged, actor: id('main.b') }, beside)).toEqual(['main.a', 'main'])
  })

  it('reports a merge by somebody else also to those who were refused the same, each once (20.3)', () => {
    const merged = (...tried: string[]) =>
      recipients(event('pr.merged', 'main.auth.login', { tried_by: tried }, 'forge:jane'), family)
    expect(merged(id('main'), id('main.auth'))).toEqual(['main.auth.login', 'main.auth', 'main'])
    expect(merged('human', 'daemon', 'forge:robot')).toEqual([
      'main.auth.login',
      'main.auth',
      'human',
    ])
    expect(merged()).toEqual(['main.auth.login', 'main.auth'])
  })

  it('notifies owner and parent of a red landing, once: not by the check that it was as well', () => {
    for (const type of ['landing.red', 'landing.culprit'] as const)
      expect(recipients(event(type, 'main.auth.login'), family)).toEqual([
        'main.auth.login',
        'main.auth',
      ])
    expect(
      recipients(event('ci.failed', 'main.auth.login', { times: 2, landing: true }), family),
    ).toEqual([])
    // Who asked for it has it as the result of the call.
    expect(
      recipients(event('landing.red', 'main.auth.login', {}, id('main.auth')), family),
    ).toEqual(['main.auth.login'])
  })

  it('notifies the lead that what it asked for does not land any more, unless something else reports it', () => {
    expect(
      recipients(event('landing.stopped', 'main.auth.login', { told: false }), family),
    ).toEqual(['main.auth'])
    expect(recipients(event('landing.stopped', 'main.auth.login', { told: true }), family)).toEqual(
      [],
    )
    // Whoever waits for it has it as the result of the call.
    expect(
      recipients(
        event('landing.stopped', 'main.auth.login', { told: false }, id('main.auth')),
        family,
      ),
    ).toEqual([])
  })

  it('notifies whoever works on a base that it is red, and whoever asked that all has landed', () => {
    expect(recipients(event('base.red', 'main.auth'), family)).toEqual(['main.auth'])
    expect(recipients(event('base.red', null), family)).toEqual(['human'])
    expect(recipients(event('landing.done', 'main.auth'), family)).toEqual(['main.auth'])
    expect(recipients(event('landing.done', null), family)).toEqual(['human'])
  })

  it('notifies nobody of turns and end of a subagent, whose caller has its result by its own call', () => {
    const tree = treeOf(agent('main', null), agent('main.asker', 'main', { awaited: true }))
    for (const type of [
      'agent.started',
      'agent.idle',
      'agent.completed',
      'agent.failed',
      'agent.killed',
    ] as const) {
      expect(recipients(event(type, 'main.asker'), tree)).toEqual([])
    }
    expect(recipients(event('note', 'main.asker', {}, id('main.asker')), tree)).toEqual(['main'])
  })

  it('reports a session or background task that failed to its parent alone, and to the human where no agent is left to receive it', () => {
    const tree = treeOf(agent('main', null), agent('main.task', 'main', { isMinor: true }))
    expect(recipients(event('agent.failed', 'main.task'), tree)).toEqual(['main'])
    const unmanned = treeOf(
      agent('main', null, { reachable: false }),
      agent('main.task', 'main', { isMinor: true }),
    )
    expect(recipients(event('agent.failed', 'main.task'), unmanned)).toEqual(['human'])
  })

  it(verifies('R004-18', 'sends what a child says up one step, not to the root'), () => {
    expect(recipients(event('note', 'main.auth.login', {}, id('main.auth.login')), family)).toEqual(
      ['main.auth'],
    )
    expect(
      recipients(event('question.asked', 'main.auth.login', {}, id('main.auth.login')), family),
    ).toEqual(['main.auth'])
  })

  it('notifies the human alone of an agent that waits for a person', () => {
    expect(recipients(event('agent.waiting', 'main.auth.login', { screen: '' }), family)).toEqual([
      'human',
    ])
  })

  it('notifies the parent as well where nobody knows what an agent waits for', () => {
    const unknown = event('agent.waiting', 'main.auth.login', { screen: 'Proceed? [y/N]' })
    expect(recipients(unknown, family)).toEqual(['main.auth', 'human'])
  })

  it('notifies the parent of a budget, of the root’s the human', () => {
    for (const type of ['budget.warning', 'budget.exhausted'] as const) {
      expect(recipients(event(type, 'main.auth.login'), family)).toEqual(['main.auth'])
      expect(recipients(event(type, 'main'), family)).toEqual(['human'])
    }
  })

  it('notifies the human too that an agent failed', () => {
    expect(recipients(event('agent.failed', 'main.auth'), family)).toEqual(['main', 'human'])
  })

  it('sends notes and questions of the root to the human', () => {
    expect(recipients(event('note', 'main', {}, id('main')), family)).toEqual(['human'])
    expect(recipients(event('question.asked', 'main', {}, id('main')), family)).toEqual(['human'])
  })

  it('sends what is for a root without a program to the human', () => {
    const tree = treeOf(agent('main', null, { reachable: false }), agent('main.auth', 'main'))
    expect(recipients(event('agent.completed', 'main.auth'), tree)).toEqual(['human'])
  })

  it('leaves what a person says to a root whose program will be started again for that program', () => {
    const stopped = treeOf(agent('main', null, { reachable: false, startsAgain: true }))
    const answer = { delivered_by: 'message' }
    expect(recipients(event('message', 'main', {}, 'human'), stopped)).toEqual(['main'])
    expect(recipients(event('question.answered', 'main', answer, 'human'), stopped)).toEqual([
      'main',
    ])
    expect(recipients(event('message', 'main', {}, id('main.auth')), stopped)).toEqual(['human'])
    expect(recipients(event('pr.review', 'main', {}, 'forge:ann'), stopped)).toEqual(['human'])
    // A person is the root where it never had a program.
    const unmanned = treeOf(agent('main', null, { reachable: false }))
    expect(recipients(event('message', 'main', {}, 'human'), unmanned)).toEqual([])
  })

  it(verifies('R004-14', 'sends an answer only where no waiting call took it'), () => {
    expect(
      recipients(
        event('question.answered', 'main.auth', { delivered_by: 'message' }, id('main')),
        family,
      ),
    ).toEqual(['main.auth'])
    expect(
      recipients(
        event('question.answered', 'main.auth', { delivered_by: 'tool' }, id('main')),
        family,
      ),
    ).toEqual([])
  })

  it('climbs over the dead to the nearest living ancestor', () => {
    const tree = treeOf(
      agent('main', null),
      agent('main.auth', 'main', { state: 'killed' }),
      agent('main.auth.login', 'main.auth'),
    )
    expect(recipients(event('agent.completed', 'main.auth.login'), tree)).toEqual(['main'])
    expect(recipients(event('ci.failed', 'main.auth', { times: 1 }), tree)).toEqual(['main'])
  })

  it('reports a pull request to the owner of the branch that it goes into, also after it was pointed to another', () => {
    const ready = (base: string) =>
      event('pr.ready', 'main.auth.login', { head: 'main.auth.login', base })
    expect(recipients(ready('main.auth'), family)).toEqual(['main.auth'])
    expect(recipients(ready('main'), family)).toEqual(['main'])
    expect(recipients(ready('release'), family)).toEqual(['human'])
    const wide = treeOf(
      ...family.values(),
      agent('main.o', 'main'),
      agent('main.o.under', 'main.o'),
    )
    expect(recipients(ready('main.o'), wide)).toEqual(['main.o'])
    expect(recipients(ready('main.o.under'), wide)).toEqual(['main.o.under'])
    expect(
      recipients(
        ready('main.o'),
        treeOf(...wide.values(), agent('main.o', 'main', { state: 'killed' })),
      ),
    ).toEqual(['main'])
    // Its own that is over: another has the branch by now.
    const again = treeOf(
      ...family.values(),
      agent('main.auth', 'main', { state: 'killed' }),
      agent('second', 'main', { branch: 'main.auth' as BranchName }),
    )
    expect(recipients(ready('main.auth'), again)).toEqual(['second'])
    expect(
      recipients(
        event('pr.conflict', 'main.auth.login', { head: 'main.auth.login', base: 'main' }),
        family,
      ),
    ).toEqual(['main.auth.login', 'main'])
  })

  it('(20.18) notifies whoever asked for a merge a while ago that it was made, and owner and parent that it is not to come', () => {
    const merged = (scheduled: boolean) => ({
      ...event('pr.merged', 'main.auth.login', {
        head: 'main.auth.login',
        base: 'main.auth',
        scheduled,
      }),
      actor: 'main.auth' as Actor,
    })
    expect(recipients(merged(true), family)).toEqual(['main.auth.login', 'main.auth'])
    expect(recipients(merged(false), family)).toEqual(['main.auth.login'])
    expect(
      recipients(
        event('pr.unscheduled', 'main.auth.login', { head: 'main.auth.login', base: 'main.auth' }),
        family,
      ),
    ).toEqual(['main.auth.login', 'main.auth'])
  })

  it('takes no fork for the agent whose branch it works on', () => {
    const tree = treeOf(
      agent('main', null),
      agent('main.auth', 'main'),
      agent('scout', 'main.auth', { branch: null }),
    )
    const stranger = event('pr.merged', null, { head: 'theirs', base: 'main.auth' })
    expect(recipients(stranger, tree)).toEqual(['main.auth'])
    expect(
      recipients(event('pr.merged', null, { head: 'theirs', base: 'elsewhere' }), tree),
    ).toEqual(['human'])
    expect(recipients(event('agent.idle', 'scout', {}, id('scout')), tree)).toEqual(['main.auth'])
  })

  it('notifies owner and parent of a merge, and not who merged', () => {
    expect(recipients(event('pr.merged', 'main.auth', {}, 'forge:somebody'), family)).toEqual([
      'main.auth',
      'main',
    ])
    expect(recipients(event('pr.merged', 'main.auth', {}, id('main')), family)).toEqual([
      'main.auth',
    ])
  })

  it('notifies the owner of a review, the parent of an approval, the reviewer of nothing', () => {
    const review = (state: string, actor: Actor, trusted = true) =>
      recipients(event('pr.review', 'main.auth', { state, trusted }, actor), family)
    expect(review('changes_requested', 'human')).toEqual(['main.auth'])
    expect(review('approved', 'human')).toEqual(['main.auth', 'main'])
    expect(review('approved', id('main'))).toEqual(['main.auth'])
  })

  it('keeps words of outsiders from the agent that would act on them', () => {
    for (const type of ['pr.review', 'pr.comment', 'pr.thread_comment'] as const) {
      expect(
        recipients(
          event(
            type,
            'main.auth',
            { trusted: false, state: 'changes_requested' },
            'forge:stranger',
          ),
          family,
        ),
      ).toEqual(['main'])
    }
  })

  it('(20.19) reports to whoever looks after an agent’s work what it answers to a review, and not to the agent itself', () => {
    const own = (type: 'pr.review' | 'pr.thread_comment' | 'pr.comment') =>
      event(type, 'main.auth', { trusted: true, state: 'commented' }, id('main.auth'))
    expect(recipients(own('pr.review'), family)).toEqual(['main'])
    expect(recipients(own('pr.thread_comment'), family)).toEqual(['main'])
    expect(recipients(own('pr.comment'), family)).toEqual([])
    expect(
      recipients(
        event('pr.review', 'main.auth', { trusted: true, state: 'commented' }, id('main')),
        family,
      ),
    ).toEqual(['main.auth'])
  })

  it('involves the parent when checks fail again', () => {
    expect(recipients(event('ci.failed', 'main.auth', { times: 1 }), family)).toEqual(['main.auth'])
    expect(recipients(event('ci.failed', 'main.auth', { times: 2 }), family)).toEqual([
      'main.auth',
      'main',
    ])
  })

  it('notifies the parent of a push only after changes were requested', () => {
    expect(
      recipients(event('pr.pushed', 'main.auth', { after_changes_requested: false }), family),
    ).toEqual([])
    expect(
      recipients(event('pr.pushed', 'main.auth', { after_changes_requested: true }), family),
    ).toEqual(['main'])
  })

  it('notifies the parent of a push after Copilot’s review, which it does not look at by itself', () => {
    expect(
      recipients(
        event('pr.pushed', 'main.auth', { after_changes_requested: false, copilot_reviewed: true }),
        family,
      ),
    ).toEqual(['main'])
  })

  it('notifies the human alone of a forge that can’t be used, and that it can again', () => {
    for (const type of ['forge.trouble', 'forge.recovered'] as const)
      expect(recipients(event(type, null), family)).toEqual(['human'])
  })

  it('finds owner and parent by branch where no agent filed the pull request', () => {
    const of = (head: string, base: string) =>
      recipients(event('pr.conflict', null, { head, base }), family)
    expect(of('main.auth.login', 'main.auth')).toEqual(['main.auth.login', 'main.auth'])
    expect(of('main.auth.unknown', 'main.auth')).toEqual(['main.auth'])
    expect(of('main.auth.unknown', 'elsewhere')).toEqual(['main.auth'])
    expect(of('foreign', 'elsewhere')).toEqual(['human'])
  })

  it('leaves moved bases to the stop check', () => {
    expect(recipients(event('base.moved', 'main.auth'), family)).toEqual([])
  })

  const STATES: readonly AgentState[] = [
    'spawning',
    'running',
    'idle',
    'waiting',
    'completed',
    'failed',
    'killed',
  ]
  /** Any tree, also broken ones: parents that don’t exist, cycles. */
  const anyTree = fc.integer({ min: 1, max: 8 }).chain((size) =>
    fc.array(
      fc.record({
        parent: fc.option(fc.integer({ min: 0, max: size })),
        state: fc.constantFrom(...STATES),
        reachable: fc.boolean(),
        startsAgain: fc.boolean(),
      }),
      {
        minLength: size,
        maxLength: size,
      },
    ),
  )
  const built = (
    rows: readonly {
      parent: number | null
      state: AgentState
      reachable: boolean
      startsAgain?: boolean
    }[],
  ): RoutingTree =>
    treeOf(
      ...rows.map((row, index) =>
        agent(`a${index}`, row.parent === null ? null : `a${row.parent}`, {
          state: row.state,
          reachable: row.reachable,
          startsAgain: row.startsAgain === true && !row.reachable,
        }),
      ),
    )
  const anyPayload = fc.record({
    delivered_by: fc.constantFrom('tool', 'message'),
    trusted: fc.boolean(),
    state: fc.constantFrom('approved', 'changes_requested', 'commented'),
    times: fc.integer({ min: 1, max: 4 }),
    after_changes_requested: fc.boolean(),
    head: fc.constantFrom('a0', 'a1', 'other'),
    base: fc.constantFrom('a1', 'a2', 'other'),
  })
  const anyType = fc.constantFrom(...(Object.keys(EVENTS) as EventType[]))
  const anyActor = fc.oneof(
    fc.constantFrom<Actor>('human', 'daemon', 'forge:x'),
    fc.integer({ min: 0, max: 8 }).map((n) => id(`a${n}`)),
  )

  it('never notifies the dead, the unreachable or the actor, and nobody twice', () => {
    fc.assert(
      fc.property(
        anyTree,
        anyType,
        fc.option(fc.integer({ min: 0, max: 8 })),
        anyPayload,
        anyActor,
        (rows, type, about, payload, actor) => {
          const tree = built(rows)
          const to = recipients(
            event(
              type,
              about === null ? null : `a${about}`,
              // Whoever asked for it a while ago is notified also of their own.
              { ...sampleOfEvent(type), scheduled: false, ...payload },
              actor,
            ),
            tree,
          )
          expect(new Set(to).size).toBe(to.length)
          expect(to).not.toContain(actor)
          for (const recipient of to.filter((one) => one !== 'human')) {
            const notified = tree.get(id(recipient))
            // What a person says to a root without a program waits for the next one.
            const waits =
              actor === 'human' &&
              ['message', 'question.answered'].includes(type) &&
              recipient === `a${about}` &&
              notified?.startsAgain === true
            expect(notified?.reachable === true || waits).toBe(true)
            expect(isDead(notified?.state ?? 'killed')).toBe(false)
          }
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('who is notified that a pull request is ready merges it: whoever has its base, or the nearest that lives above; a person where nobody has', () => {
    const withForks = fc.tuple(
      anyTree,
      fc.array(fc.boolean(), { maxLength: 8 }),
      fc.integer({ min: 0, max: 8 }),
      fc.integer({ min: 0, max: 9 }),
    )
    fc.assert(
      fc.property(withForks, ([rows, forks, about, into]) => {
        const named = [...built(rows).values()].map((one, index) => ({
          ...one,
          reachable: true,
          branch: forks[index] === true ? null : one.branch,
        }))
        const tree = treeOf(...named)
        const base = `a${into}`
        const author = tree.get(id(`a${about}`))
        if (author === undefined || about === into) return
        const [notified] = recipients(event('pr.ready', author.id, { head: 'head', base }), tree)
        const mergers = baseMergers(tree, author.id, base).filter(({ state }) => !isDead(state))
        expect(notified === 'human' ? mergers : mergers.map((one) => String(one.id))).toEqual(
          notified === 'human' ? [] : expect.arrayContaining([notified]),
        )
        const owner = tree.get(id(base))
        if (
          tree.get(author.parentId ?? id('')) === undefined ||
          owner === undefined ||
          owner.branch !== base
        )
          expect(notified).toBe('human')
        else if (!isDead(owner.state)) expect(mergers.at(-1)).toBe(owner)
      }),
      { numRuns: 2000 },
    )
  })

  it('takes everything for the parent of a root to the human', () => {
    fc.assert(
      fc.property(anyTree, anyPayload, (rows, payload) => {
        const tree = built([{ parent: null, state: 'running', reachable: true }, ...rows.slice(1)])
        for (const type of [
          'note',
          'question.asked',
          'agent.silent',
          'pr.ready',
          'pr.stalled',
          'agent.failed',
        ] as const) {
          expect(recipients(event(type, 'a0', payload, id('a0')), tree)).toEqual(['human'])
        }
      }),
    )
  })

  it('loses nothing: with every agent dead all that is routed at all reaches the human', () => {
    const dead = treeOf(
      ...[...family.values()].map((one) => ({ ...one, state: 'failed' as const })),
    )
    let notified = 0
    for (const type of ROUTED_TYPES) {
      const payload = {
        ...sampleOfEvent(type),
        ...{ delivered_by: 'message', permission: false, landing: false, told: false },
      }
      const named = Object.keys(definitionOf(type)?.tells?.(payload) ?? {})
      expect(recipients(event(type, 'main.auth.login', payload), dead), type).toEqual(
        named.length === 0 ? [] : ['human'],
      )
      if (named.length > 0) notified++
    }
    expect(notified).toBeGreaterThan(40)
  })
})

describe('whom an event reaches, at the edges', () => {
  it('words go to whom they are for: of outsiders to the parent, of others to the agent; a decision to who asked, unless its program asked', () => {
    for (const type of ['pr.comment', 'pr.thread_comment'] as const) {
      expect(
        recipients(event(type, 'main.auth.login', { trusted: true }, 'forge:ann'), family),
      ).toEqual(['main.auth.login'])
      expect(
        recipients(event(type, 'main.auth.login', { trusted: false }, 'forge:ann'), family),
      ).toEqual(['main.auth'])
    }
    expect(
      recipients(event('approval.decided', 'main.auth', { permission: true }, 'human'), family),
    ).toEqual([])
    expect(
      recipients(event('approval.decided', 'main.auth', { permission: true }), family),
    ).toEqual([])
    expect(
      recipients(event('approval.decided', 'main.auth', { permission: false }, 'human'), family),
    ).toEqual(['main.auth'])
  })

  it('only an agent that idles is kept quiet because its work is filed, and only its parent’s turn', () => {
    const tree = treeOf(
      agent('main', null),
      agent('main.filed', 'main', { filed: true, isMinor: true }),
    )
    expect(recipients(event('agent.killed', 'main.filed'), tree)).toEqual(['main'])
    expect(recipients(event('agent.failed', 'main.filed'), tree)).toEqual(['main'])
    expect(recipients(event('agent.waiting', 'main.filed', { screen: '' }), tree)).toEqual([
      'human',
    ])
    // The root’s own: nobody cares for its turns, a person for its end.
    expect(recipients(event('agent.idle', 'main'), tree)).toEqual([])
    expect(recipients(event('agent.completed', 'main'), tree)).toEqual(['human'])
    expect(recipients(event('note', 'main'), tree)).toEqual(['human'])
  })

  it('of a pull request that no agent filed, by its branches; without these it is a person’s', () => {
    const about = (payload: Record<string, unknown>) =>
      recipients(event('pr.conflict', null, payload), family)
    expect(about({ head: 'main.auth.login', base: 'main.auth' })).toEqual([
      'main.auth.login',
      'main.auth',
    ])
    expect(about({ head: 'main.auth.gone', base: 'elsewhere' })).toEqual(['main.auth'])
    expect(about({ head: 'topic', base: 'main' })).toEqual(['main'])
    expect(about({ head: 'topic', base: 'elsewhere' })).toEqual(['human'])
    for (const payload of [
      {},
      { head: 'main.auth.login' },
      { base: 'main.auth' },
      { head: 1, base: 'main.auth' },
      { head: 'main.auth.login', base: 1 },
    ]) {
      expect([payload, about(payload)]).toEqual([payload, ['human']])
    }
    const ended = treeOf(agent('main', null), agent('main.auth', 'main', { state: 'killed' }))
    expect(
      recipients(event('pr.conflict', null, { head: 'main.auth', base: 'main' }), ended),
    ).toEqual(['main'])
  })

  it('of what only names a branch, as of anything else of an agent', () => {
    for (const payload of [
      { base: 'main' },
      { head: 'main.auth.login' },
      { head: 'main.auth.login', base: 1 },
      { head: 1, base: 'main' },
    ]) {
      expect([payload, recipients(event('note', 'main.auth.login', payload), family)]).toEqual([
        payload,
        ['main.auth'],
      ])
    }
  })

  it('that it has another parent is reported to an agent where a program did it, not where a person did', () => {
    expect(recipients(event('tree.moved', 'main.auth', { program: true }), family)).toEqual([
      'main.auth',
    ])
    expect(recipients(event('tree.moved', 'main.auth', { program: false }), family)).toEqual([])
    expect(recipients(event('approval.requested', 'main.auth'), family)).toEqual(['human'])
  })

  it('ends where parents go round in a circle, or are not there', () => {
    const circle = treeOf(
      agent('a', 'b', { state: 'killed' }),
      agent('b', 'a', { state: 'killed' }),
    )
    expect(recipients(event('note', 'a'), circle)).toEqual(['human'])
    expect(recipients(event('note', 'nobody'), circle)).toEqual(['human'])
    expect(recipients(event('note', 'orphan'), treeOf(agent('orphan', 'gone')))).toEqual(['human'])
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRenderer } from '../../../src/delivery/render/render.ts'
import { route, type RoutingAgent } from '../../../src/delivery/router.ts'
import type { Actor, AgentId, BranchName } from '../../../src/domain/ids.ts'
import { defineEvent } from '../../../src/events/define.ts'
import { dedupeKeyOf, definitionOf } from '../../../src/events/event.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { prLabelled } from '../../fixtures/events/pr.labelled.ts'

/** One more event type: its file and its template, and nothing else. */

const top = join(import.meta.dirname, '..', '..', '..')
const fixtures = join(top, 'test', 'fixtures', 'events')
const pull = { number: 3, title: 'Add login', url: 'u', head: 'main.auth', base: 'main' }
const labelled = (label: string, trusted = true) => ({ ...pull, label, trusted })

const agent = (name: string, parent: string | null): [AgentId, RoutingAgent] => [
  name as AgentId,
  {
    id: name as AgentId,
    role: 'dev',
    parentId: parent as AgentId | null,
    branch: name as BranchName,
    baseBranch: parent as BranchName | null,
    state: 'idle',
    reachable: true,
  },
]
const tree = new Map([agent('main', null), agent('main.auth', 'main')])

describe('an event type', () => {
  const recipients = (label: string, trusted?: boolean, actor: Actor = 'forge:jane') =>
    route(
      {
        type: prLabelled.type,
        agentId: 'main.auth' as AgentId,
        actor,
        payload: labelled(label, trusted),
      },
      tree,
      { definition: prLabelled },
    )

  it('is routed to whom its definition names, by what it carries', () => {
    const to = (name: string, reach = 'wake') => ({ to: name, type: 'pr.labelled', reach })
    expect(recipients('needs-work')).toEqual([to('main.auth')])
    expect(recipients('needs-work', false)).toEqual([to('main', 'carry'), to('human')])
    expect(recipients('needs-work', true, 'main.auth' as AgentId)).toEqual([
      { ...to('main.auth', 'log'), why: 'it did so itself' },
    ])
    expect(recipients('nice')).toEqual([])
  })

  it('is rendered in the words of its template', async () => {
    const renderer = createRenderer({
      shippedFolder: fixtures,
      overrideFolder: () => Promise.resolve(fixtures),
      log: createLog({ level: 'silent', destination: { write: () => {} } }),
      secrets: { values: () => [], hasHash: () => false, entropy: () => false },
    })
    const auth = {
      id: 'a',
      name: 'auth',
      branch: 'main.auth',
      kind: 'worker',
      base: 'main',
      filed: false,
    }
    const parent = { id: 'm', name: 'main', branch: 'main', kind: 'root', base: '', filed: false }
    const event = {
      type: prLabelled.type,
      seq: 1,
      actor: 'daemon',
      payload: labelled('needs-work'),
    } as const
    expect(
      await renderer.render(event, { agent: auth, parent, recipient: auth, actor_name: 'jane' }),
    ).toBe('[PR LABELLED] Your pull request #3 "Add login" is labelled needs-work.')
  })

  it('has its key, its line and its schema', () => {
    const payload = labelled('needs-work')
    expect(prLabelled.dedupe?.(payload, null)).toBe('label:u:needs-work')
    expect(prLabelled.line[2](payload)).toBe('#3 is labelled needs-work')
    expect(prLabelled.line[2]({})).toBe('# is labelled ')
    expect(prLabelled.payload.safeParse(payload).success).toBe(true)
    expect(prLabelled.payload.safeParse({ ...payload, more: 1 }).success).toBe(false)
  })

  it('is checked by its payload', () => {
    const shape = { label: z.string() }
    defineEvent({
      type: 'bad',
      summary: '',
      payload: shape,
      // @ts-expect-error -- it carries no such thing
      tells: ({ trusted }) => (trusted === true ? ['owner'] : []),
      line: ['·', 'dim', () => ''],
    })
    defineEvent({
      type: 'bad',
      summary: '',
      payload: shape,
      // @ts-expect-error -- nobody is called so
      tells: ['everybody'],
      line: ['·', 'dim', () => ''],
    })
    expect(
      defineEvent({ type: 'quiet', summary: '', payload: {}, line: ['·', 'dim', String] }),
    ).toMatchObject({
      type: 'quiet',
      tells: undefined,
      dedupe: undefined,
    })
  })

  it('is as docs/contributing.md has it', () => {
    const page = readFileSync(join(top, 'docs', 'contributing.md'), 'utf8')
    const block = (language: string) =>
      new RegExp(`^## An event$[^]*?^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(page)?.[1]
    const fixture = (name: string) => readFileSync(join(fixtures, name), 'utf8')
    expect(block('ts')).toBe(fixture('pr.labelled.ts').replaceAll('../../../src/events/', '../'))
    expect(block('liquid')).toBe(fixture('pr.labelled.liquid'))
  })
})

describe('keys', () => {
  const about = { agentId: 'a' as AgentId, actor: 'daemon' } as const

  it('are made by the definition, where payload and agent are enough', () => {
    const budget = { name: 'x', scope: 'agent', kind: 'money', used: 4, limit: 5 } as const
    expect(dedupeKeyOf({ ...about, type: 'budget.warning', payload: budget })).toBe(
      'budget:warning:a:money:agent:5',
    )
    expect(dedupeKeyOf({ ...about, type: 'budget.exhausted', payload: budget })).toBe(
      'budget:exhausted:a:money:agent:5',
    )
    expect(
      dedupeKeyOf({ ...about, type: 'budget.unpriced', payload: { name: 'x', model: 'm' } }),
    ).toBe('budget:unpriced:m')
    expect(
      dedupeKeyOf({
        ...about,
        type: 'agent.silent',
        payload: { name: 'x', minutes: 30, dedupe: '7' },
      }),
    ).toBe('silent:a:7')
    expect(
      dedupeKeyOf({
        ...about,
        type: 'base.red',
        payload: { branch: 'main', sha: 's', since: [], log: '', log_url: null },
      }),
    ).toBe('base-red:main:s')
  })

  it('are those of whoever publishes before that, and there are none else', () => {
    const payload = { name: 'x', message: 'hello' }
    expect(dedupeKeyOf({ ...about, type: 'note', payload })).toBeNull()
    expect(dedupeKeyOf({ ...about, type: 'note', payload, dedupeKey: 'k' })).toBe('k')
  })
})

describe('definitionOf', () => {
  it('knows what is in the list, and nothing by the names that objects have', () => {
    expect(definitionOf('note')?.type).toBe('note')
    for (const type of ['no.such', 'constructor', '__proto__', ''])
      expect(definitionOf(type)).toBeUndefined()
  })
})

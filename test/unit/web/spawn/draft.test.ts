import { describe, expect, it } from 'vitest'
import { describeTool } from '../../../../src/surfaces/run-tool.ts'
import { spawn } from '../../../../src/tools/agents/spawn.ts'
import {
  faultsOf,
  inputOf,
  newDraft,
  readDraft,
  type Draft,
} from '../../../../web/src/views/spawn/draft.ts'
import {
  afterSpawn,
  faultsOfRefusal,
  faultsOfSpecs,
} from '../../../../web/src/views/spawn/refusals.ts'
import { spawnForm, type Schema } from '../../../../web/src/views/spawn/schema-form.ts'
import { ApiError } from '../../../../web/src/api/errors.ts'

const form = spawnForm(describeTool(spawn as never).inputSchema as Schema)

const draft = (...specs: Readonly<Record<string, string>>[]): Draft => ({
  ...newDraft(),
  specs: specs.map((values, index) => ({ id: String(index), values })),
})

describe('the form of spawn', () => {
  it('has a field for everything that the tool takes, but what the page asks by itself', () => {
    expect(form.kinds).toEqual(['subtree', 'worker'])
    expect(form.spec.map(({ name, kind }) => `${name}: ${kind}`)).toEqual([
      'name: text',
      'prompt: text',
      'issue: number',
      'agent: text',
      'role: text',
      'sparse: list',
      'branch: text',
    ])
    expect(form.options.map(({ name, kind }) => `${name}: ${kind}`)).toEqual([
      'wake: choice',
      'allow_dirty: switch',
      'force: switch',
    ])
  })

  it('makes what the tool takes, without what was left empty', () => {
    const written = draft({ name: ' auth ', prompt: 'Do it', issue: '', sparse: ' a/b \n\n c' })
    const input = inputOf(form, written)
    expect(input).toEqual({
      kind: 'worker',
      specs: [{ name: 'auth', prompt: 'Do it', sparse: ['a/b', 'c'] }],
      wake: 'each',
      allow_dirty: false,
      force: false,
    })
    expect(spawn.input.parse(input)).toMatchObject({ kind: 'worker' })
  })

  it('says at the fields what is missing, twice there, or no number', () => {
    expect(faultsOf(form, draft({ name: 'a', prompt: 'x' }))).toEqual({})
    expect(faultsOf(form, draft({ issue: '42' }))).toEqual({})
    const faults = faultsOf(
      form,
      draft({ name: 'a', prompt: ' ' }, { name: 'a', prompt: 'x' }, { issue: '4.5' }, {}),
    )
    expect(Object.keys(faults).toSorted()).toEqual([
      'specs[0].prompt',
      'specs[1].name',
      'specs[2].issue',
      'specs[3].name',
      'specs[3].prompt',
    ])
  })

  it('takes no draft for one that is none', () => {
    const written = draft({ name: 'auth' })
    expect(readDraft(JSON.stringify(written))).toEqual(written)
    for (const text of [null, '', '{', '[]', '{"kind":"worker","specs":[]}', '{"specs":[null]}'])
      expect(readDraft(text).specs[0]?.values).toEqual({})
  })
})

describe('what the daemon refused', () => {
  it('stands at the fields that it names', () => {
    const refusal = new ApiError('INVALID_ARG', 'spawn: …', {
      field: 'specs[1].issue',
      allowed: 'a whole number',
      problems: [
        { field: 'specs[1].issue', found: '"x"', allowed: 'a whole number' },
        { field: 'wake', found: '3', allowed: 'one of each, all_settled' },
      ],
    })
    expect(faultsOfRefusal(refusal)).toEqual({
      'specs[1].issue': 'It must be a whole number.',
      wake: 'It must be one of each, all_settled.',
    })
    expect(faultsOfRefusal(new ApiError('LIMIT_REACHED', '8 of 8 agents are live'))).toEqual({
      '': '8 of 8 agents are live',
    })
    expect(faultsOfRefusal(new ApiError('DIRTY_WORKTREE', 'uncommitted'))).toEqual({
      allow_dirty: 'uncommitted',
    })
  })

  it('stands on the card of the agent that it is about', () => {
    const written = draft({ name: 'a' }, { name: 'b', branch: 'old' }, { issue: '4' })
    expect(
      faultsOfSpecs(written, [
        { name: 'b', code: 'BRANCH_EXISTS', error: 'It is a’s.' },
        { name: '4-title', code: 'INVALID_ARG', error: 'Somebody is on it.' },
        { name: 'a', code: 'AGENT_CLI_MISSING', error: 'claude is not installed.' },
      ]),
    ).toEqual({
      'specs[1].branch': 'It is a’s.',
      'specs[2]': 'Somebody is on it.',
      'specs[0].agent': 'claude is not installed.',
    })
    // Those without a name are taken in their order.
    expect(
      faultsOfSpecs(
        draft({ issue: '4' }, { issue: '5' }),
        ['#4', '#5'].map((name) => ({ name, code: 'INVALID_ARG' as const, error: `No ${name}.` })),
      ),
    ).toEqual({ 'specs[0]': 'No #4.', 'specs[1]': 'No #5.' })
  })
})

describe('the form after a spawn', () => {
  const sent = { ...draft({ name: 'a' }, { name: 'b' }), asked: { key: 'k', of: '' } }
  const taken = { name: 'b', code: 'BRANCH_EXISTS' as const, error: 'It is a’s.' }

  it('has who was refused, and what was written while it was under way', () => {
    const now: Draft = {
      ...sent,
      base: 'id-main.lead',
      options: { wake: 'all_settled' },
      specs: [
        ...sent.specs.map((spec) => ({ ...spec, values: { ...spec.values, prompt: 'More' } })),
        { id: 'new', values: { name: 'c' } },
      ],
    }
    const { asked: _, ...rest } = now
    expect(afterSpawn(now, sent, [taken])).toEqual({ ...rest, specs: now.specs.slice(1) })
    expect(afterSpawn(now, sent, [])).toEqual({ ...rest, specs: now.specs.slice(2) })
  })

  it('has an empty card where nothing is left', () => {
    const { specs } = afterSpawn(sent, sent, [])
    expect(specs.map(({ values }) => values)).toEqual([{}])
  })
})

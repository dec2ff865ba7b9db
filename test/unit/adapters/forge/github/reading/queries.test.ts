import { getVariableValues, parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import {
  ISSUE,
  MORE_ISSUE_COMMENTS,
} from '../../../../../../src/adapters/forge/github/issues/queries.ts'
import { DISPENSABLE } from '../../../../../../src/adapters/forge/github/client/old-server.ts'
import { withoutFields } from '../../../../../../src/adapters/forge/github/client/without-fields.ts'
import { QUERIES as PULLS } from '../../../../../../src/adapters/forge/github/reading/queries.ts'
import { REPLIES } from '../../../../../../src/adapters/forge/github/writing/reply.ts'
import { SCHEDULE } from '../../../../../../src/adapters/forge/github/writing/schedule.ts'
import { costOf } from '../../../../../fixtures/github/graphql/cost.ts'
import { githubSchema } from '../../../../../fixtures/github/graphql/schema.ts'

const QUERIES = [
  ...PULLS,
  ISSUE,
  MORE_ISSUE_COMMENTS,
  ...SCHEDULE.filter((query) => query.startsWith('query')),
]
const nameOf = (query: string): string => /^\s*(?:query|mutation) (\w+)/.exec(query)?.[1] ?? query

describe('GraphQL that is sent to GitHub', () => {
  it.each(
    [...QUERIES, ...REPLIES, ...SCHEDULE.slice(1)].map(
      (query, index) => [`${nameOf(query)} (${index})`, query] as const,
    ),
  )('%s is valid in GitHub’s own schema', (_name, query) => {
    expect(validate(githubSchema(), parse(query))).toEqual([])
  })

  it('names every operation, so that logs and GitHub’s support can distinguish them', () => {
    expect(
      [...QUERIES, ...REPLIES, ...SCHEDULE].map(nameOf).filter((name) => !/^\w+$/.test(name)),
    ).toEqual([])
  })

  it('stays far below the number of nodes that GitHub returns in one call', () => {
    for (const query of QUERIES) expect(priceOf(query).nodes, nameOf(query)).toBeLessThan(250_000)
  })

  it('looks at the states of 100 pull requests for one point', () => {
    const states = QUERIES.find((query) => nameOf(query) === 'PullRequestStates') ?? ''
    expect(
      priceOf(states, {
        ids: Array.from({ length: 100 }, (_, index) => `PR_${index}`),
        checks: true,
      }),
    ).toEqual({ points: 1, nodes: 100 })
  })

  it('(20.18) asks for the checks of 25 pull requests in a merge queue for one point, and for none more in a look at all', () => {
    const numbers = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, index + 1]))
    const queues = QUERIES.filter((query) => nameOf(query) === 'QueueChecks')
    expect(
      queues.map((query, index) => priceOf(query, numbers(index === 0 ? 1 : 25)).points),
    ).toEqual([1, 1])
  })

  it('(20.19) asks for the conversations of 25 pull requests for six points, of one for one', () => {
    const threads = QUERIES.find((query) => nameOf(query) === 'Conversations') ?? ''
    const priceOfMany = (count: number): number =>
      priceOf(threads, { ids: Array.from({ length: count }, (_, index) => `PR_${index}`) }).points
    expect([priceOfMany(25), priceOfMany(1)]).toEqual([6, 1])
  })
})

describe('what is sent to an old server (20.14)', () => {
  const FIELDS = [
    ...[...DISPENSABLE].map(([name, { instead }]) => [name, instead] as const),
    ['requiredStatusCheckContexts', undefined] as const,
  ]
  const named = (query: string, name: string): boolean =>
    new RegExp(`(?<![\\w$])${name}(?![\\w:])`).test(query)

  it.each([...FIELDS.map((field) => [field]), FIELDS])(
    'is valid without %j, and does not name it',
    (...fields) => {
      for (const query of QUERIES) {
        const text = withoutFields(query, new Map(fields))
        expect(validate(githubSchema(), parse(text)), text).toEqual([])
        for (const [name] of fields) expect(named(text, name), `${name} in ${text}`).toBe(false)
      }
    },
  )

  it('is what is sent to others where nothing is missing, and keeps all else where something is', () => {
    for (const query of QUERIES) {
      expect(withoutFields(query, new Map())).toBe(query)
      expect(withoutFields(query, new Map([['notAsked', undefined]]))).toBe(query)
    }
    const query =
      'query Q($a: Int!, $b: [ID!]!) { one(n: $a) { gone } x: two(ids: $b, gone: 1) { gone(n: $a) { deep { deeper } } left ...F } }\nfragment F on gone { gone: other gone }'
    expect(withoutFields(query, new Map([['gone', undefined]])).replaceAll(/\s+/g, ' ')).toBe(
      'query Q($b: [ID!]!) { x: two(ids: $b, gone: 1) { left ...F } } fragment F on gone { gone: other }',
    )
  })
})

/** With a value for every variable that has to have one. */
function priceOf(
  query: string,
  given: Readonly<Record<string, unknown>> = {},
): { points: number; nodes: number } {
  const schema = githubSchema()
  const document = parse(query)
  const operation = document.definitions.find(
    (definition) => definition.kind === 'OperationDefinition',
  )
  if (operation === undefined) throw new Error('no operation')
  const sample = (type: string): unknown => (type === 'Int' ? 1 : type === 'Boolean' ? true : 'x')
  const values = Object.fromEntries(
    (operation.variableDefinitions ?? []).flatMap(({ variable, type }) =>
      type.kind !== 'NonNullType'
        ? []
        : [
            [
              variable.name.value,
              type.type.kind === 'NamedType' ? sample(type.type.name.value) : ['x'],
            ],
          ],
    ),
  )
  const { variableValues, errors } = getVariableValues(
    schema,
    operation.variableDefinitions ?? [],
    { ...values, ...given },
  )
  if (errors !== undefined) throw errors[0]
  return costOf(schema, document, operation, variableValues)
}

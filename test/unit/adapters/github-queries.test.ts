import { getVariableValues, parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { QUERIES } from '../../../src/adapters/forge/github/reading/queries.ts'
import { REPLIES } from '../../../src/adapters/forge/github/writing/reply.ts'
import { costOf } from '../../fixtures/github/graphql/cost.ts'
import { githubSchema } from '../../fixtures/github/graphql/schema.ts'

const nameOf = (query: string): string => /^\s*(?:query|mutation) (\w+)/.exec(query)?.[1] ?? query

describe('GraphQL that is sent to GitHub', () => {
  it.each([...QUERIES, ...REPLIES].map((query, index) => [`${nameOf(query)} (${index})`, query] as const))(
    '%s is valid in GitHub’s own schema',
    (_name, query) => {
      expect(validate(githubSchema(), parse(query))).toEqual([])
    },
  )

  it('names every operation, so that logs and GitHub’s support can tell them apart', () => {
    expect([...QUERIES, ...REPLIES].map(nameOf).filter((name) => !/^\w+$/.test(name))).toEqual([])
  })

  it('stays far below the number of nodes that GitHub answers in one call', () => {
    for (const query of QUERIES) expect(priceOf(query).nodes, nameOf(query)).toBeLessThan(250_000)
  })

  it('looks at the states of 100 pull requests for one point', () => {
    const states = QUERIES.find((query) => nameOf(query) === 'PullRequestStates') ?? ''
    expect(priceOf(states, { ids: Array.from({ length: 100 }, (_, index) => `PR_${index}`), checks: true })).toEqual({ points: 1, nodes: 100 })
  })

  it('(20.19) asks for the conversations of 25 pull requests for six points, of one for one', () => {
    const threads = QUERIES.find((query) => nameOf(query) === 'Conversations') ?? ''
    const priceOfMany = (count: number): number => priceOf(threads, { ids: Array.from({ length: count }, (_, index) => `PR_${index}`) }).points
    expect([priceOfMany(25), priceOfMany(1)]).toEqual([6, 1])
  })
})

/** With a value for every variable that has to have one. */
function priceOf(query: string, given: Readonly<Record<string, unknown>> = {}): { points: number; nodes: number } {
  const schema = githubSchema()
  const document = parse(query)
  const operation = document.definitions.find((definition) => definition.kind === 'OperationDefinition')
  if (operation === undefined) throw new Error('no operation')
  const sample = (type: string): unknown => (type === 'Int' ? 1 : type === 'Boolean' ? true : 'x')
  const values = Object.fromEntries(
    (operation.variableDefinitions ?? []).flatMap(({ variable, type }) =>
      type.kind !== 'NonNullType' ? [] : [[variable.name.value, type.type.kind === 'NamedType' ? sample(type.type.name.value) : ['x']]],
    ),
  )
  const { variableValues, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], { ...values, ...given })
  if (errors !== undefined) throw errors[0]
  return costOf(schema, document, operation, variableValues)
}

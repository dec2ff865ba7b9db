import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addressBook,
  meantBy,
  shortAddresses,
  type Addressed,
} from '../../../src/domain/addresses.ts'

const agent = (branch: string, facts: Partial<Addressed> = {}): Addressed => ({
  id: `0192-${branch}`,
  name: branch.split('.').at(-1) ?? branch,
  kind: 'worker',
  branch,
  state: 'running',
  ...facts,
})

const root = agent('main', { kind: 'root', name: 'root' })
const auth = agent('main.auth-service')
const authOne = agent('main.auth-service.w1')
const storeOne = agent('main.store.w1')
const searchOne = agent('main.search.w2')
const over = agent('main.docs.w2', { id: 'aaaa-over', state: 'killed' })
const before = agent('main.docs', { id: 'aaaa-before', state: 'completed' })
const after = agent('main.docs', { id: 'bbbb-after', state: 'failed' })
const away = agent('main.gone.docs', { state: 'killed', reapedAt: 1 })
const rescue = agent('old/fix.w3', { name: 'rescue' })
const deadThree = agent('main.w3', { state: 'failed' })
const scout = agent('main.store.w1', { id: 'cccc-scout', kind: 'fork', name: 'scout' })
const lost = agent('main.a.twin', { state: 'killed' })
const lostToo = agent('main.b.twin', { state: 'failed' })
const tree = [
  ...[root, auth, authOne, storeOne, searchOne, over, before, after, away, rescue, deadThree],
  ...[scout, lost, lostToo],
]

describe('an address', () => {
  it.each([
    ['main', [root]],
    ['root', [root]],
    ['auth-service', [auth]],
    ['auth-service.w1', [authOne]],
    ['main.auth-service.w1', [authOne]],
    ['store.w1', [storeOne]],
    // Several live that it does not tell apart.
    ['w1', [authOne, storeOne]],
    // Not behind a dot.
    ['service.w1', []],
    // Those that have ended lose to living ones, the whole branch does not.
    ['w2', [searchOne]],
    ['docs.w2', [over]],
    ['main.docs.w2', [over]],
    ['w3', [rescue]],
    ['main.w3', [deadThree]],
    // Of several on one branch the newest; those out of sight lose to the others.
    ['docs', [after]],
    ['main.docs', [after]],
    ['gone.docs', [away]],
    // Ended ones on different branches are told apart as well.
    ['twin', [lost, lostToo]],
    // Whoever works on another’s branch is found by name alone.
    ['scout', [scout]],
    ['main.store.w1', [storeOne]],
    ['aaaa-b', [before]],
    ['AAAA-B', [before]],
    ['aaaa', [over, before]],
    ['aaa', []],
    [' w2 ', [searchOne]],
    ['', []],
    ['nobody', []],
  ])('%s', (address, meant) => {
    expect(meantBy(tree, address).map(({ id }) => id)).toEqual(meant.map(({ id }) => id))
  })
})

const part = fc.constantFrom('a', 'b', 'main', 'w1')
const anyAgent = fc.record({
  id: fc.uuid({ version: 7 }),
  name: part,
  kind: fc.constantFrom('worker', 'fork'),
  branch: fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.')),
  state: fc.constantFrom('running', 'killed', 'failed'),
  reapedAt: fc.constantFrom(null, null, 1),
})
const anyAgents = fc.uniqueArray(anyAgent, { maxLength: 12, selector: ({ id }) => id })

it('means the same in a book of addresses', () => {
  fc.assert(
    fc.property(anyAgents, part, (agents, word) => {
      const book = addressBook(agents)
      const words = agents.flatMap(({ id, branch }) => [id, id.slice(0, 5), branch, `a.${branch}`])
      for (const address of [word, ' ', ...words])
        expect(book(address)).toEqual(meantBy(agents, address))
    }),
  )
})

describe('the shortest address', () => {
  it('is the name, or as much of the end of the branch as no other has', () => {
    const short = shortAddresses(tree)
    expect(tree.map(({ id }) => short.get(id))).toEqual([
      ...['root', 'auth-service', 'auth-service.w1', 'store.w1', 'w2', 'docs.w2', 'aaaa-bef'],
      ...['docs', 'gone.docs', 'rescue', 'main.w3', 'scout', 'a.twin', 'b.twin'],
    ])
  })

  it('means its agent and no other, whatever there is', () => {
    fc.assert(
      fc.property(anyAgents, (agents) => {
        for (const [id, address] of shortAddresses(agents))
          expect(meantBy(agents, address).map((one) => one.id)).toEqual([id])
      }),
    )
  })
})

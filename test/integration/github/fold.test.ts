import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGithubTree, type GithubTree } from '../../helpers/github/github-tree.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** The fold where GitHub has the pull requests: it says what they come to, and GitHub merges. */

const LIMIT = 90_000
/** Red with both halves of the pair. */
const CHECK = 'if test -e left && test -e right; then echo both halves; exit 1; fi'

describe('the fold on GitHub', () => {
  let world: GithubTree
  beforeAll(async () => {
    world = await startGithubTree({
      files: { 'README.md': 'x\n' },
      config: `[fold]\nenabled = true\ncheck = ["sh", "-c", "${CHECK}"]\n`,
    })
  })
  afterAll(() => world?.stop())

  const file = async (name: string, path: string): Promise<number> => {
    world.tree.script(name, {
      steps: [
        { do: 'write', path, content: `${name}\n` },
        { do: 'commit', message: `Add ${path}` },
        { do: 'tool', name: 'file_pr', input: { title: `Add ${path}`, body: 'As asked.' } },
      ],
    })
    await world.tree.call('spawn_workers', { specs: [{ name, prompt: 'x' }] })
    const pull = await waitFor(
      `the pull request of ${name}`,
      async () => (await world.tree.agent(name))?.pr?.number,
      { limit: LIMIT },
    )
    return pull as number
  }
  const fold = () => world.tree.call('fold')
  const untilFolded = (what: string, holds: (base: any) => boolean): Promise<any> =>
    waitFor(
      what,
      async () => {
        const base = (await fold()).bases.find((one: any) => one.base === 'main')
        return base !== undefined && holds(base) ? base : undefined
      },
      { limit: LIMIT },
    )
  const events = async (type: string): Promise<any[]> =>
    (await world.tree.events()).filter((event: any) => event.type === type)

  it('finds who is red together before anybody merges, tells them, and moves nothing', async () => {
    const before = await world.tip('main')
    const other = await file('other', 'other.txt')
    const left = await file('left', 'left')
    await untilFolded(
      'two that are green together',
      ({ state, links }) => state === 'green' && links.length === 2,
    )
    const right = await file('right', 'right')
    const base = await untilFolded('the pair', ({ ejected }) => ejected.length === 1)
    expect(base.ejected).toMatchObject([{ number: right, partner: { number: left } }])
    const red = await events('fold.red')
    expect(red.map(({ payload }) => payload.number).toSorted()).toEqual([left, right])
    expect(red[0].payload.log).toContain('both halves')
    const green = await untilFolded('the rest', ({ state }) => state === 'green')
    expect(green.links.map(({ number }: any) => number)).toEqual([other, left])
    expect(await world.tip('main')).toBe(before)
    for (const number of [other, left, right]) {
      expect(world.github.pull(number)).toMatchObject({ state: 'open' })
      // What was found here is no check there.
      expect((await world.tree.run(['pr', 'checks', String(number)])).stdout).not.toContain('fold')
    }
    const shown = (await world.tree.run(['fold'])).stdout
    expect(shown).toContain('The forge merges by its own rules')
    expect(shown).toContain('is out for')
  })

  it('leaves the merge to GitHub, and folds the rest onto what that came to', async () => {
    const { links } = await untilFolded('the rest', ({ state }) => state === 'green')
    const [first, second] = links
    const answer = await world.tree.call('merge_pr', { pr_number: first.number })
    expect(answer).toMatchObject({ merged: true })
    expect(world.github.pull(first.number)).toMatchObject({ merged: true })
    const now = await untilFolded('the one that is left', (base) =>
      base.links.every(({ number }: any) => number !== first.number),
    )
    expect(now.links.map(({ number }: any) => number)).toEqual([second.number])
    expect(now.onto).toBe(await world.tip('main'))
  })
})

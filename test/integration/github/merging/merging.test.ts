import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGithubTree, type GithubTree } from '../../../helpers/github/github-tree.ts'
import { waitFor } from '../../../helpers/wait-for.ts'
import { verifies } from '../../../requirements.ts'

/** Merges that GitHub refuses, answers that get lost, and what people change over there by hand. */

const LIMIT = 90_000
const write = (path: string, content: string) => ({ do: 'write', path, content })
const commit = (message: string) => ({ do: 'commit', message })
const filePr = { do: 'tool', name: 'file_pr', input: { title: 'Work', body: 'Done' } }

describe('merging on GitHub', () => {
  let world: GithubTree
  const tree = () => world.tree
  const github = () => world.github
  const go = (name: string) => join(tree().repository.folder, `go-${name}`)
  const release = (name: string) => writeFileSync(go(name), '')
  const worker = (name: string, as?: string) =>
    tree().call(
      'spawn_workers',
      { specs: [{ name, prompt: 'Nothing to do.' }] },
      as === undefined ? {} : { as },
    )
  const filed = async (name: string): Promise<number> =>
    waitFor(
      `the pull request of ${name}`,
      () =>
        tree()
          .log(name)
          .find((entry) => entry['name'] === 'file_pr')?.['answer']?.pr_number,
      { limit: LIMIT },
    )
  const filing = (name: string) => [write(`${name}.txt`, 'x\n'), commit(`Add ${name}`), filePr]
  const unfinished = async () => (await tree().call('tree')).unfinished

  beforeAll(async () => {
    world = await startGithubTree({
      files: { 'README.md': '# Widgets\n' },
      githubConfig: 'copilot_review = false',
    })
  })
  afterAll(() => world?.stop())

  it(
    verifies(
      'R004-10',
      'what GitHub refuses is said in its words, and pull requests that were pointed elsewhere for it are put back',
    ),
    async () => {
      tree().script('lead', { steps: [...filing('lead'), { do: 'file', path: go('lead') }] })
      await tree().call('spawn_subtree', { task: 'x', branch_name: 'lead' })
      const lead = await filed('lead')
      tree().script('leaf', {
        steps: [
          ...filing('leaf'),
          { do: 'file', path: go('leaf') },
          write('leaf.txt', 'y\n'),
          commit('Fix leaf'),
          filePr,
        ],
      })
      await worker('leaf', 'lead')
      const leaf = await filed('leaf')
      github().state.repository.requiredReviews.set('main', 1)
      // What is known to be missing is not even tried, unless it is forced.
      const refusal = await tree().refusal('merge_pr', { pr_number: lead, force: true })
      github().state.repository.requiredReviews.delete('main')
      expect(refusal).toMatchObject({
        code: 'PR_NOT_MERGEABLE',
        error: expect.stringMatching(/GitHub refuses to merge .*review/s),
      })
      expect(github().pull(leaf).baseRef).toBe('main.lead')
      expect(await unfinished()).toEqual([])
    },
  )

  it('after a refusal a merge by somebody else is theirs, also on our own account, and whoever tried is notified (20.3)', async () => {
    tree().script('twig', { steps: filing('twig') })
    await worker('twig', 'lead')
    const twig = await filed('twig')
    github().state.repository.requiredReviews.set('main.lead', 1)
    expect(await tree().refusal('merge_pr', { pr_number: twig, force: true })).toMatchObject({
      code: 'PR_NOT_MERGEABLE',
    })
    github().state.repository.requiredReviews.delete('main.lead')
    await github().as('robot').merge(twig)
    const merged = await waitFor(
      'the merge to be reported',
      async () =>
        (await tree().events()).find(
          ({ type, payload }) => type === 'pr.merged' && payload.number === twig,
        ),
      { limit: LIMIT },
    )
    expect(merged).toMatchObject({
      actor: 'forge:robot',
      payload: { external: true, by: 'forge:robot', tried_by: ['human'] },
    })
    expect((await tree().command(['inbox', '--json'])).stdout).toContain(
      'merged outside exomonad by robot',
    )
  })

  it(
    verifies('R004-10', 'a merge whose answer is lost counts as what it was, and is made once'),
    async () => {
      const leaf = await filed('leaf')
      const lead = await filed('lead')
      github().fail(/PUT .*\/merge/, { kind: 'drop', after: true })
      const merged = await tree().call('merge_pr', { pr_number: lead })
      expect(merged).toMatchObject({ merged: true, local_synced: true, retargeted: [leaf] })
      expect(github().pull(lead)).toMatchObject({ merged: true })
      expect(github().pull(leaf)).toMatchObject({ state: 'open', baseRef: 'main' })
      expect(
        github().calls.filter(({ method, path }) => method === 'PUT' && path.endsWith('/merge'))
          .length,
      ).toBeGreaterThan(0)
      expect(
        (await tree().repository.git('log', '--format=%s', 'main'))
          .split('\n')
          .filter((line) => line.startsWith('Add lead')),
      ).toHaveLength(1)
      expect(await unfinished()).toEqual([])
      expect(
        (await tree().events()).filter(
          ({ type, payload }) => type === 'pr.merged' && payload.number === lead,
        ),
      ).toMatchObject([{ payload: { external: false } }])
    },
  )

  it('a person’s commits that are not on GitHub are not pushed by a merge, which says so', async () => {
    tree().script('other', { steps: filing('other') })
    await worker('other')
    const number = await filed('other')
    await tree().repository.commit({ 'mine.txt': 'mine\n' }, 'Mine alone')
    const merged = await tree().call('merge_pr', { pr_number: number })
    expect(merged).toMatchObject({
      merged: true,
      local_synced: false,
      pull_error: expect.stringContaining('1 commit here that is not on GitHub'),
    })
    expect(await tree().repository.git('log', '--format=%s', await fetched('main'))).not.toContain(
      'Mine alone',
    )
    await tree().repository.git('rebase', '-q', await fetched('main'))
  })

  it(
    verifies('R004-16', 'a base that a person changes on GitHub is the agent’s from then on'),
    async () => {
      const leaf = await filed('leaf')
      await github().push('release', await world.tip('main'))
      await github().as('octo').retarget(leaf, 'release')
      release('leaf')
      await waitFor(
        'the second filing',
        () =>
          tree()
            .log('leaf')
            .filter((entry) => entry['name'] === 'file_pr').length === 2,
        { limit: LIMIT },
      )
      expect(
        tree()
          .log('leaf')
          .findLast((entry) => entry['name'] === 'file_pr')?.['answer'],
      ).toMatchObject({ pr_number: leaf, created: false, base_branch: 'release' })
      expect(github().pull(leaf).baseRef).toBe('release')
      expect((await tree().agent('leaf')).base_branch).toBe('release')
    },
  )

  const fetched = async (branch: string): Promise<string> => {
    await tree().repository.git('fetch', '-q', github().bare, branch)
    return tree().repository.git('rev-parse', 'FETCH_HEAD')
  }
})

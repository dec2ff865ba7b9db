import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crashAt } from '../../helpers/crash-at.ts'
import { startGithubTree, type GithubTree } from '../../helpers/github/github-tree.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/** A daemon that is killed in the middle of a merge on GitHub. */

const LIMIT = 90_000

describe('kill -9 of the daemon in the middle of a merge on GitHub', { timeout: 240_000 }, () => {
  let world: GithubTree
  const tree = () => world.tree
  const github = () => world.github
  const filing = (name: string) => [
    { do: 'write', path: `${name}.txt`, content: 'x\n' },
    { do: 'commit', message: `Add ${name}` },
    { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: 'Done' } },
  ]
  const filed = async (name: string): Promise<number> =>
    waitFor(
      `the pull request of ${name}`,
      () =>
        tree()
          .log(name)
          .find((entry) => entry['name'] === 'file_pr')?.['answer']?.pr_number,
      { limit: LIMIT },
    )
  const go = (name: string) => join(tree().repository.folder, `go-${name}`)

  /**
   * Merges while the daemon kills itself at that step, and starts another, which settles what was
   * left.
   */
  const mergeCutOff = async (
    number: number,
    step: string,
    meanwhile = async (): Promise<void> => {},
    input: object = {},
  ): Promise<void> => {
    const { dead } = await crashAt(tree(), 'merge', step)
    const call = tree().command(['call', 'merge_pr', '-'], {
      input: JSON.stringify({ pr_number: number, ...input }),
    })
    await dead
    expect((await call).code).not.toBe(0)
    await meanwhile()
    await tree().command(['daemon', 'start'])
    await waitFor(
      'the merge to be settled',
      async () => (await tree().call('tree')).unfinished.length === 0,
      { limit: LIMIT },
    )
  }

  beforeAll(async () => {
    world = await startGithubTree({
      files: { 'README.md': '# Widgets\n' },
      githubConfig: 'copilot_review = false\ndelete_branch = true',
    })
    for (const name of ['lead', 'leaf', 'part'])
      tree().script(name, { steps: [...filing(name), { do: 'file', path: go(name) }] })
    await tree().call('spawn_subtree', { task: 'x', branch_name: 'lead' })
    await tree().call('spawn_workers', { specs: [{ name: 'part', prompt: 'x' }] })
    await filed('lead')
    await tree().call('spawn_workers', { specs: [{ name: 'leaf', prompt: 'x' }] }, { as: 'lead' })
    await filed('leaf')
  })
  afterAll(() => world?.stop())

  it(
    verifies(
      'R004-10',
      'before GitHub has merged: what was pointed elsewhere is put back, and the merge can be made',
    ),
    async () => {
      const [lead, leaf] = [await filed('lead'), await filed('leaf')]
      await mergeCutOff(lead, 'merge')
      expect(github().pull(lead)).toMatchObject({ state: 'open' })
      expect(github().pull(leaf)).toMatchObject({ state: 'open', baseRef: 'main.lead' })
      expect(await tree().call('merge_pr', { pr_number: lead })).toMatchObject({
        merged: true,
        retargeted: [leaf],
        local_synced: true,
      })
      expect(github().pull(leaf)).toMatchObject({ state: 'open', baseRef: 'main' })
    },
  )

  it.each([
    ['before GitHub is asked', 'octo', 'merge'],
    ['once GitHub has refused', 'robot', 'refused'],
  ])(
    '%s, while %s merges it: that is who is reported to have merged (20.3)',
    async (_, login, at) => {
      tree().script(login, { steps: [...filing(login), { do: 'file', path: go(login) }] })
      await tree().call('spawn_workers', { specs: [{ name: login, prompt: 'x' }] })
      const number = await filed(login)
      if (at === 'refused') github().state.repository.requiredReviews.set('main', 1)
      const theirs = async (): Promise<void> => {
        github().state.repository.requiredReviews.delete('main')
        await github().as(login).merge(number)
      }
      // Forced: what is known to be missing is not tried otherwise.
      await mergeCutOff(number, at, theirs, { force: at === 'refused' })
      const delivered = await waitFor('the merge to be reported', async () => {
        const found = (await tree().events()).filter(
          ({ type, payload }) => type === 'pr.merged' && payload.number === number,
        )
        return found.length > 0 ? found : undefined
      })
      expect(delivered).toMatchObject([
        { payload: { external: true, by: `forge:${login}`, tried_by: ['human'] } },
      ])
      writeFileSync(go(login), '')
    },
  )

  it(
    verifies(
      'R004-10',
      'after GitHub has merged: it is recorded, brought home and cleaned up, and reported once as a merge of ours',
    ),
    async () => {
      const part = await filed('part')
      await mergeCutOff(part, 'record')
      expect(github().pull(part)).toMatchObject({ merged: true })
      expect(await tree().repository.git('rev-parse', 'main')).toBe(
        github().pull(part).mergeCommitSha,
      )
      expect(await world.tip('main.part')).toBe('')
      const delivered = await waitFor('the merge to be reported', async () => {
        const found = (await tree().events()).filter(
          ({ type, payload }) => type === 'pr.merged' && payload.number === part,
        )
        return found.length > 0 ? found : undefined
      })
      expect(delivered).toMatchObject([{ payload: { external: false } }])
      for (const name of ['lead', 'leaf', 'part']) writeFileSync(go(name), '')
    },
  )
})

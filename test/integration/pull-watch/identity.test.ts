import { afterEach, expect, it } from 'vitest'
import type { PullRequestSnapshot } from '../../../src/adapters/forge/forge.ts'
import { ExomonadError } from '../../../src/domain/errors.ts'
import { polledTree, type PolledTree } from '../../helpers/polled-tree.ts'
import { scriptedForge } from '../../helpers/scripted-forge.ts'
import { at, OWNER, pull, review, sha } from '../../unit/pull-watch/pull.ts'

let tree: PolledTree
afterEach(() => tree.close())

const keys = async (): Promise<(string | null)[]> =>
  (await tree.events()).map(({ dedupeKey }) => dedupeKey)
const known = async () =>
  (await tree.store.snapshots.get('pull:3'))?.['snapshot'] as PullRequestSnapshot | undefined
const onGithub = (more: Partial<PullRequestSnapshot> = {}) =>
  pull({ url: 'https://github.com/octo/widgets/pull/3', title: 'Another', ...more })

it('the local forge’s #3 is not GitHub’s #3, and is as it was when the person goes back', async () => {
  tree = await polledTree({ kind: 'local' })
  const local = tree.forge
  local.identity = '/home/jane/project'
  local.truth.set(3, pull({ reviews: [review()], reviewDecision: 'changes_requested' }))
  tree.poller.start()
  await tree.pass(60)
  expect(await keys()).toEqual([
    '/home/jane/project#3:opened',
    '/home/jane/project#3:review:r1:changes_requested',
  ])

  // Merged there, with a review of the same id: all of it is news.
  const github = scriptedForge('github')
  await tree.reopen({ forge: github })
  github.truth.set(
    3,
    onGithub({
      ...at('c'),
      reviews: [review({ commit: sha('c') })],
      reviewDecision: 'changes_requested',
    }),
  )
  tree.poller.start()
  await tree.pass(60)
  expect((await keys()).slice(2)).toEqual([
    'github.com/1#3:opened',
    'github.com/1#3:review:r1:changes_requested',
  ])
  expect(await known()).toMatchObject({ title: 'Another' })
  expect(
    (await tree.types()).filter((type) => type === 'pr.pushed' || type === 'base.moved'),
  ).toEqual([])

  local.truth.set(3, pull(at('f')))
  await tree.reopen({ forge: local })
  tree.poller.start()
  await tree.pass(60)
  expect((await tree.events()).slice(4)).toMatchObject([
    {
      type: 'pr.pushed',
      dedupeKey: `/home/jane/project#3:push:${sha('a')}:${sha('f')}`,
      payload: { title: 'Add login', after_changes_requested: true },
    },
    { type: 'pr.ready' },
  ])
  expect(await known()).toMatchObject({ title: 'Add login', head: { sha: sha('f') } })
})

it('a store from before there was a second forge goes on with the local one, wherever the repository lies by now', async () => {
  tree = await polledTree({ kind: 'local' })
  tree.forge.identity = '/old/place'
  tree.forge.truth.set(3, pull())
  await tree.poller.poll()
  await tree.store.snapshots.remove('poller:identity')
  await tree.reopen()
  tree.forge.identity = '/new/place'
  await tree.poller.poll()
  expect(await known()).toMatchObject({ title: 'Add login' })
  expect(await tree.types()).toEqual(['pr.opened', 'pr.ready'])
})

it('nor is it taken for GitHub’s where a store from before is opened with GitHub first', async () => {
  tree = await polledTree({ kind: 'local' })
  tree.forge.truth.set(3, pull())
  await tree.poller.poll()
  await tree.store.snapshots.remove('poller:identity')
  await tree.reopen({ forge: scriptedForge('github') })
  await tree.poller.poll()
  expect(await known()).toBeUndefined()
  expect(await tree.types()).toEqual(['pr.opened', 'pr.ready'])
  expect(await tree.store.deadlines.due(Number.MAX_SAFE_INTEGER)).toEqual([])
})

it('another repository is another one; a merge that was decided on there is none here', async () => {
  tree = await polledTree()
  tree.forge.truth.set(3, onGithub())
  await tree.poller.poll()
  const fork = scriptedForge('github')
  fork.identity = 'github.com/2'
  fork.truth.set(3, pull({ url: 'https://github.com/jane/widgets/pull/3' }))
  await tree.reopen({ forge: fork })
  await tree.poller.poll()
  expect(await known()).toMatchObject({ url: 'https://github.com/jane/widgets/pull/3' })
  await tree.store.events.append({
    ...{ type: 'merge.started', at: 0, agentId: OWNER, actor: 'human', why: null, dedupeKey: null },
    payload: {
      number: 3,
      title: '',
      url: onGithub().url,
      head: 'main.auth',
      base: 'main',
      strategy: 'squash',
    },
  })
  fork.truth.set(
    3,
    pull({
      url: 'https://github.com/jane/widgets/pull/3',
      state: 'merged',
      mergedBy: 'forge:jane',
    }),
  )
  await tree.poller.poll()
  expect((await tree.events()).at(-1)).toMatchObject({
    type: 'pr.merged',
    payload: { external: true },
  })
})

it('a repository that can’t be named yet is waited for, and nothing is reported under a wrong name', async () => {
  tree = await polledTree()
  tree.forge.failure = new ExomonadError('FORGE_UNAVAILABLE', 'no route')
  tree.forge.truth.set(3, pull())
  tree.poller.start()
  await tree.pass(120)
  expect(await tree.types()).toEqual(['forge.trouble'])
  tree.forge.failure = undefined
  await tree.pass(300)
  expect(await tree.types()).toEqual(['forge.trouble', 'forge.recovered', 'pr.opened', 'pr.ready'])
  expect((await keys())[2]).toBe('github.com/1#3:opened')
})

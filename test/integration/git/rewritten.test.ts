import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runProgram, startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/**
 * History that was rewritten while nobody wrote that down: by an agent itself, or by a daemon that
 * was killed before it could push.
 */

const write = (path: string, content: string) => ({ do: 'write', path, content })
const commit = (message: string) => ({ do: 'commit', message })
const filePr = { do: 'tool', name: 'file_pr', input: { title: 'Work', body: 'Done' } }
const filed = async (tree: Exomonad, name: string): Promise<number> =>
  (await tree.logged(name, 'its pull request', (entry) => entry['name'] === 'file_pr'))['answer']
    .pr_number
const worker = (tree: Exomonad, name: string, as?: string) =>
  tree.call(
    'spawn_workers',
    { specs: [{ name, prompt: 'Nothing to do.' }] },
    as === undefined ? {} : { as },
  )

describe('rewritten history', () => {
  let tree: Exomonad
  const go = (name: string) => join(tree.repository.folder, `go-${name}`)
  const release = (name: string) => runProgram('touch', [go(name)], { env: tree.repository.env })
  const remoteTip = (branch: string) =>
    tree.repository
      .git('ls-remote', 'exomonad', `refs/heads/${branch}`)
      .then((line) => line.split('\t')[0])
  /** Somebody’s work arrives on main. */
  const moveMain = async (name: string): Promise<string> => {
    tree.script(name, { steps: [write(`${name}.txt`, 'x\n'), commit(`Add ${name}`), filePr] })
    await worker(tree, name)
    return (await tree.call('merge_pr', { pr_number: await filed(tree, name) })).sha
  }
  beforeAll(async () => {
    tree = await startExomonad({ files: { 'shared.txt': 'base\n' } })
  })
  afterAll(() => tree?.stop())

  it(
    verifies('R004-17', 'a rebase that the agent made itself is pushed at its next stop'),
    async () => {
      tree.script('own', {
        steps: [
          write('own.txt', 'x\n'),
          commit('Own work'),
          filePr,
          { do: 'file', path: go('own') },
          { do: 'sh', command: 'git fetch -q exomonad main && git rebase -q exomonad/main' },
        ],
      })
      await worker(tree, 'own')
      const number = await filed(tree, 'own')
      const before = await remoteTip('main.own')
      const main = await moveMain('elsewhere')
      await release('own')
      await waitFor('it to be pushed', async () => (await remoteTip('main.own')) !== before, {
        limit: 60_000,
      })
      expect(await remoteTip('main.own')).toBe(await tree.repository.git('rev-parse', 'main.own'))
      expect(await tree.repository.git('log', '--format=%s', `${main}..main.own`)).toBe('Own work')
      const done = await waitFor('the event', async () =>
        (await tree.events()).find(
          (event) => event.type === 'rebase.done' && event.payload.branch === 'main.own',
        ),
      )
      expect(done.payload).toMatchObject({ onto: main })
      expect(await tree.call('merge_pr', { pr_number: number })).toMatchObject({
        merged: true,
        local_synced: true,
      })
    },
  )

  it(
    verifies(
      'R004-10',
      'a base that was rebased here and not pushed replaces what the remote had of it, before a merge into it',
    ),
    async () => {
      tree.script('lead', {
        steps: [write('lead.txt', 'x\n'), commit('Lead'), filePr, { do: 'file', path: go('lead') }],
      })
      await tree.call('spawn_subtree', { task: 'x', branch_name: 'lead' })
      await filed(tree, 'lead')
      tree.script('leaf', {
        steps: [write('leaf.txt', 'x\n'), commit('Leaf'), filePr, { do: 'file', path: go('leaf') }],
      })
      await worker(tree, 'leaf', 'lead')
      const leaf = await filed(tree, 'leaf')
      const main = await moveMain('meanwhile')
      const { worktree } = await tree.agent('lead')
      await tree.repository.gitIn(worktree, 'rebase', '-q', main)
      expect(await tree.call('merge_pr', { pr_number: leaf }, { as: 'lead' })).toMatchObject({
        merged: true,
        local_synced: true,
      })
      expect(await tree.repository.git('log', '--format=%s', `${main}..main.lead`)).toMatch(
        /^(Work|Leaf).*\nLead$/,
      )
      expect(await remoteTip('main.lead')).toBe(await tree.repository.git('rev-parse', 'main.lead'))
    },
  )

  it(
    verifies(
      'R004-08',
      'commits of others on the branch are never overwritten, also when it is filed again',
    ),
    async () => {
      tree.script('amender', {
        steps: [
          write('amender.txt', 'one\n'),
          commit('One'),
          filePr,
          { do: 'file', path: go('amender') },
          write('amender.txt', 'two\n'),
          { do: 'sh', command: 'git commit -q --amend -a -m Two' },
          {
            do: 'tool',
            name: 'file_pr',
            input: { title: 'Work', body: 'Again' },
            as: 'again',
            allow_failure: true,
          },
        ],
      })
      await worker(tree, 'amender')
      const number = await filed(tree, 'amender')
      const head = await tree.repository.git('rev-parse', 'main.amender')
      const theirs = await tree.repository.git(
        'commit-tree',
        '-p',
        head,
        '-m',
        'Of somebody else',
        `${head}^{tree}`,
      )
      // From elsewhere: nothing here knows it.
      await tree.repository.git(
        'push',
        '-q',
        join(tree.state, 'origin.git'),
        `${theirs}:refs/heads/main.amender`,
      )
      // Seen with the pull request, which makes it no commit of the agent’s.
      await tree.call('pr_review', {
        pr_number: number,
        verdict: 'comment',
        body: 'I added something.',
      })
      expect(
        (await tree.call('pr_list')).pull_requests.find((pull: any) => pull.number === number)
          ?.head_sha,
      ).toBe(theirs)
      await release('amender')
      const refused = await tree.logged(
        'amender',
        'the refusal',
        (entry) => entry['name'] === 'file_pr' && entry['status'] !== 200,
      )
      expect(refused['answer']).toMatchObject({
        code: 'HEAD_CHANGED',
        remote_head: theirs,
        error: expect.stringContaining('git rebase exomonad/main.amender'),
      })
      // 20.4: what is advised needs no fetch, and so no token.
      expect(await tree.repository.git('rev-parse', 'refs/remotes/exomonad/main.amender')).toBe(
        theirs,
      )
      expect(await remoteTip('main.amender')).toBe(theirs)
    },
  )
})

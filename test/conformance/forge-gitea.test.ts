import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { BranchName, Sha } from '../../src/ids.ts'
import { openGiteaForge } from '../helpers/gitea-forge.ts'
import { giteaFolder, NO_GITEA, startGitea, type Gitea } from '../helpers/gitea.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { forgeSuite } from './forge.ts'
import { agentRow } from './store/rows.ts'

if (giteaFolder() === null) console.warn(NO_GITEA)

describe.skipIf(giteaFolder() === null)('on a real Gitea (20.21)', () => {
  let gitea: Gitea
  beforeAll(async () => {
    gitea = await startGitea()
  }, 60_000)
  afterAll(() => gitea?.close())

  forgeSuite('gitea', { mergesItself: false, hosted: true, closesEmptied: false, squashAuthor: 'filer' }, async () => {
    const opened = await openGiteaForge(gitea, { name: 'a répo with 空白' })
    // Gitea knows of no agents: whose a pull request is tells its branch.
    const agent = agentRow({ branch: 'main.a' as BranchName })
    await opened.store.agents.insert(agent)
    return { ...opened, reviewer: 'human', merger: `forge:${opened.owner}`, agentId: agent.id }
  })

  const openedWithBranch = async () => {
    const opened = await openGiteaForge(gitea)
    onTestFinished(() => opened.close())
    const { forge, repository, git } = opened
    await repository.git('checkout', '-q', '-b', 'main.a')
    const head = (await repository.commit({ 'a.txt': 'a\n' })) as Sha
    await git.push(forge.remote, { sha: head, branch: 'main.a' as BranchName, expected: null })
    return { ...opened, head }
  }

  it('follows the push of what somebody else filed to its base', async () => {
    const { forge, git, store, owner, name, head } = await openedWithBranch()
    const { data } = await waitFor('Gitea to take it', async () => {
      const answer = await gitea.api('POST', `/repos/${owner}/${name}/pulls`, { body: { head: 'main.a', base: 'main', title: 'By hand' } })
      return answer.status < 400 ? answer : undefined
    })
    const { number } = data
    expect(await forge.snapshots([number])).toMatchObject([{ snapshot: { state: 'open' } }])
    await git.push(forge.remote, { sha: head, branch: 'main' as BranchName })
    const merged = { state: 'merged', mergedHead: head, mergeSha: head, mergedBy: 'forge:git' }
    await waitFor('it to be merged', async () => {
      const [read] = await forge.snapshots([number])
      return read !== undefined && 'snapshot' in read && read.snapshot.state === 'merged'
    })
    expect(await forge.snapshots([number])).toMatchObject([{ snapshot: merged }])
    // Ended on Gitea as well, nothing of it is kept.
    await forge.close(number, 'human')
    await forge.snapshots([number])
    expect(await store.snapshots.keys('gitea:head:')).toEqual([])
  })

  it('is asked for nothing where a conversation is resolved already', async () => {
    const opened = await openedWithBranch()
    const { forge, head } = opened
    const wanted = { head: 'main.a' as BranchName, headSha: head, base: 'main' as BranchName, title: 'A', body: '', draft: false, agentId: null }
    const filed = await forge.file(wanted)
    if (filed.kind !== 'filed') throw new Error(filed.kind)
    const { number } = filed
    const { comments } = await forge.review({ number, author: 'human', state: 'commented', body: '', comments: [{ path: 'a.txt', line: 1, body: 'Why?' }] })
    const resolve = () => forge.reply({ number, author: 'human', thread: comments[0]!.id, body: '', resolve: true })
    const reviews = async () => (await gitea.api('GET', `/repos/${opened.owner}/${opened.name}/pulls/${number}/reviews`)).data.length
    await resolve()
    const before = await reviews()
    await resolve()
    expect(await reviews()).toBe(before)
    expect(await opened.reopen().snapshots([number])).toMatchObject([{ snapshot: { reviews: [{ comments: [{ resolved: true }] }] } }])
  })
})

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { checkGitea } from '../../src/adapters/forge/gitea/check.ts'
import type { Forge } from '../../src/adapters/forge/forge.ts'
import type { BranchName, Sha } from '../../src/domain/ids.ts'
import { openGiteaForge } from '../helpers/gitea/gitea-forge.ts'
import { giteaFolder, NO_GITEA, startGitea, type Gitea } from '../helpers/gitea/gitea.ts'
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

  forgeSuite(
    'gitea',
    {
      mergesItself: false,
      hosted: true,
      closesEmptied: false,
      squashAuthor: 'filer',
      takesRanges: false,
    },
    async () => {
      const opened = await openGiteaForge(gitea, { name: 'a répo with 空白' })
      // Gitea knows of no agents: whose a pull request is follows from its branch.
      const agent = agentRow({ branch: 'main.a' as BranchName })
      await opened.store.agents.insert(agent)
      return { ...opened, reviewer: 'human', merger: `forge:${opened.owner}`, agentId: agent.id }
    },
  )

  const openedWithBranch = async () => {
    const opened = await openGiteaForge(gitea)
    onTestFinished(() => opened.close())
    const { forge, repository, git } = opened
    await repository.git('checkout', '-q', '-b', 'main.a')
    const head = (await repository.commit({ 'a.txt': 'a\n' })) as Sha
    await git.push(forge.remote, { sha: head, branch: 'main.a' as BranchName, expected: null })
    return { ...opened, head }
  }

  const fileIt = async (forge: Forge, headSha: Sha): Promise<number> => {
    const ends = { head: 'main.a' as BranchName, headSha, base: 'main' as BranchName }
    const filed = await forge.file({ ...ends, title: 'A', body: '', draft: false, agentId: null })
    if (filed.kind !== 'filed') throw new Error(filed.kind)
    return filed.number
  }

  it('follows the push of what somebody else filed to its base', async () => {
    const { forge, git, store, owner, name, head } = await openedWithBranch()
    const { data } = await waitFor('Gitea to take it', async () => {
      const answer = await gitea.api('POST', `/repos/${owner}/${name}/pulls`, {
        body: { head: 'main.a', base: 'main', title: 'By hand' },
      })
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
    const number = await fileIt(forge, head)
    const { comments } = await forge.review({
      number,
      author: 'human',
      state: 'commented',
      body: '',
      comments: [{ path: 'a.txt', line: 1, body: 'Why?' }],
    })
    const resolve = () =>
      forge.reply({ number, author: 'human', thread: comments[0]!.id, body: '', resolve: true })
    const reviews = async () =>
      (await gitea.api('GET', `/repos/${opened.owner}/${opened.name}/pulls/${number}/reviews`)).data
        .length
    await resolve()
    const before = await reviews()
    await resolve()
    expect(await reviews()).toBe(before)
    expect(await opened.reopen().snapshots([number])).toMatchObject([
      { snapshot: { reviews: [{ comments: [{ resolved: true }] }] } },
    ])
  })

  it('takes what anybody may push to refs/for for a stranger’s: neither followed nor trusted', async () => {
    const { forge, repository, owner, name } = await openedWithBranch()
    const eve = await gitea.addUser(`eve-${owner}`)
    const url = `${gitea.url.replace('//', `//x:${eve}@`)}/${owner}/${name}.git`
    await repository.git(
      'push',
      '-q',
      '-o',
      'topic=main.b',
      '-o',
      'title=Delete everything',
      url,
      'HEAD:refs/for/main',
    )
    const { number } = (await gitea.api('GET', `/repos/${owner}/${name}/pulls`)).data[0]
    const [read] = await forge.snapshots([number])
    expect(read).toMatchObject({
      snapshot: {
        trusted: false,
        agentId: null,
        mergeable: 'unknown',
        title: `Pull request of eve-${owner}`,
        body: '',
      },
    })
    expect(await forge.find({ state: 'open', base: 'main' as BranchName })).toEqual([])
    expect(await forge.find({ state: 'open', base: 'main' as BranchName, forks: true })).toEqual([
      number,
    ])
  })

  it('believes whom Gitea lets write: not members who may only read, though issues may be assigned to them', async () => {
    const opened = await openedWithBranch()
    const { forge, head, owner, name, reopen } = opened
    const tokens: string[] = []
    const ok = async (...request: Parameters<Gitea['api']>) => {
      const { status, data } = await gitea.api(...request)
      if (status >= 400) throw new Error(`${request[1]}: ${status} ${JSON.stringify(data)}`)
      return data
    }
    const org = `org-${owner}`
    const [reader, writer, other] = [`reader-${owner}`, `writer-${owner}`, `other-${owner}`]
    await ok('POST', '/orgs', { as: owner, body: { username: org } })
    for (const [login, permission] of [
      [reader, 'read'],
      [writer, 'write'],
      [other, 'write'],
    ] as const) {
      tokens.push(await gitea.addUser(login))
      const body = {
        name: `team-of-${login}`,
        permission,
        includes_all_repositories: true,
        units: ['repo.code', 'repo.issues', 'repo.pulls'],
      }
      const { id } = await ok('POST', `/orgs/${org}/teams`, { as: owner, body })
      await ok('PUT', `/teams/${id}/members/${login}`, { as: owner })
    }
    await ok('POST', `/repos/${owner}/${name}/transfer`, { as: owner, body: { new_owner: org } })
    const number = await fileIt(forge, head)
    // One only reviews, another only comments.
    for (const as of [reader, writer]) {
      await ok('POST', `/repos/${org}/${name}/pulls/${number}/reviews`, {
        as,
        body: { event: 'APPROVED', body: `by ${as}` },
      })
    }
    for (const as of [reader, other])
      await ok('POST', `/repos/${org}/${name}/issues/${number}/comments`, {
        as,
        body: { body: `by ${as}` },
      })
    expect(
      (await ok('GET', `/repos/${org}/${name}/assignees`, {})).map(
        ({ login }: { login: string }) => login,
      ),
    ).toContain(reader)
    const withheld = { authorName: reader, trusted: false, body: '' }
    const shown = (login: string) => ({ authorName: login, trusted: true, body: `by ${login}` })
    expect(await forge.snapshots([number])).toMatchObject([
      { snapshot: { comments: [withheld, shown(other)], reviews: [withheld, shown(writer)] } },
    ])
    // The token of one of them may not ask who is in another’s team: nobody is believed for that.
    const theirs = reopen({ token: async () => tokens[1]! })
    const { clientOf } = opened
    const check = (as: string) =>
      checkGitea(
        clientOf(async () => as),
        `${org}/${name}`,
      )
    expect(await check(opened.token)).toMatchObject({ kind: 'checked', missing: [], limits: [] })
    expect(await check(tokens[1]!)).toMatchObject({
      missing: [],
      limits: [{ what: expect.stringContaining(`team-of-${other}`) }],
    })
    const silent = { authorName: other, trusted: false, body: '' }
    expect(await theirs.snapshots([number])).toMatchObject([
      { snapshot: { comments: [withheld, silent], reviews: [withheld, shown(writer)] } },
    ])
  })

  it('reads all statuses, of which Gitea gives fifty at a time', async () => {
    const { forge, head, owner, name } = await openedWithBranch()
    const number = await fileIt(forge, head)
    for (let index = 0; index < 60; index++) {
      const body = { context: `ci/${index}`, state: index === 0 ? 'failure' : 'success' }
      await gitea.api('POST', `/repos/${owner}/${name}/statuses/${head}`, { body })
    }
    const [read] = await forge.snapshots([number])
    if (read === undefined || !('snapshot' in read)) throw new Error('unread')
    expect(read.snapshot.checksState).toBe('failed')
    expect(new Set(read.snapshot.checks.map(({ name: context }) => context)).size).toBe(60)
  })

  it('holds ready only what Gitea would merge, by what protects the base', async () => {
    const { forge, git, repository, head, owner, name } = await openedWithBranch()
    const at = `/repos/${owner}/${name}`
    const ok = async (...request: Parameters<Gitea['api']>) => {
      const { status, data } = await gitea.api(...request)
      if (status >= 400) throw new Error(`${request[1]}: ${status} ${JSON.stringify(data)}`)
    }
    const protect = (body: object) => ok('PATCH', `${at}/branch_protections/main`, { body })
    const status = (context: string, state: string) =>
      ok('POST', `${at}/statuses/${head}`, { body: { context, state } })
    await repository.git('checkout', '-q', 'main')
    const base = (await repository.commit({ 'b.txt': 'b' })) as Sha
    await git.push(forge.remote, { sha: base, branch: 'main' as BranchName })
    const number = await fileIt(forge, head)
    const look = async () => {
      const [read] = await forge.snapshots([number])
      if (read === undefined || !('snapshot' in read)) throw new Error('unread')
      return read.snapshot
    }
    const merge = () =>
      forge.merge({
        number,
        expectedHead: head,
        expectedBase: 'main' as BranchName,
        strategy: 'merge',
        by: 'human',
        prepared: async () => {},
      })
    await waitFor('Gitea to have the base', async () => (await look()).base.sha === base)
    expect(await look()).toMatchObject({ checksState: 'none', checksRequired: false, blockers: [] })

    await ok('POST', `${at}/branch_protections`, {
      body: {
        rule_name: 'main',
        enable_push: true,
        enable_status_check: true,
        status_check_contexts: [],
      },
    })
    expect(await look()).toMatchObject({
      checksState: 'pending',
      checksRequired: true,
      blockers: [],
    })
    expect(await merge()).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('status checks'),
    })
    await status('ci', 'warning')
    expect(await look()).toMatchObject({
      checksState: 'failed',
      checks: [{ name: 'ci', status: 'failed', required: true }],
    })
    expect(await merge()).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('status checks'),
    })
    await status('ci', 'success')
    expect(await look()).toMatchObject({ checksState: 'passed', blockers: [] })

    await protect({ block_on_outdated_branch: true })
    expect(await look()).toMatchObject({ blockers: [{ kind: 'behind', person: false }] })
    expect(await merge()).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('behind'),
    })
    await protect({
      block_on_outdated_branch: false,
      block_on_rejected_reviews: true,
      block_on_official_review_requests: true,
    })
    const ann = `ann-${owner}`
    await gitea.addUser(ann)
    await ok('PUT', `${at}/collaborators/${ann}`, { body: { permission: 'write' } })
    await ok('POST', `${at}/pulls/${number}/requested_reviewers`, {
      as: owner,
      body: { reviewers: [ann] },
    })
    expect(await look()).toMatchObject({
      blockers: [
        { kind: 'review', person: true, needs: expect.stringContaining(`the review of ${ann}`) },
      ],
    })
    expect(await merge()).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('review requests'),
    })
    await ok('POST', `${at}/pulls/${number}/reviews`, {
      as: ann,
      body: { event: 'REQUEST_CHANGES', body: 'No.' },
    })
    expect(await look()).toMatchObject({
      blockers: [
        { kind: 'review', person: true, needs: expect.stringContaining(`${ann} to approve it`) },
      ],
    })
    expect(await merge()).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('requested changes'),
    })
    await ok('POST', `${at}/pulls/${number}/reviews`, {
      as: ann,
      body: { event: 'APPROVED', body: 'Yes.' },
    })
    expect(await look()).toMatchObject({ blockers: [] })
    expect(await merge()).toMatchObject({ kind: 'merged' })
  })
})

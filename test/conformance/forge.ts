import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Forge, PullRequestSnapshot } from '../../src/adapters/forge/forge.ts'
import type { Git } from '../../src/adapters/git/git.ts'
import type { Store } from '../../src/adapters/store/store.ts'
import type { Actor, AgentId, BranchName, Sha } from '../../src/domain/ids.ts'
import type { TempRepository } from '../helpers/temp-repository.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { verifies } from '../requirements.ts'

/** What a forge needs to be put through the suite. The repository’s `main` is pushed already. */
export interface ForgeHarness {
  readonly repository: TempRepository
  readonly git: Git
  readonly forge: Forge
  readonly store: Pick<Store, 'snapshots'>
  /** An actor as this forge knows them. */
  readonly reviewer: Actor
  readonly merger: Actor
  readonly agentId: AgentId | null
  /** From now on the remote can’t be reached. */
  cutOff(): Promise<void>
  /** Ends what was opened. */
  close(): Promise<void>
}

export interface ForgeTraits {
  /**
   * Merges happen in this process, so that `prepared` gets the commit and a crash between it and
   * the push can be settled.
   */
  readonly mergesItself: boolean
  /**
   * They live on a host elsewhere: nothing is known while it is away, and it has habits of its own
   * with squashes and emptied branches.
   */
  readonly hosted: boolean
  /** A pull request whose branch was reset to its base is closed. */
  readonly closesEmptied: boolean
  /**
   * Whose a squashed commit is: of whoever wrote its first commit, or of the account that filed the
   * pull request.
   */
  readonly squashAuthor: 'first' | 'filer'
  /** Comments stand on several lines. */
  readonly takesRanges: boolean
}

const name = (text: string): BranchName => text as BranchName

/** One suite for every forge: what core relies on. */
export function forgeSuite(
  title: string,
  traits: ForgeTraits,
  open: () => Promise<ForgeHarness>,
): void {
  const start = async () => {
    const harness = await open()
    onTestFinished(() => harness.close())
    const { repository, git, forge } = harness
    let worktrees = 0

    /** A branch with commits of its own, pushed. `at` is where it starts. */
    const grow = async (
      branch: string,
      commits: readonly Record<string, string>[],
      options: { at?: Sha; author?: string; message?: string } = {},
    ): Promise<Sha> => {
      const known = await git.resolve(`refs/heads/${branch}`)
      const at = options.at ?? (await git.resolve('refs/heads/main'))!
      const path = join(repository.folder, `tree-${++worktrees}`)
      await git.addWorktree({ path, branch: name(branch), create: known === null, at })
      const before = known === null ? null : await git.remoteTip(forge.remote, name(branch))
      for (const files of commits) {
        for (const [file, content] of Object.entries(files)) {
          mkdirSync(dirname(join(path, file)), { recursive: true })
          writeFileSync(join(path, file), content)
        }
        await repository.gitIn(path, 'add', '-A')
        const author = options.author === undefined ? [] : ['--author', options.author]
        await repository.gitIn(
          path,
          'commit',
          '-q',
          ...author,
          '--date',
          '2020-02-03T04:05:06+0100',
          '-m',
          options.message ?? `Change ${Object.keys(files).join(', ')}`,
        )
      }
      const head = (await repository.gitIn(path, 'rev-parse', 'HEAD')) as Sha
      await git.removeWorktree(path)
      expect(
        await git.push(forge.remote, { sha: head, branch: name(branch), expected: before }),
      ).toEqual({ kind: 'pushed' })
      return head
    }
    const file = async (
      head: string,
      headSha: Sha,
      options: { base?: string; title?: string; body?: string; draft?: boolean } = {},
    ): Promise<number> => {
      const filed = await forge.file({
        head: name(head),
        headSha,
        base: name(options.base ?? 'main'),
        title: options.title ?? `Work on ${head}`,
        body: options.body ?? '',
        draft: options.draft ?? false,
        agentId: harness.agentId,
      })
      if (filed.kind !== 'filed') throw new Error(`not filed: ${filed.kind}`)
      return filed.number
    }
    const look = async (number: number): Promise<PullRequestSnapshot> => {
      const [result] = await forge.snapshots([number])
      if (result === undefined || !('snapshot' in result))
        throw new Error(`no snapshot: ${JSON.stringify(result)}`)
      return result.snapshot
    }
    const settled = (number: number): Promise<PullRequestSnapshot> =>
      waitFor(`#${number} to be known as mergeable or not`, async () => {
        const snapshot = await look(number)
        return snapshot.mergeable === 'unknown' ? undefined : snapshot
      })
    const merge = (
      number: number,
      expectedHead: Sha,
      strategy: 'merge' | 'squash' | 'rebase',
      prepared: (sha: Sha | null) => Promise<void> = async () => {},
    ) =>
      forge.merge({
        number,
        expectedHead,
        expectedBase: name('main'),
        strategy,
        by: harness.merger,
        prepared,
      })
    const baseTip = async (branch = 'main'): Promise<Sha> => {
      await git.fetch(forge.remote, [name(branch)])
      return (await git.resolve(`refs/remotes/${forge.remote}/${branch}`))!
    }
    return { ...harness, grow, file, look, settled, merge, baseTip }
  }

  describe(`forge: ${title}`, () => {
    it(
      verifies('R004-08', 'files a pull request, and updates the open one of the same branch'),
      async () => {
        const { forge, grow, file, settled, agentId } = await start()
        const head = await grow('main.a', [{ 'a.txt': 'a' }])
        const number = await file('main.a', head, { title: 'First', body: 'Why', draft: true })
        expect(await settled(number)).toMatchObject({
          number,
          title: 'First',
          body: 'Why',
          state: 'open',
          draft: true,
          head: { branch: 'main.a', sha: head },
          base: { branch: 'main' },
          agentId,
          mergeable: 'mergeable',
          reviewDecision: 'none',
          mergeSha: null,
        })
        const again = await forge.file({
          head: name('main.a'),
          headSha: head,
          base: name('main'),
          title: 'Second',
          body: 'Because',
          draft: false,
          agentId,
        })
        expect(again).toMatchObject({ kind: 'filed', number, created: false })
        expect(await settled(number)).toMatchObject({
          title: 'Second',
          body: 'Because',
          draft: false,
        })
        expect(await forge.find({ heads: [name('main.a')] })).toEqual([number])
      },
    )

    it('says that a branch has nothing to merge', async () => {
      const { forge, git, agentId } = await start()
      const head = (await git.resolve('main'))!
      await git.push(forge.remote, { sha: head, branch: name('main.empty'), expected: null })
      const filed = await forge.file({
        head: name('main.empty'),
        headSha: head,
        base: name('main'),
        title: 'Nothing',
        body: '',
        draft: false,
        agentId,
      })
      expect(filed).toEqual({ kind: 'nothing_to_merge' })
      expect(await forge.find({})).toEqual([])
    })

    it('merges with a merge commit that has both parents', async () => {
      const { git, grow, file, merge, look, baseTip, merger } = await start()
      const before = (await git.resolve('main'))!
      const head = await grow('main.a', [{ 'a.txt': 'a' }, { 'b.txt': 'b' }])
      const number = await file('main.a', head)
      const result = await merge(number, head, 'merge')
      expect(result).toEqual({ kind: 'merged', sha: await baseTip(), head })
      expect((await git.readCommit(await baseTip())).parents).toEqual([before, head])
      expect(await look(number)).toMatchObject({
        state: 'merged',
        mergeSha: await baseTip(),
        mergedBy: merger,
        mergedHead: head,
      })
    })

    it('squashes to one commit that keeps author, words and co-authors', async () => {
      const { git, grow, file, merge, baseTip } = await start()
      const before = (await git.resolve('main'))!
      await grow('main.a', [{ 'a.txt': 'a' }], { author: 'Ann <ann@example.invalid>' })
      const head = await grow('main.a', [{ 'b.txt': 'b' }], {
        author: 'Bob <bob@example.invalid>',
        message: 'More\n\nCo-authored-by: Cy <cy@example.invalid>',
      })
      const number = await file('main.a', head, { title: 'Add a and b', body: 'Both are needed.' })
      expect(await merge(number, head, 'squash')).toMatchObject({ kind: 'merged' })
      const commit = await git.readCommit(await baseTip())
      expect(commit.parents).toEqual([before])
      if (traits.squashAuthor === 'first')
        expect(commit.author).toMatchObject({ name: 'Ann', email: 'ann@example.invalid' })
      else expect(commit.message).toContain('Co-authored-by: Ann <ann@example.invalid>')
      expect(commit.message).toContain(`Add a and b (#${number})`)
      expect(commit.message).toContain('Both are needed.')
      expect(commit.message).toContain('Co-authored-by: Bob <bob@example.invalid>')
      expect(commit.message).toContain('Co-authored-by: Cy <cy@example.invalid>')
      if (!traits.hosted) expect(commit.message).not.toContain('Co-authored-by: Ann')
      expect(await git.changedFiles(before, await baseTip())).toEqual(['a.txt', 'b.txt'])
    })

    it('rebases every commit onto a base that moved, with authors and dates', async () => {
      const { git, repository, forge, grow, file, merge, baseTip } = await start()
      const head = await grow('main.a', [{ 'a.txt': '1' }, { 'a.txt': '2', 'ü b.txt': 'b' }], {
        author: 'Ann <ann@example.invalid>',
      })
      const number = await file('main.a', head)
      const moved = (await repository.commit({ 'else.txt': 'else' })) as Sha
      await git.push(forge.remote, { sha: moved, branch: name('main') })
      expect(await merge(number, head, 'rebase')).toMatchObject({ kind: 'merged' })
      const tip = await baseTip()
      const commits = await git.commits(moved, tip)
      expect(commits.map((commit) => [commit.subject, commit.parents.length])).toEqual([
        ['Change a.txt, ü b.txt', 1],
        ['Change a.txt', 1],
      ])
      expect((await git.readCommit(tip)).author).toEqual({
        name: 'Ann',
        email: 'ann@example.invalid',
        date: '1580699106 +0100',
      })
      expect(await git.changedFiles(moved, tip)).toEqual(['a.txt', 'ü b.txt'])
    })

    it('merges only the head that was looked at, and only once', async () => {
      const { grow, file, merge, look } = await start()
      const seen = await grow('main.a', [{ 'a.txt': 'a' }])
      const number = await file('main.a', seen)
      const head = await grow('main.a', [{ 'a.txt': 'more' }])
      expect(await merge(number, seen, 'merge')).toEqual({ kind: 'head_changed', head })
      expect((await look(number)).state).toBe('open')
      expect(await merge(number, head, 'merge')).toMatchObject({ kind: 'merged', head })
      expect(await merge(number, head, 'merge')).toEqual({ kind: 'not_open', state: 'merged' })
    })

    it('names the files of a conflict and leaves the base alone', async () => {
      const { git, forge, repository, grow, file, merge, settled, baseTip } = await start()
      const head = await grow('main.a', [{ 'README.md': 'mine\n', 'ä.txt': 'mine' }])
      const number = await file('main.a', head)
      const moved = (await repository.commit({ 'README.md': 'theirs\n', 'ä.txt': 'theirs' })) as Sha
      await git.push(forge.remote, { sha: moved, branch: name('main') })
      expect(await settled(number)).toMatchObject({ mergeable: 'conflicting' })
      for (const strategy of ['merge', 'squash', 'rebase'] as const) {
        expect(await merge(number, head, strategy)).toEqual({
          kind: 'conflict',
          files: ['README.md', 'ä.txt'],
        })
      }
      expect(await baseTip()).toBe(moved)
    })

    it('merges siblings that come at the same time, none lost', async () => {
      const { git, grow, file, merge, baseTip } = await start()
      const before = (await git.resolve('main'))!
      const pulls: { number: number; head: Sha }[] = []
      for (const letter of ['a', 'b', 'c', 'd']) {
        const head = await grow(`main.${letter}`, [{ [`${letter}.txt`]: letter }])
        pulls.push({ number: await file(`main.${letter}`, head), head })
      }
      const results = await Promise.all(
        pulls.map(({ number, head }) => merge(number, head, 'squash')),
      )
      expect(results.map((result) => result.kind)).toEqual(['merged', 'merged', 'merged', 'merged'])
      expect(await git.changedFiles(before, await baseTip())).toEqual([
        'a.txt',
        'b.txt',
        'c.txt',
        'd.txt',
      ])
    })

    it('tries again where the base moves between making the commit and pushing it', async () => {
      if (!traits.mergesItself) return
      const { git, forge, grow, file, merge, baseTip } = await start()
      const head = await grow('main.a', [{ 'a.txt': 'a' }])
      const number = await file('main.a', head)
      const prepared: Sha[] = []
      let moved: Sha | undefined
      const result = await merge(number, head, 'merge', async (sha) => {
        prepared.push(sha!)
        if (moved !== undefined) return
        moved = await grow('elsewhere', [{ 'else.txt': 'x' }])
        await git.push(forge.remote, { sha: moved, branch: name('main') })
      })
      expect(prepared).toHaveLength(2)
      expect(result).toEqual({ kind: 'merged', sha: prepared[1], head })
      expect(await baseTip()).toBe(prepared[1])
      expect((await git.readCommit(prepared[1]!)).parents).toEqual([moved, head])
    })

    it('does not merge into a base that it was pointed to since', async () => {
      const { git, forge, grow, file, settled, merge, look, baseTip, merger } = await start()
      const lead = await grow('main.a', [{ 'a.txt': 'a' }])
      const head = await grow('main.a.b', [{ 'b.txt': 'b' }], { at: lead })
      const number = await file('main.a.b', head, { base: 'main.a' })
      const before = await baseTip()
      const into = (base: string) =>
        forge.merge({
          number,
          expectedHead: head,
          expectedBase: name(base),
          strategy: 'merge',
          by: merger,
          prepared: async () => {},
        })
      await forge.retarget(number, name('main'))
      await settled(number)
      expect(await into('main.a')).toEqual({ kind: 'refused', reason: 'it goes to main now' })
      expect((await look(number)).state).toBe('open')
      expect(await baseTip()).toBe(before)
      expect(await baseTip('main.a')).toBe(lead)
      expect(await merge(number, head, 'merge')).toMatchObject({ kind: 'merged', head })
      expect(await git.isAncestor(head, await baseTip())).toBe(true)
    })

    it('settles a merge that a crash cut off, before and after the push', async () => {
      if (!traits.mergesItself) return
      const { git, forge, grow, file, merge, look, merger } = await start()
      const head = await grow('main.a', [{ 'a.txt': 'a' }])
      const number = await file('main.a', head)
      let prepared: Sha | null = null
      const crash = new Error('crash')
      await expect(
        merge(number, head, 'squash', async (sha) => {
          prepared = sha
          throw crash
        }),
      ).rejects.toBe(crash)
      expect(await forge.settleMerge({ number, prepared: null, by: merger })).toEqual({
        kind: 'not_merged',
      })
      expect(await forge.settleMerge({ number, prepared, by: merger })).toEqual({
        kind: 'not_merged',
      })
      expect((await look(number)).state).toBe('open')
      // The push got through, and then the process ended.
      await git.push(forge.remote, { sha: prepared!, branch: name('main') })
      expect(await forge.settleMerge({ number, prepared, by: merger })).toEqual({
        kind: 'merged',
        sha: prepared,
        head,
      })
      expect(await look(number)).toMatchObject({
        state: 'merged',
        mergedBy: merger,
        mergeSha: prepared,
      })
    })

    it('retargets, closes, and finds by state and base', async () => {
      const { forge, grow, file, settled, look, merger } = await start()
      const parent = await grow('main.a', [{ 'a.txt': 'a' }])
      const child = await grow('main.a.b', [{ 'b.txt': 'b' }], { at: parent })
      const one = await file('main.a', parent)
      const two = await file('main.a.b', child, { base: 'main.a' })
      expect(await forge.find({ state: 'open', base: name('main.a') })).toEqual([two])
      await forge.retarget(two, name('main'))
      expect(await settled(two)).toMatchObject({ base: { branch: 'main' }, state: 'open' })
      await forge.close(one, merger)
      expect(await look(one)).toMatchObject({ state: 'closed', mergeSha: null })
      expect(await forge.find({ state: 'open' })).toEqual([two])
      expect(
        await forge.merge({
          number: one,
          expectedHead: parent,
          expectedBase: name('main'),
          strategy: 'merge',
          by: merger,
          prepared: async () => {},
        }),
      ).toEqual({
        kind: 'not_open',
        state: 'closed',
      })
    })

    it('shows the diff of an open and of a merged pull request', async () => {
      const { forge, grow, file, merge } = await start()
      const head = await grow('main.a', [{ 'ä b.txt': 'one\ntwo\n' }])
      const number = await file('main.a', head)
      expect(await forge.diff(number)).toContain('+two')
      await merge(number, head, 'merge')
      expect(await forge.diff(number)).toContain('+two')
    })

    it('lists the commits of an open and of a merged pull request, oldest first', async () => {
      const { git, forge, grow, file, merge } = await start()
      const head = await grow('main.a', [{ 'a.txt': 'one\n' }, { 'b.txt': 'two\n' }])
      const number = await file('main.a', head)
      const [newest, older] = await git.commits(`${head}~2` as Sha, head)
      const listed = [older, newest].map((commit) => ({
        ...{ sha: commit?.sha, title: commit?.subject, at: commit?.at },
        author: commit?.author.replace(/ <.*/, ''),
      }))
      expect(await forge.commits(number)).toEqual(listed)
      await merge(number, head, 'merge')
      expect(await forge.commits(number)).toEqual(listed)
    })

    it(
      verifies(
        'R004-16',
        'keeps reviews with line comments; a push answers a change request, a mere rebase does not',
      ),
      async () => {
        const { forge, store, git, repository, grow, file, look, reviewer } = await start()
        const head = await grow('main.a', [{ 'a.txt': 'a\nb\n' }])
        const number = await file('main.a', head)
        const hints: number[] = []
        onTestFinished(forge.onHint((hinted) => hints.push(hinted)))
        const review = (state: 'approved' | 'changes_requested' | 'commented', body: string) =>
          forge.review({
            number,
            author: reviewer,
            state,
            body,
            comments: [{ path: 'a.txt', line: 2, body: 'Here.' }],
          })
        await review('changes_requested', 'Please fix.')
        expect(await look(number)).toMatchObject({
          reviewDecision: 'changes_requested',
          reviews: [
            {
              state: 'changes_requested',
              body: 'Please fix.',
              commit: head,
              trusted: true,
              comments: [{ path: 'a.txt', line: 2, body: 'Here.' }],
            },
          ],
        })
        await waitFor('a hint', () => hints.includes(number))

        // The stop check’s rebase is no answer to a reviewer.
        const moved = (await repository.commit({ 'else.txt': 'else' })) as Sha
        await git.push(forge.remote, { sha: moved, branch: name('main') })
        const path = join(repository.folder, 'rebased')
        await git.addWorktree({ path, branch: name('main.a'), create: false, at: head })
        const rebased = await git.rebase(path, {
          onto: moved,
          forkPoint: (await git.mergeBase(moved, head))!,
        })
        if (rebased.kind !== 'rebased') throw new Error(rebased.kind)
        await git.push(forge.remote, { sha: rebased.head, branch: name('main.a'), expected: head })
        await git.removeWorktree(path)
        expect(await look(number)).toMatchObject({
          head: { sha: rebased.head },
          reviewDecision: 'changes_requested',
        })
        // Nor is a rebase of the base: what it held before is no work of this head.
        const rewritten = (
          await repository.git(
            'commit-tree',
            '-p',
            (await git.mergeBase(moved, head))!,
            '-m',
            'Rewritten',
            `${moved}^{tree}`,
          )
        ).trim() as Sha
        await git.push(forge.remote, { sha: rewritten, branch: name('main'), expected: moved })
        expect(await look(number)).toMatchObject({
          base: { sha: rewritten },
          head: { sha: rebased.head },
          reviewDecision: 'changes_requested',
        })

        await grow('main.a', [{ 'a.txt': 'a\nbetter\n' }])
        expect(await look(number)).toMatchObject({ reviewDecision: 'none' })
        await review('approved', '')
        await review('commented', 'By the way')
        expect(await look(number)).toMatchObject({ reviewDecision: 'approved' })
        await review('changes_requested', 'On second thoughts')
        expect(await look(number)).toMatchObject({ reviewDecision: 'changes_requested' })
        // That the heads were the same work is kept as long as it is open (20.17).
        expect(await store.snapshots.keys('same-work:')).toHaveLength(1)
        await forge.close(number, 'human')
        expect(await look(number)).toMatchObject({ state: 'closed' })
        expect(await store.snapshots.keys('same-work:')).toEqual([])
      },
    )

    it('(20.19) keeps which lines a comment is about, or says it where it takes no range', async () => {
      const { forge, grow, file, look, reviewer } = await start()
      const number = await file('main.a', await grow('main.a', [{ 'a.txt': 'a\nb\nc\n' }]))
      const place = { path: 'a.txt', startLine: 1, line: 3 }
      const said = traits.takesRanges
        ? { ...place, body: 'One loop.' }
        : { ...place, startLine: null, body: 'Lines 1–3: One loop.' }
      const comments = [{ ...place, body: 'One loop.' }]
      const made = await forge.review({
        number,
        author: reviewer,
        state: 'commented',
        body: '',
        comments,
      })
      expect(made.comments).toMatchObject([said])
      expect(await look(number)).toMatchObject({ reviews: [{ comments: [said] }] })
    })

    it('(20.19) takes comments on lines of the old version, which are answered there', async () => {
      const { forge, grow, file, look, reviewer, agentId } = await start()
      const number = await file('main.a', await grow('main.a', [{ 'README.md': 'other\n' }]))
      const place = { path: 'README.md', line: 1, side: 'left' as const }
      const made = await forge.review({
        number,
        author: reviewer,
        state: 'commented',
        body: '',
        comments: [
          { ...place, body: 'It was needed.' },
          { path: 'README.md', line: 1, body: 'It is not.' },
        ],
      })
      expect(made.comments).toMatchObject([{ ...place, body: 'It was needed.' }, { line: 1 }])
      const seen = (await look(number))?.reviews.flatMap(({ comments }) => comments)
      expect(seen?.map(({ side = 'right', body }) => `${side}: ${body}`)).toEqual([
        'left: It was needed.',
        'right: It is not.',
      ])
      const thread = seen?.[0]?.thread ?? ''
      expect(seen?.[1]?.thread).not.toBe(thread)
      await forge.reply({
        ...{ number, author: agentId as Actor, thread, body: 'It is back.', resolve: false },
      })
      const after = (await look(number))?.reviews.flatMap(({ comments }) => comments)
      expect(after?.find(({ body }) => body === 'It is back.')).toMatchObject({ ...place, thread })
    })

    it('(20.19) keeps conversations on lines: answered by whoever answers, and open until they are resolved', async () => {
      const { forge, grow, file, look, reviewer, agentId } = await start()
      const agent = agentId as Actor
      const number = await file('main.a', await grow('main.a', [{ 'a.txt': 'a\nb\n' }]))
      const comments = [1, 2].map((line) => ({ path: 'a.txt', line, body: `Line ${line}.` }))
      await forge.review({
        number,
        author: reviewer,
        state: 'changes_requested',
        body: 'Please fix.',
        comments,
      })
      const conversations = async () => {
        const { reviews } = await look(number)
        return reviews.flatMap((review) =>
          review.comments.map(({ author, line, body, resolved }) => ({
            by: review.author,
            author,
            line,
            body,
            resolved,
          })),
        )
      }
      const asked = { by: reviewer, author: reviewer, resolved: false }
      expect(await conversations()).toEqual([
        { ...asked, line: 1, body: 'Line 1.' },
        { ...asked, line: 2, body: 'Line 2.' },
      ])
      const [first, second] = (await look(number)).reviews[0]!.comments
      expect(first!.thread).not.toBe(second!.thread)

      const hints: number[] = []
      onTestFinished(forge.onHint((hinted) => hints.push(hinted)))
      await forge.reply({
        number,
        author: agent,
        thread: first!.thread!,
        body: 'Fixed.',
        resolve: true,
      })
      await waitFor('a hint', () => hints.includes(number))
      await forge.reply({
        number,
        author: agent,
        thread: second!.thread!,
        body: 'Why?',
        resolve: false,
      })
      const answered = [
        { ...asked, resolved: true, line: 1, body: 'Line 1.' },
        { ...asked, line: 2, body: 'Line 2.' },
        { by: agent, author: agent, resolved: true, line: 1, body: 'Fixed.' },
        { by: agent, author: agent, resolved: false, line: 2, body: 'Why?' },
      ]
      expect(await conversations()).toEqual(answered)
      const { reviews, reviewDecision } = await look(number)
      expect(reviews.slice(1)).toMatchObject(
        [1, 2].map(() => ({ author: agent, state: 'commented', body: '', trusted: true })),
      )
      expect(reviews[2]!.comments[0]!.thread).toBe(second!.thread)
      expect(reviewDecision).toBe('changes_requested')

      // Resolved without a word, and once more: nothing is added.
      for (let times = 0; times < 2; times++)
        await forge.reply({
          number,
          author: reviewer,
          thread: second!.thread!,
          body: '',
          resolve: true,
        })
      expect(await conversations()).toEqual(
        answered.map((comment) => ({ ...comment, resolved: true })),
      )
      for (const resolve of [true, false]) {
        const reply = {
          number,
          author: agent,
          thread: 'none',
          body: resolve ? '' : 'Hello?',
          resolve,
        }
        await expect(forge.reply(reply)).rejects.toMatchObject({ code: 'INVALID_ARG' })
      }
    })

    it('notices a merge that somebody pushed past it, but not a branch that was only reset', async () => {
      const { forge, git, grow, file, look } = await start()
      const main = (await git.resolve('main'))!
      const pushed = await grow('main.a', [{ 'a.txt': 'a' }])
      const reset = await grow('main.b', [{ 'b.txt': 'b' }])
      const [one, two] = [await file('main.a', pushed), await file('main.b', reset)]
      await look(two)
      await git.push(forge.remote, { sha: pushed, branch: name('main') })
      await git.push(forge.remote, { sha: main, branch: name('main.b'), expected: reset })
      const merged = await look(one)
      expect(merged).toMatchObject({ state: 'merged', mergedHead: pushed })
      expect(merged.mergedBy).toMatch(/^forge:/)
      expect((await look(two)).state).toBe(traits.closesEmptied ? 'closed' : 'open')
    })

    it('reports unknown, never empty, while the remote is away, and missing numbers as such', async () => {
      const { forge, grow, file, merge, merger, cutOff } = await start()
      const head = await grow('main.a', [{ 'a.txt': 'a' }])
      const number = await file('main.a', head)
      await cutOff()
      const [open, none] = await forge.snapshots([number, 4711])
      expect(open).toEqual({
        number,
        unknown: expect.stringContaining(traits.hosted ? 'reached' : forge.remote),
      })
      expect(none).toEqual(
        traits.hosted
          ? { number: 4711, unknown: expect.any(String) }
          : { number: 4711, missing: true },
      )
      await expect(merge(number, head, 'merge')).rejects.toMatchObject({
        code: 'FORGE_UNAVAILABLE',
      })
      expect(await forge.settleMerge({ number, prepared: head, by: merger })).toMatchObject({
        kind: 'unknown',
      })
    })

    it('knows no pull request by a number it never gave', async () => {
      const { forge, merge, reviewer } = await start()
      const missing = { code: 'PR_NOT_FOUND' }
      await expect(merge(99, '0'.repeat(40) as Sha, 'merge')).rejects.toMatchObject(missing)
      await expect(
        forge.review({ number: 99, author: reviewer, state: 'commented', body: 'x', comments: [] }),
      ).rejects.toMatchObject(missing)
      await expect(forge.diff(99)).rejects.toMatchObject(missing)
      await expect(forge.commits(99)).rejects.toMatchObject(missing)
      await expect(forge.retarget(99, name('main'))).rejects.toMatchObject(missing)
      await expect(forge.ensureChecks(99)).rejects.toMatchObject(missing)
      await expect(forge.rerunChecks(99)).rejects.toMatchObject(missing)
      await expect(forge.checkLog(99, 'ci')).rejects.toMatchObject(missing)
    })

    it('says “none”, not “passed”, where nothing checks', async () => {
      const { forge, grow, file, look } = await start()
      const head = await grow('main.a', [{ 'a.txt': 'a' }])
      const number = await file('main.a', head)
      await forge.ensureChecks(number)
      await waitFor(
        'it to be known that nothing does',
        async () => (await look(number)).checksState !== 'unknown',
      )
      expect(await look(number)).toMatchObject({
        checks: [],
        checksState: 'none',
        checksRequired: false,
      })
      await expect(forge.rerunChecks(number)).rejects.toMatchObject({ code: 'INVALID_ARG' })
    })
  })
}

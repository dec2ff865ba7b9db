import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { startGithubTree } from '../../helpers/github/github-tree.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * Conversations on lines of a pull request, answered and settled by the agent whose work it is
 * (20.19).
 */

const LIMIT = 60_000
interface World {
  readonly tree: Exomonad
  stop(): Promise<void>
  /** A person asks for something on both lines of the file. */
  review(number: number): Promise<void>
}

const FILES = { 'README.md': '# Widgets\n' }
const COMMENTS = [1, 2].map((line) => ({ path: 'filer.txt', line, body: `About line ${line}.` }))

const WORLDS: Readonly<Record<'local' | 'github', () => Promise<World>>> = {
  async local() {
    const tree = await startExomonad({ files: FILES })
    return {
      tree,
      stop: () => tree.stop(),
      review: (number) =>
        tree.call('pr_review', {
          pr_number: number,
          verdict: 'request_changes',
          body: 'Almost.',
          comments: COMMENTS,
        }),
    }
  },
  async github() {
    const { tree, github, stop } = await startGithubTree({ files: FILES })
    return {
      tree,
      stop,
      review: async (number) =>
        void (await github
          .as('octo')
          .review(number, { state: 'CHANGES_REQUESTED', body: 'Almost.', comments: COMMENTS })),
    }
  },
}

describe.each(['local', 'github'] as const)('conversations of a pull request (%s)', (kind) => {
  let world: World
  let number = 0
  const delivered = (name: string): string[] =>
    world.tree
      .log(name)
      .flatMap((entry) => (entry['kind'] === 'message' ? [entry['text'] as string] : []))
  const received = (pattern: RegExp): Promise<string> =>
    waitFor(
      `${String(pattern)} in the pane of filer`,
      () => delivered('filer').find((text) => pattern.test(text)),
      { limit: LIMIT },
    )
  const comments = async (): Promise<any[]> =>
    (await world.tree.call('pr_show', { pr_number: number })).reviews.flatMap(
      (review: any) => review.comments,
    )

  beforeAll(async () => {
    world = await WORLDS[kind]()
    world.tree.script('filer', {
      steps: [
        { do: 'write', path: 'filer.txt', content: 'one\ntwo\n' },
        { do: 'commit', message: 'Add filer' },
        { do: 'tool', name: 'file_pr', input: { title: 'Work', body: 'Done' } },
      ],
    })
    await world.tree.call('spawn_workers', {
      specs: ['filer', 'peer'].map((name) => ({ name, prompt: 'Do it.' })),
    })
    number = await waitFor(
      'the pull request',
      async () => (await world.tree.call('pr_list')).pull_requests[0]?.number,
      { limit: LIMIT },
    )
    // At the end of a turn its hook would bring the review, not a message.
    await waitFor(
      'filer to idle',
      async () => (await world.tree.agent('filer'))?.state === 'idle',
      { limit: LIMIT },
    )
  }, 120_000)
  afterAll(() => world?.stop())

  it('(20.19) an agent is notified of each comment with its id and how to settle it', async () => {
    await world.review(number)
    const text = await received(/\[REVIEW\].* requests changes/)
    const known = await comments()
    expect(known).toMatchObject(COMMENTS.map((comment) => ({ ...comment, conversation: 'open' })))
    for (const { line, id } of known)
      expect(text).toContain(`- filer.txt:${line}: About line ${line}. (comment ${id})`)
    expect(text).toContain(
      `pr_review with pr_number ${number} and replies [{"comment_id": "${known[0].id}"`,
    )
  })

  it('(20.19) the agent answers and resolves them; who looks after it is notified, and not the agent itself', async () => {
    const [first, second] = await comments()
    const replies = [
      { comment_id: first.id, body: 'Fixed as asked.', resolve: true },
      { comment_id: second.id, body: 'Two is right here.' },
    ]
    expect(
      await world.tree.call('pr_review', { pr_number: number, replies }, { as: 'filer' }),
    ).toEqual({ review_id: null, state: null, replies: 2 })
    expect(await comments()).toMatchObject([
      { body: 'About line 1.', conversation: 'resolved' },
      { body: 'About line 2.', conversation: 'open' },
      { body: 'Fixed as asked.', conversation: 'resolved' },
      { body: 'Two is right here.', conversation: 'open' },
    ])
    const shown = await world.tree.call('pr_show', { pr_number: number })
    expect(shown.reviews.map((review: any) => review.author).slice(1)).toEqual(['filer', 'filer'])
    expect(shown.review).toBe('changes_requested')
    await waitFor(
      'the human, who looks after it, to be notified',
      async () => {
        const { messages } = await world.tree.call('inbox')
        return ['Fixed as asked.', 'Two is right here.'].every((words) =>
          messages.some(
            ({ text }: any) => /\[REVIEW\] filer commented/.test(text) && text.includes(words),
          ),
        )
      },
      { limit: LIMIT },
    )
    expect(
      delivered('filer').filter(
        (text) => text.includes('Fixed as asked.') || text.includes('Two is right here.'),
      ),
    ).toEqual([])
  })

  it('(20.19) on the command line they are shown as open or resolved, answered and resolved', async () => {
    const [, second] = await comments()
    const before = await world.tree.command(['pr', 'show', String(number)])
    expect(before.stdout).toMatch(/filer\.txt:1 +✓ resolved +comment \d+/)
    expect(before.stdout).toContain(`comment ${second.id}`)
    expect(before.stdout).toMatch(/filer\.txt:2 +● open/)
    const answered = await world.tree.command([
      'pr',
      'review',
      String(number),
      '--reply',
      `${second.id} So it is.`,
      '--resolve',
      second.id,
    ])
    expect(answered).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Answered or resolved 1 conversation of'),
    })
    await received(/So it is\./)
    expect((await comments()).map(({ conversation }) => conversation)).toEqual(
      Array.from({ length: 5 }, () => 'resolved'),
    )
    expect((await world.tree.command(['pr', 'review', String(number), '--reply', 'x'])).code).toBe(
      2,
    )
  })

  it('(20.19) nobody approves their own by it, a worker answers for nobody else, and nothing is written where a comment is not there', async () => {
    const [first] = await comments()
    const reply = { pr_number: number, replies: [{ comment_id: first.id, body: 'Me too.' }] }
    expect(
      await world.tree.refusal('pr_review', { ...reply, verdict: 'approve' }, { as: 'filer' }),
    ).toMatchObject({ code: 'NOT_ALLOWED' })
    expect(await world.tree.refusal('pr_review', reply, { as: 'peer' })).toMatchObject({
      code: 'NOT_ALLOWED',
    })
    const half = {
      pr_number: number,
      replies: [...reply.replies, { comment_id: '4711', body: 'What?' }],
    }
    expect(await world.tree.refusal('pr_review', half, { as: 'filer' })).toMatchObject({
      code: 'INVALID_ARG',
      comment_id: '4711',
    })
    const empty = { pr_number: number, replies: [{ comment_id: first.id, body: ' ' }] }
    expect(await world.tree.refusal('pr_review', empty, { as: 'filer' })).toMatchObject({
      code: 'INVALID_ARG',
      comment_id: first.id,
    })
    expect(
      await world.tree.refusal('pr_review', { pr_number: number }, { as: 'filer' }),
    ).toMatchObject({ code: 'INVALID_ARG' })
    expect(await comments()).toHaveLength(5)
  })
})

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { configSchema, type Config } from '../../../../src/config/schema.ts'
import { createStatusComment } from '../../../../src/core/pulls/status-comment/status-comment.ts'
import type { View } from '../../../../src/core/agents/tree-document.ts'
import { ExomonadError } from '../../../../src/domain/errors.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { startGithubTree, type GithubTree } from '../../../helpers/github/github-tree.ts'
import { polledTree, ROOT } from '../../../helpers/polled-tree.ts'
import { waitFor } from '../../../helpers/wait-for.ts'
import { pull } from '../../../unit/pull-watch/pull.ts'
import { settingsOf } from '../../../helpers/settings.ts'

/** The status comment on the root’s pull request (20.20c). */

const LIMIT = 90_000

describe('the status comment (20.20c), by the real daemon', () => {
  let world: GithubTree
  let number: number
  const tree = () => world.tree
  const github = () => world.github
  const status = () =>
    github()
      .comments(number)
      .filter(({ author }) => author === 'robot')

  beforeAll(async () => {
    world = await startGithubTree({
      files: { 'README.md': '# Widgets\n' },
      githubConfig: 'copilot_review = false\nstatus_comment = true',
      config: '[root]\nbase = "release"\n',
    })
    const { repository } = tree()
    await github().push('release', await repository.git('rev-parse', 'main'))
    await repository.commit({ 'root.txt': 'x\n' }, 'Begin')
    tree().script('helper', {
      steps: [
        { do: 'write', path: 'helper.txt', content: 'x\n' },
        { do: 'commit', message: 'Help' },
        { do: 'tool', name: 'file_pr', input: { title: 'Help', body: 'Done' } },
      ],
    })
    number = (await tree().call('file_pr', { title: 'All of it', body: 'The whole tree.' }))
      .pr_number
  })
  afterAll(() => world?.stop())

  it('shows the tree below, and is changed in place, also after a crash', async () => {
    await waitFor('the comment', () => status().length === 1, { limit: LIMIT })
    expect(status()[0]?.body).toContain('Nobody works below it now.')
    await tree().call('spawn_workers', { specs: [{ name: 'helper', prompt: 'Help' }] })
    const delivered = await waitFor(
      'the helper with its pull request',
      () => status().find(({ body }) => /- `helper`: at work · \[#\d+\]/.test(body)),
      {
        limit: LIMIT,
      },
    )
    const [own] = [...github().state.pulls.values()].filter(
      ({ headRef }) => headRef === 'main.helper',
    )
    expect(delivered.body).toContain(
      `[#${own?.number}](${github().url}/octo/widgets/pull/${own?.number})`,
    )
    expect(status()).toHaveLength(1)
    await tree().crash()
    await tree().call('kill', { agent: 'helper' })
    await waitFor(
      'its end',
      () => status().some(({ body }) => body.includes('- `helper`: ended')),
      { limit: LIMIT },
    )
    expect(status()).toMatchObject([{ id: delivered.id }])
  })

  it('is no comment that anybody is notified of', async () => {
    await github().as('octo').comment(number, 'How far is it?')
    await waitFor(
      'what octo said',
      async () =>
        (await tree().events()).some(
          ({ type, payload }) => type === 'pr.comment' && payload.body === 'How far is it?',
        ),
      {
        limit: LIMIT,
      },
    )
    const comments = (await tree().events()).filter(({ type }) => type === 'pr.comment')
    expect(comments.map(({ payload }) => payload.author)).toEqual(['octo'])
  })
})

describe('the status comment (20.20c), by itself', () => {
  async function open({ on = true }: { on?: boolean } = {}) {
    const world = await polledTree()
    onTestFinished(() => world.close())
    const written: { number: number; id: string | null; body: string }[] = []
    let failure: Error | undefined
    const count = { runs: 0, failures: 0 }
    const issues = {
      comment: async (options: { number: number; id: string | null; body: string }) => {
        if (failure !== undefined) {
          count.failures += 1
          throw failure
        }
        written.push(options)
        return 'c-1'
      },
    }
    const root = await world.store.agents.get(ROOT)
    const listeners: ((event: any) => void)[] = []
    let name = 'auth'
    const config: Config = configSchema.parse({
      forge: { poll_active: 0.005, github: { status_comment: on } },
    })
    const make = () => {
      const made = createStatusComment({
        store: world.store,
        forge: { ...world.forge.forge, issues } as never,
        settings: settingsOf(() => ((count.runs += 1), config)),
        publisher: { onEvent: (listener: any) => (listeners.push(listener), () => {}) } as never,
        log: silentLog(),
        view: {
          tree: async () => ({
            root: {
              kind: 'root',
              children: [
                { name, kind: 'worker', state: 'running', outcome: null, pr: null, children: [] },
              ],
            },
          }),
        } as unknown as View,
        root: async () => root!,
        again: 5,
      })
      onTestFinished(() => made.stop())
      return made
    }
    const put = (change: object) =>
      world.store.snapshots.put('pull:9', {
        snapshot: pull({ number: 9, agentId: ROOT, ...change }),
        tracking: {},
      } as never)
    return {
      ...{ written, put, make, count },
      fail: (error: Error | undefined) => (failure = error),
      rename: (to: string) => {
        name = to
        for (const listener of listeners) listener({ type: 'agent.state' })
      },
      event: () => listeners.forEach((listener) => listener({ type: 'ci.passed' })),
    }
  }
  const wrote = (world: Awaited<ReturnType<typeof open>>, times: number) =>
    waitFor(`${times} edits`, () => world.written.length >= times)

  it('is written where the words changed, by the id that it was given, also after a restart', async () => {
    const world = await open()
    await world.put({})
    const first = world.make()
    first.start()
    await wrote(world, 1)
    world.event()
    world.rename('login')
    await wrote(world, 2)
    await first.stop()
    world.make().start()
    world.rename('logout')
    await wrote(world, 3)
    expect(world.written.map(({ number, id }) => [number, id])).toEqual([
      [9, null],
      [9, 'c-1'],
      [9, 'c-1'],
    ])
    expect(world.written.map(({ body }) => /`(\w+)`/.exec(body)?.[1])).toEqual([
      'auth',
      'login',
      'logout',
    ])
  })

  it('fails without a word to anybody, and is tried again by itself', async () => {
    const world = await open()
    await world.put({})
    world.fail(new ExomonadError('FORGE_UNAVAILABLE', 'away'))
    world.make().start()
    await waitFor('two failures', () => world.count.failures >= 2)
    world.fail(undefined)
    await wrote(world, 1)
  })

  it('shows the end of what it showed; of what ended before, nothing', async () => {
    const world = await open()
    await world.put({ state: 'merged' })
    world.make().start()
    world.rename('login')
    // Asked for the settings twice a look.
    await waitFor('two looks', () => world.count.runs >= 4)
    expect(world.written).toEqual([])
    await world.put({ state: 'open' })
    world.event()
    await wrote(world, 1)
    await world.put({ state: 'merged' })
    world.rename('logout')
    await wrote(world, 2)
    expect(world.written.map(({ body }) => /`(\w+)`/.exec(body)?.[1])).toEqual(['login', 'logout'])
  })
  it('is not written unless it is wanted', async () => {
    const world = await open({ on: false })
    await world.put({})
    world.make().start()
    world.rename('login')
    await waitFor('two looks', () => world.count.runs >= 4)
    expect(world.written).toEqual([])
  })
})

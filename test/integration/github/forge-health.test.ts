import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Forge } from '../../../src/adapters/forge/forge.ts'
import { findToken } from '../../../src/adapters/forge/github/setup/token.ts'
import type { StoredEvent } from '../../../src/domain/records.ts'
import { configSchema } from '../../../src/config/schema.ts'
import { createPoller, type Poller } from '../../../src/pull-watch/poller.ts'
import { createPublisher } from '../../../src/delivery/publisher.ts'
import { createRenderer } from '../../../src/delivery/render/render.ts'
import { asBranchName, newDeliveryId, parseSha, type AgentId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { PACKAGE_ROOT } from '../../../src/runtime/package-root.ts'
import { openGithubForge, type GithubForgeFixture } from '../../helpers/github/github-forge.ts'
import { virtualTime, type VirtualTime } from '../../helpers/virtual-time.ts'
import { makeAgent } from '../../unit/core/make-agent.ts'
import { OWNER } from '../../unit/pull-watch/pull.ts'
import { verifies } from '../../requirements.ts'

/**
 * What can go wrong with a GitHub: the real forge and poller against the fake one, in a time that
 * passes on request.
 */

const ROOT = '00000000-0000-7000-8000-000000000001' as AgentId
const HEAD = asBranchName('main.auth')
const MAIN = asBranchName('main')
const HOUR = 3600

describe('a GitHub that', () => {
  let fixture: GithubForgeFixture
  let time: VirtualTime
  let poller: Poller | undefined
  let number: number

  /** A poller on that forge, as after a restart of the daemon. */
  const follow = async (forge: Forge): Promise<void> => {
    await poller?.stop()
    const { store } = fixture
    const log = silentLog()
    const renderer = createRenderer({
      shippedFolder: join(PACKAGE_ROOT, 'templates'),
      overrideFolder: async () => null,
      log,
    })
    const publisher = createPublisher({ store, renderer, clock: time.clock, log, newDeliveryId })
    const config = configSchema.parse({ forge: { kind: 'github', poll_active: 60 } })
    poller = createPoller({
      forge,
      store,
      publisher,
      config: () => config,
      clock: time.clock,
      log,
      timers: time.timers,
    })
    poller.start()
  }
  const pass = (seconds: number): Promise<void> =>
    time.pass(seconds * 1000, async () => poller?.poll([]))
  const events = async (): Promise<StoredEvent[]> => fixture.store.events.list({ limit: 10_000 })
  const of = async (type: string): Promise<StoredEvent[]> =>
    (await events()).filter((event) => event.type === type)
  const types = async (): Promise<string[]> => (await events()).map(({ type }) => type)
  /** What was reported since so many events ago. */
  const since = async (before: number): Promise<string[]> => (await types()).slice(before)
  const octo = () => fixture.github.as('octo')
  const push = async (
    branch: string,
    files: Record<string, string>,
    message?: string,
  ): Promise<string> => {
    const { repository, github } = fixture
    await repository.git('checkout', '-q', '-B', branch)
    const sha = await repository.commit(files, message)
    await repository.git('push', '-q', '--force', github.bare, `${sha}:refs/heads/${branch}`)
    await github.push(branch, sha, { by: 'octo' })
    return sha
  }
  const file = (forge: Forge, head: string, headSha: string) =>
    forge.file({
      head: asBranchName(head),
      headSha: parseSha(headSha),
      base: MAIN,
      title: 'Sign people in',
      body: '',
      draft: false,
      agentId: OWNER,
    })

  beforeEach(async () => {
    time = virtualTime()
    fixture = await openGithubForge({ clock: time.clock })
    const { store } = fixture
    await store.agents.insert(
      makeAgent({
        id: ROOT,
        name: 'main',
        kind: 'root',
        parentId: null,
        depth: 0,
        branch: MAIN,
        baseBranch: null,
        worktree: '/w',
        tokenHash: ROOT,
      }),
    )
    await store.agents.insert(
      makeAgent({
        id: OWNER,
        name: 'auth',
        kind: 'worker',
        parentId: ROOT,
        branch: HEAD,
        baseBranch: MAIN,
        worktree: '/w',
        tokenHash: OWNER,
      }),
    )
    const filed = await file(fixture.forge, HEAD, await push(HEAD, { 'auth.txt': 'in\n' }))
    if (filed.kind !== 'filed') throw new Error(filed.kind)
    number = filed.number
    await follow(fixture.forge)
    await pass(60)
    expect(await types()).toContain('pr.opened')
  })
  afterEach(async () => {
    await poller?.stop()
    poller = undefined
    await fixture.close()
  })

  /** Nothing twice, and nobody was notified that somebody was too slow. */
  const expectNothingInvented = async (): Promise<void> => {
    const keys = (await events()).map(({ dedupeKey }) => dedupeKey).filter((key) => key !== null)
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
    for (const type of ['pr.stalled', 'review.timeout', 'pr.merged', 'pr.closed'])
      expect(await of(type), type).toEqual([])
  }

  it('gets no token says how to give one, and goes on where it stopped once there is one', async () => {
    const nothing = {
      exitCode: null,
      signal: null,
      stdout: '',
      stderr: '',
      timedOut: false,
      startError: 'ENOENT',
    }
    const none = await findToken({
      host: 'github.com',
      file: null,
      variables: {},
      exec: async () => nothing,
      ghEnvironment: {},
      clock: time.clock,
    })
    let read = (): Promise<string> => none.read()
    const forge = fixture.reopen({ token: () => read() })
    await follow(forge)
    await pass(300)
    const [trouble] = await of('forge.trouble')
    expect(trouble?.payload).toMatchObject({ forge: 'GitHub', code: 'FORGE_DENIED' })
    expect(trouble?.payload['reason']).toMatch(
      /no token for github\.com.*gh auth login.*GH_TOKEN.*token_file/,
    )
    await expect(
      file(forge, 'main.other', await push('main.other', { 'other.txt': '' })),
    ).rejects.toMatchObject({ code: 'FORGE_DENIED' })
    await octo().comment(number, 'Are you there?')
    read = async () => fixture.token.value
    await pass(400)
    expect(await of('forge.trouble')).toHaveLength(1)
    expect(await of('forge.recovered')).toHaveLength(1)
    expect(await of('pr.comment')).toMatchObject([{ payload: { number, body: 'Are you there?' } }])
    await expectNothingInvented()
  })

  it('lets a token read and not write says which permission is missing; reading goes on', async () => {
    fixture.token.value = fixture.github.addToken({
      login: 'robot',
      kind: 'fine-grained',
      permissions: { contents: 'write', pull_requests: 'read' },
    })
    const sha = await push('main.other', { 'other.txt': '' })
    await expect(file(fixture.forge, 'main.other', sha)).rejects.toMatchObject({
      code: 'FORGE_DENIED',
      message: expect.stringMatching(/permission|may not/i),
    })
    await octo().comment(number, 'Still read')
    await pass(600)
    expect(await of('pr.comment')).toHaveLength(1)
    expect(await of('forge.trouble')).toEqual([])
    await expectNothingInvented()
  })

  it('revokes the token is reported once; with another one all that happened is reported', async () => {
    const { github, token } = fixture
    github.revokeToken(token.value)
    const before = (await types()).length
    await octo().review(number, {
      state: 'CHANGES_REQUESTED',
      body: 'Fix this',
      comments: [{ path: 'auth.txt', line: 1, body: 'in what?' }],
    })
    await pass(HOUR)
    expect(await since(before)).toEqual(['forge.trouble'])
    expect((await of('forge.trouble'))[0]?.payload).toMatchObject({
      code: 'FORGE_DENIED',
      reason: expect.stringMatching(/token/),
    })
    expect(JSON.stringify(await events())).not.toContain(token.value)
    token.value = github.addToken({ login: 'robot' })
    await pass(600)
    expect(await of('forge.recovered')).toHaveLength(1)
    expect(await of('pr.review')).toMatchObject([
      {
        payload: {
          state: 'changes_requested',
          comments: [{ path: 'auth.txt', line: 1, body: 'in what?' }],
        },
      },
    ])
    await expectNothingInvented()
  })

  it('has the repository under another name is followed there, and nothing is reported twice', async () => {
    const opened = await of('pr.opened')
    fixture.github.rename('octo', 'gadgets')
    await octo().comment(number, 'Moved house')
    await pass(600)
    expect(await of('pr.opened')).toEqual(opened)
    expect(await of('pr.comment')).toHaveLength(1)
    expect(await of('forge.trouble')).toEqual([])
    expect(
      await file(fixture.forge, 'main.other', await push('main.other', { 'other.txt': '' })),
    ).toMatchObject({ kind: 'filed', created: true })
    await expectNothingInvented()
  })

  it('lost a pull request: it is reported as closed, once', async () => {
    fixture.github.removePull(number)
    await pass(600)
    expect(await of('pr.closed')).toMatchObject([{ payload: { number } }])
    await pass(HOUR)
    expect(await of('pr.closed')).toHaveLength(1)
    expect(await of('forge.trouble')).toEqual([])
    expect(await fixture.forge.snapshots([number])).toEqual([{ number, missing: true }])
  })

  it('shows another base, which somebody chose by hand: reported once, to whom it concerns', async () => {
    const main = await fixture.repository.git('rev-parse', 'main')
    await fixture.repository.git('push', '-q', fixture.github.bare, `${main}:refs/heads/release`)
    await fixture.github.push('release', main)
    await octo().retarget(number, 'release')
    await pass(600)
    expect(await of('pr.retargeted')).toMatchObject([
      { agentId: OWNER, payload: { number, base: 'release', old_base: 'main' } },
    ])
    expect(
      (await fixture.store.outbox.list({ recipient: OWNER })).filter(
        ({ kind }) => kind === 'pr.retargeted',
      ),
    ).toHaveLength(1)
    await expectNothingInvented()
  })

  it('shows another history after a force-push: reported as pushed once, and earlier approvals count no more', async () => {
    await octo().review(number, { state: 'APPROVED' })
    await pass(60)
    expect(await fixture.forge.snapshots([number])).toMatchObject([
      { snapshot: { reviewDecision: 'approved' } },
    ])
    await fixture.repository.git('checkout', '-q', 'main')
    const forced = await push(HEAD, { 'auth.txt': 'rewritten\n' }, 'Sign people in, otherwise')
    await pass(600)
    expect(await of('pr.pushed')).toMatchObject([{ payload: { number, new: forced } }])
    expect(await fixture.forge.snapshots([number])).toMatchObject([
      { snapshot: { head: { sha: forced }, reviewDecision: 'none' } },
    ])
    await expectNothingInvented()
  })

  it('has two pull requests for one head: they are distinguished', async () => {
    const main = await fixture.repository.git('rev-parse', 'main')
    await fixture.repository.git('push', '-q', fixture.github.bare, `${main}:refs/heads/release`)
    await fixture.github.push('release', main)
    const second = await octo().open({
      head: HEAD,
      base: 'release',
      title: 'The same for the release',
    })
    await pass(400)
    // An agent has one: the second is followed from when it is asked for by number.
    await poller?.poll([second])
    await octo().comment(number, 'On the first')
    await octo().comment(second, 'On the second')
    await pass(400)
    expect((await of('pr.opened')).map(({ payload }) => payload['number'])).toEqual([
      number,
      second,
    ])
    expect(
      (await of('pr.comment'))
        .map(({ payload }) => [payload['number'], payload['body']])
        .toSorted(),
    ).toEqual([
      [number, 'On the first'],
      [second, 'On the second'],
    ])
    const head = await fixture.repository.git('rev-parse', HEAD)
    expect(await file(fixture.forge, HEAD, head)).toMatchObject({
      kind: 'filed',
      number,
      created: false,
    })
    await expectNothingInvented()
  })

  it(
    verifies(
      'R004-16',
      'is down for an hour is reported once, and what happened meanwhile is reported once when it is back',
    ),
    async () => {
      const before = (await types()).length
      await fixture.github.down()
      await pass(HOUR / 2)
      await octo().comment(number, 'Said in the dark')
      await octo().review(number, { state: 'APPROVED', body: 'Good' })
      const pushed = await push(HEAD, { 'auth.txt': 'in and out\n' })
      await pass(HOUR / 2)
      expect(await since(before)).toEqual(['forge.trouble'])
      expect((await of('forge.trouble'))[0]?.payload).toMatchObject({ code: 'FORGE_UNAVAILABLE' })
      await expect(fixture.forge.diff(number)).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' })
      await fixture.github.up()
      await pass(HOUR)
      const delivered = await since(before)
      expect(delivered.filter((type) => type.startsWith('forge.'))).toEqual([
        'forge.trouble',
        'forge.recovered',
      ])
      for (const type of ['pr.comment', 'pr.review', 'pr.pushed'])
        expect(
          delivered.filter((one) => one === type),
          type,
        ).toHaveLength(1)
      expect((await of('pr.pushed'))[0]?.payload).toMatchObject({ new: pushed })
      expect((await of('forge.recovered'))[0]?.payload['minutes']).toBeGreaterThanOrEqual(59)
      const keys = (await events()).map(({ dedupeKey }) => dedupeKey).filter((key) => key !== null)
      expect(new Set(keys).size).toBe(keys.length)
    },
  )

  it.each([
    ['a day ahead', 86_400_000],
    ['a day back', -86_400_000],
  ])(
    'stays as it is while the clock jumps %s: nobody is reported as late, and news arrive',
    async (_, jump) => {
      const before = (await types()).length
      time.jump(jump)
      await pass(120)
      expect(await since(before)).toEqual([])
      await octo().comment(number, 'After the jump')
      await pass(600)
      expect(await of('pr.comment')).toHaveLength(1)
      expect(await of('forge.trouble')).toEqual([])
      await expectNothingInvented()
      // From here on time counts as ever.
      await pass(HOUR / 4)
      expect(await of('review.timeout')).toHaveLength(1)
    },
  )
})

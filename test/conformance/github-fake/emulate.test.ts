import { createTextGate } from '../../../src/sanitize/text-gate.ts'
import { createEmulator, type Emulator } from 'emulate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGithubClient } from '../../../src/adapters/forge/github/client/create.ts'
import type { GithubClient } from '../../../src/adapters/forge/github/client/client.ts'
import { createMarkSigner } from '../../../src/adapters/forge/mark-key.ts'
import { createFile } from '../../../src/adapters/forge/github/writing/file.ts'
import { createMerging } from '../../../src/adapters/forge/github/writing/merge.ts'
import { createReview } from '../../../src/adapters/forge/github/writing/review.ts'
import type { Actor, BranchName, Sha } from '../../../src/domain/ids.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { memorySnapshots } from '../../fixtures/memory-snapshots.ts'
import {
  githubWithCommits,
  type GithubWithCommits,
} from '../../helpers/github/github-with-commits.ts'

/**
 * `emulate`, somebody else’s imitation of GitHub’s REST, as a peer: what both claim to know they
 * answer alike, and what exomonad sends works on it too. Where it is not what GitHub documents, the
 * fake follows GitHub, and the difference is listed here.
 */

type Who = 'robot' | 'mona'
interface Answer {
  readonly status: number
  readonly body: unknown
}
interface Peer {
  api(who: Who, method: string, path: string, body?: unknown): Promise<Answer>
  /** Makes a branch with one commit on top of main. */
  branch(name: string): Promise<void>
}

let emulator: Emulator
let world: GithubWithCommits
let theirs: Peer
let ours: Peer
beforeAll(async () => {
  emulator = await createEmulator({
    service: 'github',
    port: 0,
    seed: {
      tokens: {
        token_octo: { login: 'octo', scopes: ['repo'] },
        token_robot: { login: 'robot', scopes: ['repo'] },
        token_mona: { login: 'mona', scopes: ['repo'] },
      },
      github: {
        users: [{ login: 'octo' }, { login: 'robot' }, { login: 'mona' }],
        repos: [{ owner: 'octo', name: 'widgets', auto_init: true }],
      },
    },
  })
  const url = emulator.url.replace('localhost', '127.0.0.1')
  const asOwner = (method: string, path: string, body: unknown): Promise<Answer> =>
    request(url, 'token_octo', method, path, body)
  for (const login of ['robot', 'mona'])
    await asOwner('PUT', `/collaborators/${login}`, { permission: 'push' })
  theirs = {
    api: (who, method, path, body) => request(url, `token_${who}`, method, path, body),
    async branch(name) {
      const { body } = await asOwner('GET', '/git/ref/heads/main', undefined)
      await asOwner('POST', '/git/refs', {
        ref: `refs/heads/${name}`,
        sha: (body as { object: { sha: string } }).object.sha,
      })
      await asOwner('PUT', `/contents/${name}.txt`, {
        message: `Add ${name}`,
        content: Buffer.from(`${name}\n`).toString('base64'),
        branch: name,
      })
    },
  }

  world = await githubWithCommits()
  const { github } = world
  github.addUser('mona', 'write')
  const tokens = { robot: github.token, mona: github.addToken({ login: 'mona' }) }
  ours = {
    api: (who, method, path, body) => request(github.apiUrl, tokens[who], method, path, body),
    branch: async (name) =>
      void (await world.commit(name, { [`${name}.txt`]: `${name}\n` }, { message: `Add ${name}` })),
  }
  for (const peer of [theirs, ours]) await peer.branch('feature')
})
afterAll(async () => {
  await emulator.close()
  await world.close()
})

interface Step {
  readonly what: string
  readonly who?: Who
  readonly request: readonly [method: string, path: string, body?: unknown]
  /** As GitHub documents it. */
  readonly status: number
  /** What emulate returns instead. */
  readonly emulate?: number
  /** GitHub returns less than emulate. */
  readonly short?: boolean
}

const PULL = { title: 'Add feature', body: 'Why.', head: 'feature', base: 'main' }
const STEPS: readonly Step[] = [
  { what: 'the repository', request: ['GET', ''], status: 200 },
  { what: 'branches', request: ['GET', '/branches'], status: 200 },
  { what: 'a branch', request: ['GET', '/branches/feature'], status: 200 },
  { what: 'a branch that is not there', request: ['GET', '/branches/nothing'], status: 404 },
  { what: 'the ref of a branch', request: ['GET', '/git/ref/heads/feature'], status: 200 },
  { what: 'a new pull request', request: ['POST', '/pulls', PULL], status: 201 },
  {
    what: 'a pull request of nothing',
    request: ['POST', '/pulls', { ...PULL, head: 'main' }],
    status: 422,
  },
  {
    what: 'pull requests of a head',
    request: ['GET', '/pulls?state=open&head=octo:feature'],
    short: true,
    status: 200,
  },
  { what: 'a pull request', request: ['GET', '/pulls/1'], status: 200 },
  { what: 'a pull request that is not there', request: ['GET', '/pulls/999'], status: 404 },
  {
    what: 'another title',
    request: ['PATCH', '/pulls/1', { title: 'Add the feature' }],
    status: 200,
  },
  { what: 'its commits', request: ['GET', '/pulls/1/commits'], status: 200 },
  { what: 'its files', request: ['GET', '/pulls/1/files'], status: 200 },
  {
    what: 'a comment',
    who: 'mona',
    request: ['POST', '/issues/1/comments', { body: 'What for?' }],
    status: 201,
  },
  { what: 'its comments', request: ['GET', '/issues/1/comments'], status: 200 },
  {
    what: 'a change request',
    who: 'mona',
    request: ['POST', '/pulls/1/reviews', { event: 'REQUEST_CHANGES', body: 'No.' }],
    short: true,
    status: 200,
    emulate: 201,
  },
  {
    what: 'an approval',
    who: 'mona',
    request: ['POST', '/pulls/1/reviews', { event: 'APPROVE' }],
    short: true,
    status: 200,
    emulate: 201,
  },
  { what: 'its reviews', request: ['GET', '/pulls/1/reviews'], short: true, status: 200 },
  { what: 'comments on lines', request: ['GET', '/pulls/1/comments'], status: 200 },
  {
    what: 'a reviewer',
    request: ['POST', '/pulls/1/requested_reviewers', { reviewers: ['mona'] }],
    short: true,
    status: 201,
    emulate: 200,
  },
  {
    what: 'one’s own approval',
    request: ['POST', '/pulls/1/reviews', { event: 'APPROVE' }],
    status: 422,
    emulate: 201,
  },
  {
    what: 'a second one for the head',
    request: ['POST', '/pulls', PULL],
    status: 422,
    emulate: 201,
  },
  {
    what: 'a merge of another head',
    request: ['PUT', '/pulls/1/merge', { sha: '0'.repeat(40) }],
    status: 409,
    emulate: 422,
  },
  { what: 'a merge', request: ['PUT', '/pulls/1/merge', { merge_method: 'squash' }], status: 200 },
  {
    what: 'a merge of what is merged',
    request: ['PUT', '/pulls/1/merge', { merge_method: 'squash' }],
    status: 405,
    emulate: 422,
  },
  { what: 'the merged pull request', request: ['GET', '/pulls/1'], status: 200 },
  {
    what: 'merged ones among the closed',
    request: ['GET', '/pulls?state=closed'],
    short: true,
    status: 200,
  },
  { what: 'the end of a branch', request: ['DELETE', '/git/refs/heads/feature'], status: 204 },
]

/** What GitHub returns only sometimes, by its own descriptions, and the fake never. */
const OPTIONAL =
  /(^|\.)(user_view_type|reactions|topics|is_template|permissions|allow_\w+|delete_branch_on_merge|protection_url)(\.|$)/
/**
 * What emulate returns though GitHub doesn’t: in lists a pull request’s long form, and when a
 * review was made beside when it was submitted.
 */
const EXTRA =
  /^(\[\]\.)?(merged|mergeable|rebaseable|mergeable_state|merged_by|\w*comments|maintainer_can_modify|commits|additions|deletions|changed_files|created_at|updated_at)(\.|$)/

describe('the same requests', () => {
  it.each(STEPS)(
    '$what',
    async ({ who = 'robot', request: [method, path, body], status, emulate = status, short }) => {
      const [their, our] = [
        await theirs.api(who, method, path, body),
        await ours.api(who, method, path, body),
      ]
      expect({ emulate: their.status, fake: our.status }).toEqual({ emulate, fake: status })
      if (status >= 300 || emulate >= 300) return
      expect(
        differences(shapeOf(their.body), shapeOf(our.body), { short: short === true }),
      ).toEqual([])
    },
  )
})

describe('what exomonad sends', () => {
  it('files, brings up to date, reviews and merges on emulate', async () => {
    await theirs.branch('agent')
    const client = clientOf(emulator.url.replace('localhost', '127.0.0.1'))
    const find = async ({ heads = [] }: { heads?: readonly BranchName[] }): Promise<number[]> =>
      (
        await client.pages<{ number: number; head: { ref: string } }>(
          'GET /repos/{owner}/{repo}/pulls',
          { state: 'open' },
        )
      )
        .filter(({ head }) => heads.some((wanted) => wanted === head.ref))
        .map(({ number }) => number)
    const repository = {
      host: '127.0.0.1',
      owner: 'octo',
      name: 'widgets',
      apiUrl: emulator.url,
      graphqlUrl: `${emulator.url}/graphql`,
    }
    const pause = async (): Promise<void> => {}
    const file = createFile({ repository, client, find, pause, left: () => {} })
    const wanted = {
      head: 'agent' as BranchName,
      base: 'main' as BranchName,
      title: 'Add agent',
      body: 'Done.',
      draft: false,
    }
    const filed = await file(wanted)
    expect(filed).toMatchObject({ kind: 'filed', created: true })
    if (filed.kind !== 'filed') return
    const { number } = filed
    expect(await file({ ...wanted, title: 'Add the agent' })).toMatchObject({
      kind: 'filed',
      number,
      created: false,
    })
    expect((await theirs.api('robot', 'GET', `/pulls/${number}`)).body).toMatchObject({
      title: 'Add the agent',
      body: 'Done.',
    })

    const signer = createMarkSigner({ snapshots: memorySnapshots() })
    const reviews = createReview({
      repository,
      client,
      clock: Date.now,
      nameOf: async () => 'root',
      signer,
      changed: () => {},
    })
    const review = await reviews.review({
      number,
      author: 'human' as Actor,
      state: 'approved',
      body: 'Good.',
      comments: [],
    })
    expect(review).toMatchObject({ state: 'approved', body: 'Good.' })
    expect((await theirs.api('robot', 'GET', `/pulls/${number}/reviews`)).body).toMatchObject([
      { state: 'COMMENTED', body: expect.stringContaining('Good.') },
    ])

    const head = (
      (await theirs.api('robot', 'GET', `/pulls/${number}`)).body as { head: { sha: Sha } }
    ).head.sha
    // The other fake has neither merge queues nor auto-merge.
    const scheduling = { schedule: async () => ({ words: 'no' }), look: async () => null }
    const merging = createMerging({
      gate: createTextGate(),
      client,
      pause,
      conflictFiles: async () => [],
      baseTip: async () => null,
      merged: () => {},
      scheduling,
      settlePushed: async () => null,
    })
    const merge = (expectedHead: Sha) =>
      merging.merge({
        number,
        expectedHead,
        expectedBase: 'main' as BranchName,
        strategy: 'squash',
        by: 'human' as Actor,
        prepared: async () => {},
      })
    expect(await merge('0'.repeat(40) as Sha)).toEqual({ kind: 'head_changed', head })
    expect(await merge(head)).toMatchObject({ kind: 'merged', head })
    expect(await merge(head)).toEqual({ kind: 'not_open', state: 'merged' })
  })
})

function clientOf(apiUrl: string): GithubClient {
  return createGithubClient({
    repository: {
      host: '127.0.0.1',
      owner: 'octo',
      name: 'widgets',
      apiUrl,
      graphqlUrl: `${apiUrl}/graphql`,
    },
    token: async () => 'token_robot',
    settings: () => ({
      trustedBots: [],
      copilotReview: false,
      reserve: 0,
      checksExpectedWithin: 0,
    }),
    clock: Date.now,
    log: createLog({ level: 'error', destination: { write: () => {} } }),
    userAgent: 'exomonad/test',
    retryDelay: 2,
  })
}

async function request(
  base: string,
  token: string,
  method: string,
  path: string,
  body: unknown,
): Promise<Answer> {
  const response = await fetch(`${base}/repos/octo/widgets${path}`, {
    method,
    headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}

/**
 * What emulate returns that the fake doesn’t, or otherwise. Null where the other has a value says
 * nothing of its type.
 */
function differences(theirs: Shape, ours: Shape, { short }: { short: boolean }): readonly string[] {
  return [...theirs].flatMap(([at, types]) => {
    const mine = ours.get(at)
    if (mine === undefined)
      return OPTIONAL.test(at) || (short && EXTRA.test(at)) ? [] : [`${at} is missing`]
    if (types.has('null') || mine.has('null') || [...types].some((type) => mine.has(type)))
      return []
    return [`${at} is ${[...mine].join()}, not ${[...types].join()}`]
  })
}

type Shape = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Types of all values by where they are: `head.user.login` → string. Items of a list count
 * together.
 */
function shapeOf(
  value: unknown,
  at = '',
  shape = new Map<string, Set<string>>(),
): Map<string, Set<string>> {
  const type = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
  const types = shape.get(at) ?? new Set<string>()
  shape.set(at, types.add(type))
  if (Array.isArray(value)) for (const item of value) shapeOf(item, `${at}[]`, shape)
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value))
      shapeOf(inner, at === '' ? key : `${at}.${key}`, shape)
  return shape
}

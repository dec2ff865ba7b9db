import { ExomonadError } from '../../../domain/errors.ts'
import type { Actor } from '../../../domain/ids.ts'
import { actorName } from '../actor-name.ts'
import { createBranches } from '../branches.ts'
import { createConflicts } from '../conflicts.ts'
import { type HostedCommit, pullCommit } from '../network/hosted-commits.ts'
import type { Forge } from '../forge.ts'
import { createHints } from '../hints.ts'
import { createIdentity } from '../identity.ts'
import { createMarkSigner } from '../mark-key.ts'
import { createPause } from '../network/pause.ts'
import { createGiteaClient } from './client.ts'
import { createFile } from './file.ts'
import { findPulls } from './find.ts'
import { createMerging } from './merge.ts'
import type { GiteaForgeOptions } from './options.ts'
import { baseOf, headOf, lookAt, noPull, PULL, stateOf } from './pull.ts'
import { createReviews } from './review.ts'
import { createSeenHeads } from './seen-heads.ts'
import { createSnapshots } from './snapshots.ts'
import { createReadWords } from './words.ts'
import { createWriters } from './write-access.ts'

/**
 * Gitea and Forgejo as a forge, by their REST API. Nothing is asked until something is wanted of
 * it.
 */
export function createGiteaForge(options: GiteaForgeOptions): Forge {
  const { git, remote, log, store, clock, gate, repository } = options
  const client = createGiteaClient(options)
  const hints = createHints(log)
  const branches = createBranches({ git, remote })
  const signer = createMarkSigner(store)
  const words = createReadWords({ client, clock })
  const seenHeads = createSeenHeads({ git, store, branches })
  const pause = createPause(options.retryDelay)
  const nameOf = (actor: Actor): Promise<string> => actorName(store, actor)
  const identity = createIdentity({ forge: 'gitea', repository, store, client })
  const snapshots = createSnapshots({
    ...options,
    client,
    words,
    writers: createWriters({ ...options, client }),
    signer,
    seenHeads,
  })
  const file = createFile({ repository, client, git, branches, seenHeads, pause })
  const conflictsOf = createConflicts({ git, branches })

  return Object.freeze({
    kind: 'gitea' as const,
    remote,
    // What is checked before a merge, and on what, is Gitea’s to say.
    results: null,
    pushes: null,
    // Its auto-merge is not made use of.
    scheduled: null,
    issues: null,
    budget: () => null,
    identity: identity.read,
    snapshots,
    async find(filter: Parameters<Forge['find']>[0]) {
      return (await findPulls(client, filter)).map(({ number }) => number)
    },
    async file(wanted: Parameters<Forge['file']>[0]) {
      const result = await file(wanted)
      if (result.kind === 'filed') hints.emit(result.number)
      return result
    },
    ...createMerging({
      repository,
      client,
      gate,
      branches,
      conflictsOf,
      pause,
      changed: hints.emit,
    }),
    ...createReviews({ repository, client, words, clock, nameOf, signer, changed: hints.emit }),
    async retarget(number, base) {
      const pull = await lookAt(client, number)
      if (stateOf(pull) !== 'open' || baseOf(pull) === base) return
      const { status } = await client.rest(`PATCH ${PULL}/${number}`, {
        body: { base },
        accept: [404],
        retry: true,
      })
      if (status === 404) {
        throw new ExomonadError(
          'GIT_FAILED',
          `#${number} can’t be moved to ${base}: ${repository.owner}/${repository.name} has no such branch. Push it first.`,
          { base },
        )
      }
      hints.emit(number)
    },
    async close(number) {
      if (stateOf(await lookAt(client, number)) !== 'open') return
      await client.rest(`PATCH ${PULL}/${number}`, { body: { state: 'closed' }, retry: true })
      hints.emit(number)
    },
    async diff(number) {
      const { status, data } = await client.rest<string>(`GET ${PULL}/${number}.diff`, {
        accept: [404],
      })
      if (status === 404) throw await client.missing(noPull(number))
      return data
    },
    async commits(number) {
      await lookAt(client, number)
      const listed = await client.pages<HostedCommit>(`GET ${PULL}/${number}/commits`)
      // The newest comes first there.
      return listed.map(pullCommit).toReversed()
    },
    /** Pushes start them by themselves. */
    async ensureChecks(number) {
      await lookAt(client, number)
    },
    async rerunChecks(number) {
      const pull = await lookAt(client, number)
      const state = stateOf(pull)
      if (state !== 'open')
        throw new ExomonadError(
          'PR_NOT_MERGEABLE',
          `#${number} is ${state}: its checks are not run any more.`,
          { number },
        )
      throw new ExomonadError(
        'INVALID_ARG',
        `Gitea’s API starts no checks again. Run them again at ${pull.html_url}, or push a new commit.`,
        { number },
      )
    },
    async requestReview(number) {
      const pull = await lookAt(client, number)
      const same = await findPulls(client, { state: 'open', heads: [headOf(pull)] })
      return same.length < 2
        ? null
        : `${same.map((one) => `#${one.number}`).join(' and ')} have the same head ${headOf(pull)}: close all but one, or what is pushed counts for each.`
    },
    async checkLog(number, name) {
      await lookAt(client, number)
      const [read] = await snapshots([number])
      const check =
        read !== undefined && 'snapshot' in read
          ? read.snapshot.checks.find((one) => one.name === name)
          : undefined
      if (check === undefined)
        throw new ExomonadError(
          'INVALID_ARG',
          `No check ${name} has run for the head of #${number}.`,
          { number },
        )
      throw new ExomonadError(
        'NOT_AVAILABLE',
        `Gitea’s API gives no log of a check. That of ${name} is at ${check.url ?? pullChecks(number)}.`,
        { number },
      )
    },
    onHint: hints.subscribe,
    dispose: async () => client.close(),
  } satisfies Forge)

  function pullChecks(number: number): string {
    return `${repository.url}/${repository.owner}/${repository.name}/pulls/${number}`
  }
}

import { ExomonadError } from '../../../../domain/errors.ts'
import type { Sha } from '../../../../domain/ids.ts'
import type { TextGate } from '../../../../sanitize/text-gate.ts'
import type { Forge } from '../../forge.ts'
import type { MergeResult, MergeScheduled } from '../../merging.ts'
import type { MergeKind, ScheduledMerges } from '../../scheduled.ts'
import type { GithubClient, GraphqlError } from '../client/client.ts'
import type { GithubRepository } from '../repository.ts'
import type { RawActor } from '../reading/answers.ts'
import { accountOf, isSame } from '../reading/trusted.ts'
import { mergeMessage } from './merge-message.ts'
import type { Pause } from '../../network/pause.ts'
import { lookAt, type RawPull } from './pull.ts'
import { isLost } from './refusal.ts'

/** How often a request whose answer was lost is looked for. */
const LOOKS = 3

const FIELDS = `
  mergeQueueEntry { position enqueuedAt enqueuer { __typename login } }
  autoMergeRequest { enabledAt enabledBy { __typename login } }`
const LOOK = `query Scheduled($id: ID!) { node(id: $id) { ... on PullRequest { id ${FIELDS} } } }`
const ENQUEUE = `mutation Enqueue($id: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head }) { clientMutationId }
}`
const ARM = `mutation EnableAutoMerge($id: ID!, $head: GitObjectID!, $method: PullRequestMergeMethod!, $title: String, $message: String) {
  enablePullRequestAutoMerge(input: { pullRequestId: $id, expectedHeadOid: $head, mergeMethod: $method, commitHeadline: $title, commitBody: $message }) {
    clientMutationId
  }
}`
const DEQUEUE = `mutation Dequeue($id: ID!) { dequeuePullRequest(input: { id: $id }) { clientMutationId } }`
const DISARM = `mutation DisableAutoMerge($id: ID!) { disablePullRequestAutoMerge(input: { pullRequestId: $id }) { clientMutationId } }`

/** Held against GitHub’s schema by a test. */
export const SCHEDULE: readonly string[] = [LOOK, ENQUEUE, ARM, DEQUEUE, DISARM]

interface RawScheduled {
  /** Absent where the server does not know it. */
  readonly mergeQueueEntry?: {
    readonly position: number
    readonly enqueuedAt: string
    readonly enqueuer: RawActor | null
  } | null
  /** Absent where the server does not know it. */
  readonly autoMergeRequest?: {
    readonly enabledAt: string | null
    readonly enabledBy: RawActor | null
  } | null
}

export interface Scheduling extends Pick<ScheduledMerges, 'cancel'> {
  /**
   * Puts it into the queue, or turns auto-merge on. An open pull request with that head. `words`:
   * GitHub’s, where it refuses.
   */
  schedule(
    options: Parameters<Forge['merge']>[0],
    pull: RawPull,
    how: MergeKind,
  ): Promise<MergeResult | { readonly words: string }>
  /** Whether GitHub merges it by itself, as this account asked. */
  look(pull: Pick<RawPull, 'node_id'>): Promise<MergeScheduled | null>
}

/** Merges that GitHub makes by itself: merge queues and auto-merge, both of GraphQL alone. */
export function createScheduling({
  repository,
  client,
  gate,
  pause,
  changed,
}: {
  repository: GithubRepository
  client: Pick<GithubClient, 'graphql' | 'pages' | 'rest' | 'viewer'>
  gate: Pick<TextGate, 'text'>
  pause: Pause
  changed: (number: number) => void
}): Scheduling {
  const read = async ({ node_id: id }: Pick<RawPull, 'node_id'>): Promise<RawScheduled> => {
    const { data } = await client.graphql<{ node: RawScheduled | null }>(LOOK, { id })
    return data?.node ?? {}
  }

  const look: Scheduling['look'] = async (pull) => {
    const { mergeQueueEntry: entry, autoMergeRequest: auto } = await read(pull)
    const viewer = await client.viewer()
    const isOurs = (actor: RawActor | null): boolean =>
      actor !== null && isSame(accountOf(actor).login, viewer)
    if (entry != null) {
      return isOurs(entry.enqueuer)
        ? {
            kind: 'scheduled',
            how: 'queue',
            position: entry.position,
            since: Date.parse(entry.enqueuedAt),
          }
        : null
    }
    return auto != null && isOurs(auto.enabledBy)
      ? {
          kind: 'scheduled',
          how: 'auto',
          position: null,
          since: Date.parse(auto.enabledAt ?? '') || 0,
        }
      : null
  }

  const confirm = async (pull: RawPull, lost: ExomonadError): Promise<MergeScheduled> => {
    for (let looks = 0; looks < LOOKS; looks++) {
      if (looks > 0) await pause(looks - 1)
      const found = await look(pull).catch(() => null)
      if (found !== null) return found
    }
    throw lost
  }

  const refusal = (
    [{ message, type }]: readonly [GraphqlError],
    how: MergeKind,
  ): MergeResult | { readonly words: string } => {
    if (type === 'FORBIDDEN')
      return {
        kind: 'refused',
        reason: `${message} (the token has to be allowed to write contents and pull requests)`,
      }
    // Nothing is left that it could wait for.
    if (
      how === 'auto' &&
      /\bin (clean|unstable|has_hooks) status|protected branch rules not configured/i.test(message)
    )
      return { kind: 'ready' }
    if (/auto.?merge is not allowed/i.test(message)) {
      const name = `${repository.owner}/${repository.name}`
      return {
        kind: 'refused',
        reason: `${name} does not allow auto-merge. Whoever owns it can: Settings → General → “Allow auto-merge”. Without, merge it when you are notified that it is ready`,
      }
    }
    return { words: message }
  }

  const send = async (
    options: Parameters<Forge['merge']>[0],
    pull: RawPull,
    how: MergeKind,
  ): Promise<readonly GraphqlError[]> => {
    const common = { id: pull.node_id, head: options.expectedHead }
    if (how === 'queue') {
      await options.prepared(null)
      return (await client.graphql(ENQUEUE, common)).errors
    }
    const { commit_title: title = null, commit_message: message = null } = await mergeMessage(
      { client, gate },
      pull,
      options.strategy,
      options.message,
    )
    await options.prepared(null)
    return (
      await client.graphql(ARM, {
        ...common,
        method: options.strategy.toUpperCase(),
        title,
        message,
      })
    ).errors
  }

  return {
    look,

    schedule: async (options, pull, how) => {
      try {
        const [error] = await send(options, pull, how)
        // Asked for before, and the answer was lost.
        if (error !== undefined && !/\balready\b.*(queue|enabled)/i.test(error.message))
          return refusal([error], how)
      } catch (error) {
        if (!isLost(error)) throw error
        return await confirm(pull, error)
      } finally {
        changed(options.number)
      }
      // What had all it needs may be merged by now.
      const now = await look(pull)
      if (now !== null) return now
      const after = await lookAt(client, options.number)
      if (after.merged)
        return {
          kind: 'merged',
          sha: (after.merge_commit_sha ?? after.head.sha) as Sha,
          head: after.head.sha as Sha,
        }
      const words = `GitHub (${repository.host}) did not say whether it merges #${options.number} by itself. It is looked at again.`
      return confirm(
        pull,
        new ExomonadError('FORGE_UNAVAILABLE', words, { number: options.number }),
      )
    },

    async cancel(number) {
      const pull = await lookAt(client, number)
      if (pull.state !== 'open') return
      const { mergeQueueEntry: entry, autoMergeRequest: auto } = await read(pull)
      for (const mutation of [
        ...(entry == null ? [] : [DEQUEUE]),
        ...(auto == null ? [] : [DISARM]),
      ]) {
        const [error] = (await client.graphql(mutation, { id: pull.node_id })).errors
        // It may be out of it by now.
        if (error === undefined || error.type === 'UNPROCESSABLE') continue
        const code = error.type === 'FORBIDDEN' ? 'FORGE_DENIED' : 'FORGE_UNAVAILABLE'
        throw new ExomonadError(
          code,
          `GitHub (${repository.host}) does not take back the merge of #${number} that it was to make: ${error.message}`,
          {
            number,
          },
        )
      }
      changed(number)
    },
  }
}

import { ExomonadError } from '../../../domain/errors.ts'
import type { Sha } from '../../../domain/ids.ts'
import type { TextGate } from '../../../sanitize/text-gate.ts'
import type { Forge } from '../forge.ts'
import { ANY_WAY, goesElsewhere, type MergeResult } from '../merging.ts'
import type { MergeStrategy } from '../merge-results.ts'
import type { Branches } from '../branches.ts'
import type { createConflicts } from '../conflicts.ts'
import type { Pause } from '../network/pause.ts'
import { settleByLook } from '../settle-merge.ts'
import { createSerial } from '../serial.ts'
import { squashMessage } from '../squash-message.ts'
import { wordsOf, type GiteaClient } from './client.ts'
import type { GiteaRepository } from './options.ts'
import { baseOf, headOf, lookAt, plainTitle, PULL, stateOf, type RawPull } from './pull.ts'

/** How often a merge is tried that Gitea can’t do yet: it looks for conflicts after each push. */
const TRIES = 6

interface RawCommit {
  readonly commit: {
    readonly message: string
    readonly author: { readonly name?: string; readonly email?: string } | null
  }
  /** The account with that address; null where Gitea knows none. */
  readonly author: { readonly login?: string } | null
}

type MergeOptions = Parameters<Forge['merge']>[0]

/**
 * Merges on Gitea, guarded by the head that was looked at. What a refusal means is only known from
 * the pull request itself.
 */
export function createMerging({
  repository: { host, owner, name },
  client,
  gate,
  branches,
  conflictsOf,
  pause,
  changed,
}: {
  repository: GiteaRepository
  client: GiteaClient
  gate: Pick<TextGate, 'text'>
  branches: Branches
  conflictsOf: ReturnType<typeof createConflicts>
  pause: Pause
  changed: (number: number) => void
}): Pick<Forge, 'merge' | 'settleMerge' | 'mergeWays'> {
  /** In one process merges wait for each other instead of moving each other’s bases. */
  const oneAtATime = createSerial()

  const isOthers = async ({ merged_by: by }: RawPull): Promise<boolean> =>
    by !== null && by.login !== (await client.viewer())
  const mergedAs = (pull: RawPull): MergeResult => ({
    kind: 'merged',
    sha: (pull.merge_commit_sha ?? pull.head.sha) as Sha,
    head: pull.head.sha as Sha,
  })

  const inTheWay = (
    pull: RawPull,
    { expectedHead, expectedBase }: MergeOptions,
  ): MergeResult | undefined => {
    const state = stateOf(pull)
    if (state !== 'open') return { kind: 'not_open', state }
    if (baseOf(pull) !== expectedBase) return goesElsewhere(baseOf(pull))
    return pull.head.sha === expectedHead
      ? undefined
      : { kind: 'head_changed', head: pull.head.sha as Sha }
  }

  /**
   * A squashed commit’s author is the account that filed the pull request: everybody else who wrote
   * one of its commits is named in a trailer.
   */
  const messageFor = async (
    pull: RawPull,
    strategy: MergeStrategy,
    text: string | undefined,
  ): Promise<Record<string, string>> => {
    if (strategy === 'rebase' || (strategy === 'merge' && text === undefined)) return {}
    let message = gate.text(text ?? '')
    if (strategy === 'squash') {
      const own = { name: '', email: '' }
      const commits = (await client.pages<RawCommit>(`GET ${PULL}/${pull.number}/commits`)).map(
        ({ commit, author }) => {
          const { name: by = '', email = '' } = commit.author ?? {}
          return {
            author:
              author?.login === pull.user?.login || by === '' || email === ''
                ? own
                : { name: by, email },
            message: commit.message,
          }
        },
      )
      message = squashMessage({
        number: pull.number,
        title: plainTitle(pull.title),
        body: pull.body ?? '',
        text,
        author: own,
        commits,
        gate,
      })
    }
    const [title = '', ...rest] = message.trim().split('\n')
    return { MergeTitleField: title, MergeMessageField: rest.join('\n').trim() }
  }

  /** After a refusal: what the pull request itself says. `again`: Gitea was not ready. */
  const explain = async (
    options: MergeOptions,
    status: number,
    words: string,
  ): Promise<MergeResult | 'again'> => {
    const { number, expectedHead } = options
    const pull = await lookAt(client, number)
    const found = inTheWay(pull, options)
    if (found !== undefined) return found
    const base = (await branches.tips([baseOf(pull)])).get(baseOf(pull)) ?? null
    const files = await conflictsOf({
      head: { branch: headOf(pull), sha: expectedHead },
      base: { branch: baseOf(pull), sha: base },
    })
    if (files.length > 0) return { kind: 'conflict', files }
    // 409: the base or the head moved while it merged. No words, or these: conflicts are still
    // looked for.
    if (
      status === 409 ||
      words === '' ||
      /try again later|not in a mergeable state|not ready/i.test(words)
    )
      return 'again'
    return { kind: 'refused', reason: words }
  }

  const merge = async (options: MergeOptions): Promise<MergeResult> => {
    const { number, expectedHead, strategy } = options
    let words = ''
    for (let tries = 0; tries < TRIES; tries++) {
      if (tries > 0) await pause(tries - 1)
      const pull = await lookAt(client, number)
      const found = inTheWay(pull, options)
      // Just after a push Gitea may still show the head before it.
      if (found?.kind === 'head_changed' && tries === 0) continue
      if (found !== undefined) return found
      const message = await messageFor(pull, strategy, options.message)
      await options.prepared(null)
      const body = { Do: strategy, head_commit_id: expectedHead, ...message }
      try {
        const { status, data } = await client.rest(`POST ${PULL}/${number}/merge`, {
          body,
          accept: [405, 409, 422],
        })
        if (status < 400) return await confirm(options)
        words = wordsOf(data)
        const explained = await explain(options, status, words)
        if (explained !== 'again') return explained
      } catch (error) {
        if (!(error instanceof ExomonadError) || error.code !== 'FORGE_UNAVAILABLE') throw error
        return await confirm(options, error)
      }
    }
    return {
      kind: 'refused',
      reason: `${words === '' ? 'it is still looking for conflicts' : words} (said ${TRIES} times; try again in a minute)`,
    }
  }

  /** The commit that came of it; what was lost on the way is looked for. */
  const confirm = async (
    { number, expectedHead }: MergeOptions,
    lost?: ExomonadError,
  ): Promise<MergeResult> => {
    for (let looks = 0; looks < 3; looks++) {
      if (looks > 0) await pause(looks - 1)
      const pull = await lookAt(client, number).catch(() => undefined)
      if (pull?.merged !== true || pull.head.sha !== expectedHead) continue
      if (lost !== undefined && (await isOthers(pull))) return { kind: 'not_open', state: 'merged' }
      changed(number)
      return mergedAs(pull)
    }
    throw (
      lost ??
      new ExomonadError(
        'FORGE_UNAVAILABLE',
        `Gitea (${host}) did not say as what it merged #${number}. It is looked at again.`,
        { number },
      )
    )
  }

  return {
    merge: (options) => oneAtATime(() => merge(options)),

    settleMerge: ({ number }) =>
      oneAtATime(() =>
        settleByLook({ look: () => lookAt(client, number), stateOf, isOthers, mergedAs }),
      ),

    async mergeWays() {
      try {
        const { data } = await client.rest<{
          allow_merge_commits: boolean
          allow_squash_merge: boolean
          allow_rebase: boolean
        }>('GET /repos/{owner}/{repo}')
        const allowed = (['merge', 'squash', 'rebase'] as const).filter(
          (way) =>
            ({
              merge: data.allow_merge_commits,
              squash: data.allow_squash_merge,
              rebase: data.allow_rebase,
            })[way],
        )
        return allowed.length === 3
          ? ANY_WAY
          : { allowed, why: `the settings of ${owner}/${name} do not allow it` }
      } catch (error) {
        if (!(error instanceof ExomonadError)) throw error
        // What can’t be read forbids nothing: Gitea refuses then.
        return ANY_WAY
      }
    },
  }
}

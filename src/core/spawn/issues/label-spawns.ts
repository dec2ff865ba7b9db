import { setTimeout as delay } from 'node:timers/promises'
import type { ForgeIssues, ListedIssue } from '../../../adapters/forge/issues.ts'
import type { Agent } from '../../../domain/records.ts'
import { asExomonadError } from '../../../domain/errors.ts'
import type { Spawning } from '../spawn-use-cases.ts'
import type { Directory } from '../../agents/directory.ts'
import type { Deps } from '../../deps.ts'
import { isAlive } from '../../../domain/lifecycle.ts'
import { knownForgeHealth } from '../../pulls/forge-health.ts'
import { issueAgents } from './records.ts'
import { labelRefusal } from './specs.ts'

/** Spawns an agent for each open issue that somebody who may write put the configured label on. */
export interface LabelSpawns {
  start(): void
  /** Looks now; resolves when what was found is spawned, or refused. */
  look(): Promise<void>
  stop(): Promise<void>
}

/** What came of a label that was set at that time: it is not tried again. */
interface Refused {
  readonly at: number
  readonly code: string
}

/** Spawns for such a label that had begun and failed. */
interface Failed {
  readonly at: number
  readonly times: number
}

/** Failures of a spawn that had begun until it is given up, over restarts. */
const MOST_FAILURES = 3
/** The forge’s own troubles are reported elsewhere. */
const SILENT: ReadonlySet<string> = new Set(['FORGE_UNAVAILABLE', 'FORGE_DENIED', 'STORE_BUSY'])
/**
 * Until a stop no longer waits for a spawn that is under way; the next start settles it.
 * Milliseconds.
 */
const STOP_WAIT = 2_000

export function createLabelSpawns({
  store,
  forge,
  settings,
  publisher,
  clock,
  log,
  spawning,
  root,
}: Pick<Deps, 'store' | 'forge' | 'settings' | 'publisher' | 'clock' | 'log'> & {
  spawning: Pick<Spawning, 'spawn'>
  root: Directory['root']
}): LabelSpawns {
  /**
   * As they were when nothing could be done for them: looked at again once something about them
   * changes.
   */
  const passed = new Map<number, number>()
  /** The token may not comment: said once. */
  let mute = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  const refusedKey = (repository: string, number: number): string =>
    `issue-refused:${repository}#${number}`
  const failedKey = (repository: string, number: number): string =>
    `issue-failed:${repository}#${number}`

  /** Returns how many they are with this one; a label that was set anew begins anew. */
  const countFailure = (key: string, at: number): Promise<number> =>
    store.transaction(async (tx) => {
      const before = (await tx.snapshots.get(key)) as Failed | undefined
      const times = before?.at === at ? before.times + 1 : 1
      await tx.snapshots.put(key, { at, times } satisfies Failed)
      return times
    })

  const report = async (
    issue: { number: number; url: string; at: number; repository: string },
    label: string,
    { code, error }: { code: string; error: string },
  ) => {
    const { number, url, at, repository } = issue
    const dedupeKey = `${repository}#${number}:label:${at}:${code}`
    await publisher.publish({
      type: 'issue.refused',
      agentId: null,
      actor: 'daemon',
      payload: { number, url, label, code, reason: error },
      dedupeKey,
    })
  }

  const take = async (
    issues: ForgeIssues,
    { number, updatedAt }: ListedIssue,
    label: string,
    repository: string,
  ): Promise<void> => {
    const found = await issues.read(number, label)
    const at = found.label?.at ?? 0
    const before = (await store.snapshots.get(refusedKey(repository, number))) as
      | Refused
      | undefined
    const refusal = labelRefusal(found, label)
    if (refusal !== null || (found.label !== null && before?.at === at)) {
      passed.set(number, updatedAt)
      // That a stranger’s label does nothing is nobody’s business.
      if (refusal?.code === 'outdated')
        await report({ number, url: found.url, at, repository }, label, {
          code: 'NOT_ALLOWED',
          error: refusal.reason,
        })
      else
        log.info(
          { number, label, reason: refusal?.reason ?? before?.code },
          'a labelled issue is not spawned for',
        )
      return
    }
    // Uncommitted work of a person at the root is none of its business, and must not hold it up.
    const caller = { kind: 'agent' as const, agent: await root() }
    const { spawned, errors } = await spawning
      .spawn(caller, [{ kind: 'worker', name: '', prompt: '', issue: number, label }], {
        allowDirty: true,
      })
      .catch((thrown: unknown) => {
        const { code, message } = asExomonadError(thrown)
        return { spawned: [], errors: [{ name: '', code, error: message }] }
      })
    const [error] = errors
    if (error === undefined || spawned.length > 0)
      return store.snapshots.remove(failedKey(repository, number))
    log.warn(
      { number, label, code: error.code, reason: error.error },
      'no agent could be spawned for a labelled issue',
    )
    if (!SILENT.has(error.code))
      await report({ number, url: found.url, at, repository }, label, error)
    const failed =
      error.code === 'SPAWN_FAILED' ? await countFailure(failedKey(repository, number), at) : 0
    // All else, such as a limit, may be over at the next look.
    if (error.code !== 'APPROVAL_DENIED' && failed < MOST_FAILURES) return
    await store.snapshots.put(refusedKey(repository, number), { at, code: error.code })
    await store.snapshots.remove(failedKey(repository, number))
  }

  /**
   * On the issue, for whoever set the label: who took it. Found by its mark where a crash forgot
   * that it was written.
   */
  const comment = async (issues: ForgeIssues, agent: Agent, number: number): Promise<void> => {
    const key = `issue-comment:${agent.id}`
    if (mute || (await store.snapshots.get(key)) !== undefined) return
    const body = `The agent **${agent.name}** works on this, on the branch \`${agent.branch}\`. Its pull request closes this issue.\n\n(exomonad)`
    try {
      await store.snapshots.put(key, {
        id: await issues.comment({ number, kind: 'taken', id: null, body }),
      })
    } catch (thrown) {
      mute = asExomonadError(thrown).code === 'FORGE_DENIED'
      log.warn(
        { err: thrown, number },
        mute
          ? 'the token may not comment on issues; it is not tried again'
          : 'an issue could not be commented on; it is tried again',
      )
    }
  }

  const lookOnce = async (): Promise<void> => {
    const { spawn_label: label } = (await settings.snapshot()).config.forge.github
    const { issues } = forge
    if (label === undefined || issues === null) return
    // What the forge asked the daemon before to wait for holds on.
    const asked = (await knownForgeHealth(store))?.retryAt ?? 0
    if (Math.max(forge.budget()?.blockedUntil ?? 0, asked) > clock()) return
    const listed = await issues.labelled(label)
    const repository = await forge.identity()
    const taken = new Set((await issueAgents(store, repository)).map(({ issue }) => issue.number))
    for (const issue of listed) {
      if (stopped) return
      if (taken.has(issue.number) || passed.get(issue.number) === issue.updatedAt) continue
      await take(issues, issue, label, repository).catch((thrown: unknown) =>
        log.warn({ err: thrown, number: issue.number }, 'a labelled issue could not be read'),
      )
    }
    for (const { issue, agent } of await issueAgents(store, repository)) {
      if (!stopped && issue.byLabel && agent.state !== 'spawning' && isAlive(agent.state))
        await comment(issues, agent, issue.number)
    }
  }

  const look = (): Promise<void> => {
    running = running
      .then(lookOnce)
      .catch((thrown: unknown) =>
        log.warn({ err: thrown }, 'labelled issues could not be looked at; it is tried again'),
      )
    return running
  }
  const arm = async (): Promise<void> => {
    const seconds = await settings.snapshot().then(
      ({ config }) => config.forge.poll_idle,
      () => 300,
    )
    if (stopped) return
    timer = setTimeout(
      () => void look().then(arm),
      seconds * 1000 * Math.max(forge.budget()?.slowdown ?? 1, 1),
    )
    timer.unref()
  }

  return {
    start: () => {
      if (forge.issues !== null) void look().then(arm)
    },
    look,
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      // One may wait for the human’s approval.
      await Promise.race([running, delay(STOP_WAIT, undefined, { ref: false })])
    },
  }
}

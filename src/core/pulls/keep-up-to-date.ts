import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { Config } from '../../config/schema.ts'
import type { Agent } from '../../domain/records.ts'
import type { Deps } from '../deps.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import { pullEventFacts } from './merge/journal.ts'
import { ownerOf } from './merge/settle.ts'
import { knownPulls } from './pull-records.ts'
import type { StopSync } from '../turns/stop-sync.ts'
import { isBehindBase } from './behind.ts'

export interface KeepUpToDate {
  /** Looks at all of them. Never throws; one that fails is tried again at the next look. */
  look(): Promise<void>
  /** Resolves when none is being rebased any more. */
  stop(): Promise<void>
}

/**
 * Rebases what has to be up to date to be merged, where its agent rests: one merge would leave all
 * others behind, and an agent that is woken only to be rebased costs a turn over its whole
 * conversation. Who works is rebased when it stops; who has to resolve a conflict is notified.
 */
export function createKeepUpToDate({
  store,
  git,
  polling,
  publisher,
  settings,
  log,
  sync,
}: Pick<Deps, 'store' | 'git' | 'polling' | 'publisher' | 'settings' | 'log'> & {
  sync: Pick<StopSync, 'run'>
}): KeepUpToDate {
  let running: Promise<void> | undefined
  let again = false
  let stopped = false

  /** Its work is committed and nothing is under way in its worktree. */
  const rests = async ({ state, ownsWorktree, worktree, branch }: Agent): Promise<boolean> => {
    if (!ownsWorktree || (isAlive(state) && state !== 'idle')) return false
    const status = await git.status(worktree)
    return status.operation === null && status.dirty.length === 0 && status.branch === branch
  }

  const bringUp = async ({ stop }: Config, pull: PullRequestSnapshot): Promise<void> => {
    const agent = ownerOf(await store.agents.list(), pull.head.branch)
    if (
      agent === undefined ||
      (await git.resolve(`refs/heads/${agent.branch}`)) !== pull.head.sha ||
      !(await rests(agent))
    )
      return
    const objection = await sync.run(stop, { kind: 'agent', agent })
    if (objection === undefined) return polling.poll([pull.number])
    // Nobody is there to go on with it.
    if (!isAlive(agent.state) && objection.kind === 'rebase_conflict')
      await git.abortRebase(agent.worktree)
    const dedupeKey = `behind:${pull.url}:${pull.head.sha}:${pull.base.sha ?? ''}`
    await publisher.publish({
      type: 'pr.behind',
      agentId: agent.id,
      actor: 'daemon',
      payload: { ...pullEventFacts(pull), sha: pull.head.sha },
      dedupeKey,
    })
  }

  const lookAtAll = async (): Promise<void> => {
    const behind = (await knownPulls(store)).filter(
      (pull) => pull.state === 'open' && isBehindBase(pull),
    )
    if (behind.length === 0) return
    const { config } = await settings.snapshot()
    for (const pull of behind) {
      if (stopped) return
      await bringUp(config, pull).catch((thrown: unknown) =>
        log.info(
          { err: thrown, number: pull.number },
          'a pull request could not be brought up to date; it is tried again',
        ),
      )
    }
  }

  const look = async (): Promise<void> => {
    // What became so while the others were looked at counts too.
    do {
      again = false
      await lookAtAll().catch((thrown: unknown) =>
        log.error({ err: thrown }, 'what is behind its base was not looked at'),
      )
    } while (again && !stopped)
  }
  const once = (): Promise<void> => {
    if (running !== undefined) again = true
    return (running ??= look().finally(() => (running = undefined)))
  }

  const leave = publisher.onEvent(({ type, payload }) => {
    if (type === 'pr.blocked' && payload['behind'] === true) void once()
  })

  return {
    look: once,
    stop: async () => {
      stopped = true
      leave()
      await running
    },
  }
}

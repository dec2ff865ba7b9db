import { setTimeout as delay } from 'node:timers/promises'
import { FORGE_NAMES } from '../../domain/forge-kinds.ts'
import type { Config } from '../../config/schema.ts'
import type { Agent, StoredEvent } from '../../domain/records.ts'
import { asExomonadError } from '../../domain/errors.ts'
import type { StopAnswer, StopCall } from './agent-hooks.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import type { FollowBase } from '../pulls/follow-base.ts'
import type { ForgeWatch } from '../pulls/forge-watch.ts'
import type { ForgeAway } from '../pulls/forge-health.ts'
import { knownPulls, mergedBranches } from '../pulls/pull-records.ts'
import {
  applicable,
  nextBlock,
  stopBlockerText,
  requestedBy,
  type StopBlocker,
} from './stop-check.ts'
import type { StopSync } from './stop-sync.ts'
import { childrenOf, countsAsLive } from '../agents/tree.ts'

/** Before each further try, milliseconds: the agent is kept busy meanwhile. */
const FORGE_WAITS = [300, 1500]

/**
 * Runs the stop check for an agent about to stop. A daemon that is slow or confused never holds an
 * agent.
 */
export function createStopChain(
  deps: Pick<
    Deps,
    | 'store'
    | 'git'
    | 'forge'
    | 'outbox'
    | 'publisher'
    | 'settings'
    | 'polling'
    | 'gate'
    | 'clock'
    | 'log'
  > & {
    sync: StopSync
    followBase: FollowBase
    forgeWatch: ForgeWatch
  },
): (caller: Caller, call?: StopCall) => Promise<StopAnswer> {
  const { store, git, forge, outbox, publisher, settings, polling, gate, log } = deps

  /**
   * `over`: the agent was let go meanwhile, so that nothing may be done in its name any more.
   * `away`: neither the forge nor its remote is asked; what only they know, or what it could not do
   * without them, is not held against it.
   */
  const firstStopBlocker = async (
    stop: Config['stop'],
    caller: Caller,
    over: () => boolean,
    away = false,
  ): Promise<StopBlocker | undefined> => {
    const asks = (await store.questions.open(caller.agent.id)).length > 0
    const owns = caller.agent.ownsWorktree && !asks
    // What was forgotten here is reported first, also where the forge hangs.
    const first =
      owns && caller.agent.stopReason === null ? await git.status(caller.agent.worktree) : undefined
    if (first?.operation === null && first.dirty.length > 0)
      return { kind: 'uncommitted', files: first.dirty }
    const agent = owns && !away ? await deps.followBase(caller.agent) : caller.agent
    const agents = await store.agents.list()
    const pulls = await knownPulls(store)
    const own = pulls.filter((pull) => pull.head.branch === agent.branch)
    const open = own.find((pull) => pull.state === 'open')
    const head = agent.ownsWorktree ? await git.resolve(`refs/heads/${agent.branch}`) : null
    const children = childrenOf(agents, agent.id)
    const merged = mergedBranches(pulls)
    const applies = applicable({
      ownsBranch: agent.ownsWorktree,
      hasOpenQuestion: asks,
      hasExcuse: agent.stopReason !== null,
      hasLiveChildren: children.some((child) => countsAsLive(child, merged)),
      hasOpenChildPulls: pulls.some(
        (pull) => pull.state === 'open' && pull.base.branch === agent.branch,
      ),
      merged:
        open === undefined &&
        own.some((pull) => pull.state === 'merged' && pull.mergedHead === head),
    })

    if (applies.commit || applies.rebase) {
      const status = first ?? (await git.status(agent.worktree))
      if (status.operation === 'rebase' && applies.rebase && agent.rebaseTries > 0 && !away) {
        return deps.sync.unresolved(stop, caller, status.conflicted)
      } else if (status.operation !== null)
        return { kind: 'rebase_in_progress', files: status.conflicted, operation: status.operation }
      else if (applies.commit && status.dirty.length > 0)
        return { kind: 'uncommitted', files: status.dirty }
      // On another branch there is nothing here to rebase: git would move that one.
      else if (applies.rebase && status.branch === agent.branch && !away && !over()) {
        const objection = await deps.sync.run(stop, caller, over)
        if (objection !== undefined) return objection
      }
    }
    if (applies.pullRequest && open === undefined && agent.baseBranch !== null && !away) {
      const commits = await commitsAhead(agent)
      if (commits > 0) return { kind: 'no_pull_request', commits, base: agent.baseBranch }
    }
    if (applies.review && open !== undefined) {
      // What was pushed just now may have answered a change request.
      const answered = (await git.resolve(`refs/heads/${agent.branch}`)) !== open.head.sha
      if (answered && !away) await polling.poll([open.number])
      const fresh = (await knownPulls(store)).find((pull) => pull.number === open.number)
      if (fresh?.reviewDecision === 'changes_requested' && !(answered && away))
        return { kind: 'changes_requested', pull: fresh }
    }
    // Messages that nobody would read stay where they are.
    if (over()) return undefined
    // What is only carried along is no reason to go on.
    const text = await outbox.takeForHook(agent.id, { onlyIfWoken: true })
    return text === null ? undefined : { kind: 'messages', text }
  }

  const commitsAhead = async (agent: Agent): Promise<number> => {
    const head = await git.resolve(`refs/heads/${agent.branch}`)
    const base =
      (await git.resolve(`refs/remotes/${forge.remote}/${agent.baseBranch}`)) ?? agent.forkPoint
    return head === null || base === null ? 0 : git.countCommits(base, head)
  }

  /**
   * A forge that failed once is asked again before an agent is let go with its work unseen; one
   * that said when to come back is not.
   */
  const objectionOf = async (
    stop: Config['stop'],
    caller: Caller,
    over: () => boolean,
  ): Promise<StopBlocker | undefined> => {
    for (const wait of FORGE_WAITS) {
      try {
        return await firstStopBlocker(stop, caller, over)
      } catch (thrown) {
        const { code, facts } = asExomonadError(thrown)
        if (code !== 'FORGE_UNAVAILABLE' || facts['retry_at'] !== undefined) throw thrown
        log.info(
          { err: thrown, agent: caller.agent.id },
          'the stop check could not ask the forge; it asks again',
        )
        await delay(wait)
      }
      if (over()) return undefined
    }
    return firstStopBlocker(stop, caller, over)
  }

  /** Asks the forge as long as that answers; else what is stored decides, within ten seconds. */
  const decide = async (
    stop: Config['stop'],
    caller: Caller,
    over: () => boolean,
  ): Promise<{ objection: StopBlocker | undefined; away?: ForgeAway | undefined }> => {
    const known = await deps.forgeWatch.away()
    if (known !== undefined)
      return { objection: await firstStopBlocker(stop, caller, over, true), away: known }
    const done = new AbortController()
    let gaveUp = false
    const asked = objectionOf(stop, caller, () => over() || gaveUp).then(
      (objection) => ({ objection }),
      (thrown: unknown) => {
        const { code, message } = asExomonadError(thrown)
        if (
          forge.kind === 'local' ||
          gaveUp ||
          (code !== 'FORGE_UNAVAILABLE' && code !== 'FORGE_DENIED')
        )
          throw thrown
        return { since: deps.clock(), reason: message }
      },
    )
    try {
      const found = await Promise.race([
        asked,
        deps.forgeWatch.silence(caller.agent.branch, done.signal),
      ])
      if (!('since' in found) || over()) return 'since' in found ? { objection: undefined } : found
      gaveUp = true
      asked.catch((thrown: unknown) =>
        log.info(
          { err: thrown, agent: caller.agent.id },
          'a stop check that was given up has ended',
        ),
      )
      return { objection: await firstStopBlocker(stop, caller, over, true), away: found }
    } finally {
      done.abort()
    }
  }

  /** What was gone by while the forge is away, in words. */
  const awayWords = async ({ agent }: Caller, { since, reason }: ForgeAway): Promise<string> => {
    const open = (await knownPulls(store)).some(
      (pull) => pull.state === 'open' && pull.head.branch === agent.branch,
    )
    const commits =
      open || !agent.ownsWorktree || agent.baseBranch === null ? 0 : await commitsAhead(agent)
    const unfiled =
      commits === 0
        ? ''
        : ` ${commits} commit${commits === 1 ? '' : 's'} without a pull request: file_pr works once it is back.`
    const at = new Date(since).toISOString().slice(11, 19)
    return `${FORGE_NAMES[forge.kind]} can’t be used since ${at} UTC (${reason}): what is known of it decided, and your branch was not brought up to date.${unfiled}`
  }

  const check = async (
    stop: Config['stop'],
    caller: Caller,
    over: () => boolean,
  ): Promise<StopAnswer> => {
    const { objection, away } = await decide(stop, caller, over)
    if (over()) return { decision: 'allow' }
    const words = away === undefined ? undefined : gate.text(await awayWords(caller, away))
    const agent = (await store.agents.get(caller.agent.id)) ?? caller.agent
    if (objection === undefined) {
      await store.agents.update(agent.id, { stopBlocker: null, stopBlocks: 0 })
      return words === undefined ? { decision: 'allow' } : { decision: 'allow', note: words }
    }
    const { release, times } = nextBlock(
      { objection: agent.stopBlocker, times: agent.stopBlocks },
      objection.kind,
      stop.max_blocks,
    )
    if (release) {
      await store.agents.update(agent.id, { stopBlocker: null, stopBlocks: 0 })
      await publisher.publish({
        type: 'stop.released',
        agentId: agent.id,
        actor: 'daemon',
        payload: { name: agent.name, objection: objection.kind, times: stop.max_blocks },
      })
      return {
        decision: 'allow',
        note: `let go although: ${objection.kind}; your parent was notified`,
      }
    }
    // The words of the review are in the reason: the message that waits would bring them a second
    // time.
    if (objection.kind === 'changes_requested') {
      const reported = new Set(requestedBy(objection.pull).map(({ id }) => id))
      const isReported = ({ type, payload }: StoredEvent): boolean =>
        type === 'pr.review' && reported.has(String(payload['review_id']))
      await outbox.withdraw(agent.id, objection.pull.url, isReported, 'the stop check reported it')
    }
    if (objection.kind !== 'messages')
      await store.agents.update(agent.id, { stopBlocker: objection.kind, stopBlocks: times })
    // Names of files are whatever somebody called them.
    const said = gate.text(stopBlockerText(objection))
    const reason = words === undefined || objection.kind === 'messages' ? said : `${said}\n${words}`
    await publisher.publish({
      type: 'stop.blocked',
      agentId: agent.id,
      actor: 'daemon',
      payload: { objection: objection.kind, reason, times },
    })
    return { decision: 'block', objection: objection.kind, reason }
  }

  return async (caller, { configured, signal } = {}) => {
    let timer: NodeJS.Timeout | undefined
    let isLate = false
    // What is taken for whoever has gone, nobody reads.
    const over = (): boolean => isLate || signal?.aborted === true
    try {
      const { stop } = (configured ?? (await settings.snapshot())).config
      const slow = new Promise<StopAnswer>((resolve) => {
        timer = setTimeout(() => {
          isLate = true
          resolve({ decision: 'allow', note: `the stop check took longer than ${stop.timeout} s` })
        }, stop.timeout * 1000)
      })
      return await Promise.race([check(stop, caller, over), slow])
    } catch (thrown) {
      log.warn(
        { err: thrown, agent: caller.agent.id },
        'the stop check failed; the agent is let go',
      )
      return {
        decision: 'allow',
        note: gate.text(
          `the stop check failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
        ),
      }
    } finally {
      clearTimeout(timer)
    }
  }
}

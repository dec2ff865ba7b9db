import type { Usage } from '../../domain/records.ts'
import type { HostedSession } from '../terminals/headless.ts'
import type { AcpSession } from '../../../packages/subagents/src/acp/acp.ts'
import type { DaemonHooks } from './daemon-hooks.ts'
import type { Mentions } from './mentions.ts'
import type { Rendering } from './rendering.ts'
import type { Rounds, Report } from './rounds.ts'
import { addUsage } from './turn-usage.ts'

/** The turns of a session, one after the other, and what the daemon says to their end. */
export interface Turns {
  readonly state: HostedSession['state']
  /** Why the last turn ended, or what is waited for. */
  readonly reason: string | null
  readonly usage: Usage | null
  /** Rounds of the model, without those that began after there had been enough. */
  readonly rounds: number
  /** While the daemon is asked whether it may stop. */
  readonly stopping: Promise<unknown> | null
  /** Waits for its first turn. */
  ready(): void
  /** One turn, and those that the daemon’s objections make of it. */
  run(text: string): Promise<void>
  /** Breaks off the turn that is under way. */
  cancel(): void
  /** A round of the model has begun: one too many breaks off the turn. */
  roundBegan(): void
  /** Shows what a tool call has come to, and notifies the daemon. */
  report(call: Report): void
  /** A permission is waited for. Returns what to call when it was answered. */
  asks(title: string): () => void
  /** It can’t go on, whatever turn is under way. */
  fail(words: string): void
}

export function createTurns(deps: {
  /** Rounds of the model in a turn; null: as many as it likes. */
  readonly maxTurns: number | null
  readonly hooks: DaemonHooks
  readonly mentions: Pick<Mentions, 'add'>
  readonly rounds: Rounds
  readonly view: Rendering
  /** Null until it has begun. */
  readonly session: () => AcpSession | null
  /** It is being ended, and nobody is to be notified of what it does. */
  readonly isLeaving: () => boolean
  /** Its program has ended. */
  readonly hasEnded: () => boolean
  /** Whether its program goes on; after an error, which may be the first sign of its end. */
  readonly lives: (afterError: boolean) => Promise<boolean>
}): Turns {
  const { maxTurns, hooks, mentions, rounds, view, isLeaving } = deps
  let state: HostedSession['state'] = 'starting'
  let reason: string | null = null
  let usage: Usage | null = null
  /** Rounds that began after there had been enough: they were broken off. */
  let beyond = 0
  let stopping: Promise<unknown> | null = null
  let turn: {
    readonly cancel: AbortController
    readonly begun: number
    tooMany: boolean
    readonly asking: string[]
  } | null = null

  const report = (reported: Report): void => {
    view.tool(reported)
    const { id, title, kind, detail } = reported.call
    // Outside a turn nothing works: that it did is no news. Nor is anything to whoever is ending
    // it.
    if (turn === null || isLeaving()) return
    if (reported.kind === 'started')
      hooks.notify('tool-start', { id, tool: title, kind: kind ?? 'other', detail: detail ?? '' })
    else {
      const { status } = reported
      hooks.notify('tool-end', { id, tool: title, status, detail: detail ?? '' })
    }
  }

  async function run(first: string): Promise<void> {
    let again = false
    for (let text: string | null = first; text !== null; again = true) {
      const over = await oneTurn(text)
      if (over === 'gone') return
      if (over === 'interrupted') {
        hooks.notify('interrupted', {})
        break
      }
      const asked = hooks.stop({ reason: over, again })
      stopping = asked
      text = await asked
      stopping = null
      if (isLeaving() || deps.hasEnded()) return
    }
    state = 'idle'
  }

  /** Returns why it ended. */
  async function oneTurn(text: string): Promise<string> {
    const mine = {
      cancel: new AbortController(),
      begun: rounds.rounds,
      tooMany: false,
      asking: [] as string[],
    }
    turn = mine
    state = 'running'
    reason = null
    rounds.begin()
    mentions.add(text)
    view.prompt(text)
    hooks.notify('prompt', { prompt: text })
    try {
      const result = await deps.session()?.prompt(text, mine.cancel.signal)
      usage = addUsage(usage, result?.usage ?? null)
      reason = mine.tooMany ? 'max_turn_requests' : (result?.stopReason ?? 'end_turn')
    } catch (error) {
      reason = `error: ${error instanceof Error ? error.message : String(error)}`
    }
    rounds.end().forEach(report)
    if (mine.tooMany) beyond += rounds.rounds - mine.begun - (maxTurns ?? 0)
    turn = null
    if (reason !== 'end_turn')
      view.note(
        reason === 'max_turn_requests'
          ? `stopped after ${maxTurns ?? 'its'} rounds of the model`
          : `the turn ended: ${reason}`,
      )
    else view.note('the turn ended')
    if (isLeaving() || !(await deps.lives(reason.startsWith('error:')))) return 'gone'
    // Some end their turn so when a person denies them something: nobody broke it off, and it is
    // over.
    return reason === 'cancelled' && mine.cancel.signal.aborted ? 'interrupted' : reason
  }

  return {
    get state() {
      return state
    },
    get reason() {
      return reason
    },
    get usage() {
      return usage
    },
    get rounds() {
      return rounds.rounds - beyond
    },
    get stopping() {
      return stopping
    },
    ready: () => {
      state = 'idle'
    },
    run,
    cancel: () => turn?.cancel.abort(),
    roundBegan: () => {
      if (turn === null || maxTurns === null || turn.tooMany) return
      if (rounds.rounds - turn.begun <= maxTurns) return
      turn.tooMany = true
      turn.cancel.abort()
    },
    report,
    asks: (title) => {
      const mine = turn
      mine?.asking.push(title)
      state = 'waiting'
      reason = `permission: ${mine?.asking[0] ?? title}`
      return () => {
        mine?.asking.splice(mine.asking.indexOf(title), 1)
        if (turn !== mine || mine === null || state !== 'waiting') return
        const [next] = mine.asking
        state = next === undefined ? 'running' : 'waiting'
        reason = next === undefined ? null : `permission: ${next}`
      }
    },
    fail: (words) => {
      reason = `error: ${words}`
    },
  }
}

import type { Agent, Outcome } from '../../domain/records.ts'
import type { Exit } from '../agents/exits.ts'
import type { FinalOutput } from '../agents/final-output.ts'

/** How something without a terminal ended, in words. */
export interface Verdict {
  readonly success: boolean
  /** One line or a few. */
  readonly summary: string
}

/** Longest summary, characters: it is sent to the parent with its text. */
const LONGEST = 4_000

/** A process says only by its exit code how it went. */
export function processVerdict(exit: Exit, how: string, elapsedMs: number): Verdict {
  const time = `after ${seconds(elapsedMs)}`
  if (exit.exitCode !== null)
    return { success: exit.exitCode === 0, summary: `exit code ${exit.exitCode} ${time}` }
  return {
    success: false,
    summary: exit.exitSignal === null ? `${how} ${time}` : `ended by ${exit.exitSignal} ${time}`,
  }
}

/**
 * Reasons, in the words of the Agent Client Protocol, for which a turn that is over has not come to
 * its end.
 */
const CUT_SHORT: Readonly<Record<string, string>> = {
  cancelled: 'its turn was interrupted',
  refusal: 'its model refused',
  max_tokens: 'its model’s answer became too long',
}

/** Of a session whose only turn is over: what it reported, else what its model said last. */
export function turnVerdict(agent: Pick<Agent, 'outcome'>, { text, reason }: FinalOutput): Verdict {
  if (agent.outcome !== null)
    return {
      success: agent.outcome.success,
      summary: agent.outcome.summary ?? agent.outcome.error ?? '',
    }
  const why =
    reason === null
      ? undefined
      : (CUT_SHORT[reason] ?? (/^error\b/i.test(reason) ? reason : undefined))
  return why === undefined
    ? { success: true, summary: clip(text) || 'it ended its turn without a word' }
    : { success: false, summary: why }
}

/** What is reported to its parent. `partial`: the end of what there is. */
export function outcomeOf({ success, summary }: Verdict, text: string): Outcome {
  if (success) return { success, summary }
  const partial = text.trim().slice(-LONGEST)
  return { success, error: summary, ...(partial === '' ? {} : { partial }) }
}

const clip = (text: string): string =>
  (text.length > LONGEST ? `${text.slice(0, LONGEST)}… [agent_result has all of it]` : text).trim()

const seconds = (milliseconds: number): string =>
  milliseconds < 10_000
    ? `${Math.round(milliseconds / 100) / 10} s`
    : milliseconds < 600_000
      ? `${Math.round(milliseconds / 1000)} s`
      : `${Math.round(milliseconds / 60_000)} min`

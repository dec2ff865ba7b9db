import type { StoreTransaction } from '../../adapters/store/store.ts'
import type { Agent, ScrollbackEntry } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { AgentId } from '../../domain/ids.ts'

/**
 * The capture that is open now, by the agent’s scrollback, oldest first; null where none is:
 *
 *   none → (capture-begin) → open → (capture)* → (capture-cancel | capture-fork) → none
 *
 * Nothing else is kept of it, so it is the same after a restart.
 */
export function openCapture(
  entries: readonly Pick<ScrollbackEntry, 'kind' | 'text'>[],
): { lines: string[] } | null {
  let lines: string[] | null = null
  for (const { kind, text } of entries) {
    if (kind === 'capture-begin') lines = []
    else if (kind === 'capture') lines?.push(text)
    else if (kind !== 'wait') lines = null
  }
  return lines === null ? null : { lines }
}

/**
 * Of the capture that becomes a child’s prompt: whose it is, and how many lines of the terminal’s
 * text stand above its end.
 */
export interface CaptureEnd {
  readonly agentId: AgentId
  readonly line: number
}

/**
 * The lines of an agent’s open capture; null where none is open. INVALID_ARG where it is becoming a
 * child already, and takes no change.
 */
export async function openCaptureOf(
  tx: StoreTransaction,
  agent: Pick<Agent, 'id' | 'name'>,
): Promise<readonly string[] | null> {
  const open = openCapture(await tx.scrollback.list(agent.id))
  if (open === null) return null
  const taken = (await tx.journal.open()).some(
    ({ data }) => (data['capture'] as CaptureEnd | undefined)?.agentId === agent.id,
  )
  if (taken)
    throw new ExomonadError(
      'INVALID_ARG',
      `What was captured at ${agent.name} is being forked already.`,
      { agent: agent.id },
    )
  return open.lines
}

/** In the transaction that lets the child live: the capture ends with it. */
export async function endCapture(
  tx: StoreTransaction,
  { agentId, line }: CaptureEnd,
  child: Pick<Agent, 'id' | 'name'>,
  at: number,
): Promise<void> {
  if (openCapture(await tx.scrollback.list(agentId)) === null) return
  await tx.scrollback.append({
    agentId,
    kind: 'capture-fork',
    text: `${child.name} ${child.id}`,
    at,
    line,
  })
}

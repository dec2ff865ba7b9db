import { setTimeout as wait } from 'node:timers/promises'
import type { ExecResult } from '../../../processes/exec.ts'
import type { ChannelResult } from '../../terminals/headless.ts'
import { lastTurn, type Turn } from './rollout.ts'

/** One argument holds at most 128 KiB on Linux. Bytes. */
export const LONGEST_ARGUMENT = 100_000
/** `codex queue` takes 0.1 to 0.4 s. Milliseconds. */
export const QUEUE_TIMEOUT = 20_000

/** A turn’s end is in the file a moment after the hook that reports it. Milliseconds. */
const UNTIL_WRITTEN = 2000
const EVERY = 100

const refused = (reason: string): ChannelResult => ({ kind: 'refused', reason })

async function turnAtRest(rollout: string): Promise<Turn['state'] | undefined> {
  for (let left = UNTIL_WRITTEN / EVERY; left > 0; left--) {
    const turn = await lastTurn(rollout)
    if (turn?.state !== 'working') return turn?.state
    await wait(EVERY)
  }
  return 'working'
}

/**
 * Puts a message into Codex’s own queue, which its terminal looks at every 10 s while it is idle,
 * and as soon as a turn is complete. After a turn that was broken off it does so no more until a
 * person has said something.
 */
export async function enqueue(
  message: { readonly sessionId: string; readonly text: string; readonly rollout: string | null },
  run: (args: readonly string[], timeout: number) => Promise<ExecResult>,
): Promise<ChannelResult> {
  const { sessionId, text, rollout } = message
  if (Buffer.byteLength(text) > LONGEST_ARGUMENT)
    return refused('the message is too long for an argument')
  const turn = rollout === null ? undefined : await turnAtRest(rollout)
  if (turn === 'interrupted')
    return refused('its last turn was broken off: Codex leaves its queue alone')
  if (turn === 'working') return refused('a turn is under way')
  const result = await run(['queue', `--thread=${sessionId}`, `--message=${text}`], QUEUE_TIMEOUT)
  if (result.exitCode === 0) return { kind: 'accepted' }
  if (result.exitCode === null && result.startError === null)
    throw new Error(`codex queue was ended by ${result.signal ?? 'its time limit'}`)
  return refused(
    result.startError ??
      (result.stderr.trim().split('\n').at(-1) || `codex queue ended with ${result.exitCode}`),
  )
}

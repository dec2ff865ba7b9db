import { awaitEnd } from '../../../../packages/subagents/src/processes/deadline.ts'
import { endPanes } from '../../../processes/end-processes.ts'
import type { Held } from './held-pane.ts'
import type { Hosted } from './hosted.ts'
import { KILL_GRACE } from './protocol.ts'

/** How long the end of a program that was just killed may take to be noticed. */
const SETTLE_LIMIT = 3000

/** What they started goes with them, whatever group or session that is in by now. */
export const endLeftOf = async ({ agentId }: Held, hosted: Hosted): Promise<void> => {
  const ended = !(await hosted.leavesBehind())
  await endPanes([{ pid: hosted.pid, agentId, ended }], { signal: 'SIGTERM', grace: KILL_GRACE })
}

const endAll = async (held: readonly Held[], grace: number): Promise<void> => {
  const leaders = (isTerminal: boolean) =>
    held
      .filter(({ program }) => (program.kind === 'terminal') === isTerminal)
      .map(({ agentId, program: { hosted } }) => ({
        pid: hosted.pid,
        agentId,
        ended: hosted.ended !== undefined,
      }))
  const [terminals, others] = [leaders(true), leaders(false)]
  await Promise.all([
    terminals.length > 0 && endPanes(terminals, { grace }),
    others.length > 0 && endPanes(others, { signal: 'SIGTERM', grace: KILL_GRACE }),
  ])
}

/** Ends them with all that they started; resolves when their last output is in their logs. */
export const endNow = async (held: readonly Held[], grace: number): Promise<void> => {
  for (const { program } of held) program.hosted.leave()
  await endAll(held, grace)
  await Promise.all(
    held.map(async ({ program }) => {
      await awaitEnd(program.hosted.end, SETTLE_LIMIT)
      if (program.kind !== 'terminal') await program.log.close()
    }),
  )
}

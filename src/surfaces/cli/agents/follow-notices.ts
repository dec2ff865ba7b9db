import type { Client } from '../../client.ts'
import { terminalNotice } from '../../text/terminal-notice.ts'
import type { CliContext } from '../context.ts'

/**
 * While another program has this terminal: has it notify its person of what needs them. Returns how
 * to stop; a daemon that is away is not waited for.
 */
export function followNotices(context: CliContext, client: Client): () => void {
  const leaving = new AbortController()
  const { stdout } = context.terminal
  const follow = async (): Promise<void> => {
    const events = client.events({
      follow: true,
      last: 0,
      types: ['person.notified'],
      signal: leaving.signal,
    })
    for await (const event of events) {
      const notice = terminalNotice(event, context.environment)
      if (notice !== null) stdout.write(notice)
    }
  }
  follow().catch(() => undefined)
  return () => leaving.abort(new Error('left'))
}

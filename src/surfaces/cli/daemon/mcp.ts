import type { Command } from 'commander'
import { pumpMcp } from '../../mcp/proxy.ts'
import { findAccess } from '../connect.ts'
import type { CliContext } from '../context.ts'
import { exactly } from '../output.ts'
import { printable } from '../../text/printable.ts'

/**
 * Long enough for a daemon to be restarted, shorter than clients wait for a server to start.
 * Milliseconds.
 */
const TIMEOUT = 10_000

export function define(command: Command, context: CliContext): void {
  command.action(async () => {
    const { cwd, as } = context.options()
    const { environment, host, terminal } = context
    const link = await context.elsewhere?.link()
    const { socket, token } =
      link ?? (await findAccess({ cwd, as, environment, host, start: true }))
    await pumpMcp({
      socket,
      token,
      as,
      input: terminal.stdin,
      output: (text, written) =>
        void exactly(terminal.stdout).write(text, (error) => error == null && written?.()),
      report: (message) => void terminal.stderr.write(`exomonad mcp: ${printable(message)}\n`),
      timeout: TIMEOUT,
      whenAway: link?.whenAway,
    })
  })
}

import type { CliContext } from '../context.ts'
import { present } from '../output.ts'
import { quoteForShell } from '../../text/shell-quote.ts'
import { followNotices } from './follow-notices.ts'

/** The Zellij session that this terminal is in, as the tool takes it; none of another machine’s. */
export const insideZellij = ({
  environment: { inside, variables },
  elsewhere,
}: Pick<CliContext, 'environment' | 'elsewhere'>): { inside?: string } =>
  inside.zellij && elsewhere === null ? { inside: variables['ZELLIJ_SESSION_NAME'] ?? '' } : {}

const ATTEMPTS = 4
/** Milliseconds in which nobody has looked and left. */
const AT_ONCE = 1500

/**
 * Puts this terminal in front of the agent’s pane; where it can’t, prints the command, or follows
 * the pane’s text.
 */
export async function showTerminal(
  context: CliContext,
  agent: string,
  print: boolean,
): Promise<void> {
  const { elsewhere } = context
  const client = await context.client()
  const ask = () => client.call('attach', { agent, ...insideZellij(context) })
  const answer = await ask()
  const { stdout } = context.terminal
  if (answer.argv === null && !print && !context.options().json) {
    const { followScreen } = await import('./follow-screen.ts')
    context.terminal.stderr.write(
      context
        .palette()
        .dim(
          'There is no window of it to show: this follows what the agent writes. Ctrl-C ends that; write with `exomonad send`.\n',
        ),
    )
    const stop = stdout.isTTY === true ? followNotices(context, client) : () => {}
    return followScreen(context, client, agent, 200).finally(stop)
  }
  if (print || context.options().json || stdout.isTTY !== true || answer.argv === null) {
    return present(context, answer, () => [
      answer.argv === null
        ? `Pane ${answer.pane} of ${answer.multiplexer}; \`exomonad logs ${agent}\` shows it`
        : quoteForShell(elsewhere?.words(answer.argv) ?? answer.argv),
    ])
  }
  // The terminal is another program’s until that ends.
  ;(await elsewhere?.link())?.beQuiet()
  const stopNotices = followNotices(context, client)
  let code: number | null = null
  try {
    for (
      let attempt = 1, argv: readonly string[] | null = answer.argv;
      argv !== null;
      attempt += 1
    ) {
      const began = context.now()
      code =
        elsewhere === null
          ? await context.host.runOnTerminal(argv, context.options().cwd)
          : await elsewhere.run(argv, null)
      // Zellij drops who comes while it is busy, now and then, or says that there is no session
      // (0.45.1). From inside it this only moves the focus.
      const dropped =
        answer.multiplexer === 'zellij' &&
        !context.environment.inside.zellij &&
        context.now() - began < AT_ONCE
      if (!dropped || attempt === ATTEMPTS) break
      argv = (await ask()).argv
    }
  } finally {
    stopNotices()
  }
  if (code !== 0) context.markFailed()
}

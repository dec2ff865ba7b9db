import type { SshConnection } from '../../../adapters/ssh/connection.ts'
import { printable } from '../../text/printable.ts'
import { quoteForShell } from '../../text/shell-quote.ts'
import { assertHuman } from '../connect.ts'
import type { CliContext } from '../context.ts'
import { cutOff, portNotForwarded } from './failures.ts'
import type { Elsewhere, Link } from './elsewhere.ts'
import { createLink } from './link.ts'
import { parseTarget } from './target.ts'

interface Given {
  /** As --host gives it. */
  readonly name: string
  readonly cwd: string
  /** Of `-C`, from the folder of the target. */
  readonly folder: () => string | undefined
}

/** Of what a program that was cut off may have left on. */
const FIT_FOR_USE =
  '\u001B[?1049l\u001B[?1000l\u001B[?1002l\u001B[?1003l\u001B[?1006l\u001B[?2004l\u001B[?1l\u001B>\u001B[?25h\u001B[0m\r'

/** Nothing is connected yet. NOT_ALLOWED in an agent. */
export async function createElsewhere(
  context: Pick<CliContext, 'version' | 'environment' | 'host' | 'terminal' | 'palette'>,
  { name, cwd, folder }: Given,
): Promise<Elsewhere> {
  const { environment, host, terminal, version } = context
  const { stdin, stdout, stderr } = terminal
  const target = parseTarget(name)
  await assertHuman(cwd, environment, null)
  let opening: Promise<SshConnection> | undefined
  const connected = async (): Promise<SshConnection> => {
    const shared = await (opening ??= host.ssh(target))
    await shared.open()
    return shared
  }
  let link: Promise<Link> | undefined
  return {
    target,
    isOpen: async () => (await (opening ??= host.ssh(target))).isOpen(),
    link: ({ start = true } = {}) =>
      (link ??= connected().then((connection) =>
        createLink({
          target,
          version,
          connection,
          folder,
          start,
          report: (message) =>
            void stderr.write(`${context.palette(stderr).attention('!')} ${printable(message)}\n`),
        }),
      )),
    run: async (argv, from) => {
      const shared = await connected()
      const before = await shared.id()
      const isTerminal = stdin.isTTY === true && stdout.isTTY === true
      const code = isTerminal
        ? await host.runOnTerminal(shared.command(argv, from, 'terminal'), cwd)
        : await host.runOnTerminal(shared.command(argv, from, 'tied'), cwd, { held: true })
      // Another command may have connected again already.
      if (code !== BROKEN || ((await shared.isOpen()) && (await shared.id()) === before))
        return code
      if (isTerminal) stdout.write(FIT_FOR_USE)
      throw cutOff(target, 'What was running there may go on or have ended')
    },
    forwardPort: async (port) => {
      const local = await (await connected()).forwardPort(port)
      // ssh listens here whatever is allowed there.
      await answers(local).catch((error: unknown) => {
        throw portNotForwarded(target, error)
      })
      return local
    },
    words: (argv) => [
      'ssh',
      '-t',
      ...(target.port === null ? [] : ['-p', String(target.port)]),
      target.destination,
      '--',
      quoteForShell(argv),
    ],
  }
}

/** Exit code of ssh itself. */
const BROKEN = 255

/** Milliseconds. */
const ANSWER_LIMIT = 20_000

/** Whether anything does, whatever that is. Rejects where not. */
const answers = (port: number): Promise<unknown> =>
  fetch(`http://127.0.0.1:${port}/icon.svg`, { signal: AbortSignal.timeout(ANSWER_LIMIT) })

import type { CliContext } from './context.ts'
import { writeLines } from './output.ts'
import { displayWidth } from '../text/width.ts'

/** What git gives its pager where nothing is set: leave where it fits, keep colours and the text. */
const UNSET = { LESS: 'FRX', LV: '-c' }
const USUAL = 'command -v less >/dev/null 2>&1 || exit 127; exec less -FRX'
const NO_SUCH_PROGRAM = 127

/**
 * Lines for people: through their pager where standard output is a terminal and they do not fit on
 * it, else as they are.
 */
export async function writePaged(
  context: CliContext,
  lines: readonly string[],
  { paged = true }: { readonly paged?: boolean } = {},
): Promise<void> {
  const { stdout } = context.terminal
  const command = paged && isLonger(context, lines) ? await pagerOf(context) : null
  if (command === null) return writeLines(stdout, lines)
  // Ctrl-C is for the pager.
  const stop = context.onInterrupt(() => {})
  try {
    const { cwd } = context.options()
    const code = await context.host.page(command, `${lines.join('\n')}\n`, {
      cwd,
      variables: UNSET,
    })
    if (code === NO_SUCH_PROGRAM || code === null) writeLines(stdout, lines)
  } finally {
    stop()
  }
}

/** With the line of the prompt that comes after them. */
function isLonger(context: CliContext, lines: readonly string[]): boolean {
  const { isTTY, rows } = context.terminal.stdout
  if (isTTY !== true) return false
  const columns = Math.max(1, context.width())
  const taken = lines.reduce(
    (sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)),
    0,
  )
  return taken >= (rows || 24)
}

/** The command of the person’s pager; null where they want none. */
async function pagerOf(context: CliContext): Promise<string | null> {
  const { variables } = context.environment
  const wanted =
    variables['EXOMONAD_PAGER'] ?? (await gitPager(context)) ?? variables['PAGER'] ?? USUAL
  return wanted.trim() === '' || wanted.trim() === 'cat' ? null : wanted
}

async function gitPager({ host, options }: CliContext): Promise<string | undefined> {
  const { cwd } = options()
  const { exitCode, stdout } = await host.run('git', ['config', '--get', 'core.pager'], { cwd })
  return exitCode === 0 ? stdout.replace(/\n$/, '') : undefined
}

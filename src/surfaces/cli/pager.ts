import type { CliContext } from './context.ts'
import { exactly, writeLines } from './output.ts'
import { printable } from '../text/printable.ts'
import { displayWidth } from '../text/width.ts'

const OFF = /^(?:false|no|off|0)$/i
const ON = /^(?:true|yes|on|1)?$/i

/**
 * The command that shows long texts: EXOMONAD_PAGER, else as git has it: `pager.<command>`, which also says whether
 * there is to be one, GIT_PAGER, `core.pager`, PAGER, else less. Null where none is wanted, and
 * where standard output is no terminal.
 */
export async function findPager(
  context: CliContext,
  command: 'diff' | 'log',
  wanted = true,
): Promise<string | null> {
  const named = context.environment.variables['EXOMONAD_PAGER']
  if (!wanted || context.options().json || context.terminal.stdout.isTTY !== true) return null
  if (named !== undefined) return wantedOf(named)
  const git = async (...args: string[]): Promise<string | null> => {
    const { exitCode, stdout } = await context.host.run('git', args, { cwd: context.options().cwd })
    return exitCode === 0 ? stdout.trim() : null
  }
  const [own, general] = await Promise.all([
    git('config', '--get', `pager.${command}`),
    git('var', 'GIT_PAGER'),
  ])
  if (own !== null && OFF.test(own)) return null
  const isNamed = own !== null && !ON.test(own) && !context.environment.variables['GIT_PAGER']
  const pager = isNamed ? own : general
  return wantedOf(pager)
}

const wantedOf = (pager: string | null): string | null =>
  pager === null || pager.trim() === '' || pager.trim() === 'cat' ? null : pager

/** A shell returns these where it could not start the program. */
const NOT_STARTED: readonly (number | null)[] = [126, 127]

/**
 * Shows a text in a pager, and returns when the person leaves that; straight on standard output
 * without one, and where it can’t be started. The text stays as it is.
 */
export async function page(context: CliContext, text: string, pager: string | null): Promise<void> {
  const { stdout, stderr } = context.terminal
  const code = pager === null ? null : await runPager(context, text, pager)
  if (pager !== null && !NOT_STARTED.includes(code)) return
  if (pager !== null)
    stderr.write(
      `${context.palette(stderr).attention('!')} The pager “${printable(pager)}” can’t be started: what it was to show follows. git’s core.pager, GIT_PAGER or PAGER names it; --no-pager goes without.\n`,
    )
  exactly(stdout).write(text)
}

async function runPager(context: CliContext, text: string, pager: string): Promise<number | null> {
  const { variables } = context.environment
  // As git sets them, where the person hasn’t: less ends at once where all fits on the screen.
  const env = {
    LESS: variables['LESS'] ?? 'FRX',
    LV: variables['LV'] ?? '-c',
    GIT_PAGER_IN_USE: 'true',
  }
  // Ctrl-C is a key to the pager, which goes on.
  const release = context.onInterrupt(() => {})
  try {
    return await context.host.runOnTerminal(['sh', '-c', pager], context.options().cwd, {
      input: text,
      env,
    })
  } finally {
    release()
  }
}

/** Lines for people: through their pager where they do not fit on the terminal, else as they are. */
export async function writePaged(
  context: CliContext,
  lines: readonly string[],
  { paged = true }: { readonly paged?: boolean } = {},
): Promise<void> {
  const pager = paged && isLonger(context, lines) ? await findPager(context, 'log') : null
  if (pager === null) return writeLines(context.terminal.stdout, lines)
  await page(context, `${lines.join('\n')}\n`, pager)
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

import type { CliContext } from '../context.ts'

const SLOTS = ['meta', 'frag', 'func', 'old', 'new', 'context'] as const
type Slot = (typeof SLOTS)[number]

/** Paints what git has a colour for, in that. */
export type DiffPainter = (slot: Slot, text: string) => string

const PLAIN: DiffPainter = (_slot, text) => text
/** Git’s own, where nothing else is configured. */
const OWN: Readonly<Record<Slot, string>> = {
  meta: '\u001b[1m',
  frag: '\u001b[36m',
  func: '',
  old: '\u001b[31m',
  new: '\u001b[32m',
  context: '',
}
const RESET = '\u001b[m'

/**
 * Colours as git shows a diff: whether at all by `color.diff`, `color.ui` and, in a pager,
 * `color.pager`, unless the command line or the environment says it; which by `color.diff.<slot>`.
 */
export async function readDiffColours(
  context: CliContext,
  { isForced, isPaged }: { readonly isForced: boolean; readonly isPaged: boolean },
): Promise<DiffPainter> {
  const asked = isForced ? true : context.options().color
  if (asked === false) return PLAIN
  const git = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout } = await context.host.run('git', ['config', ...args], {
      cwd: context.options().cwd,
    })
    return exitCode === 0 ? stdout : ''
  }
  const isTerminal = async (): Promise<boolean> =>
    context.terminal.stdout.isTTY === true &&
    !(isPaged && (await git('--type=bool', '--get', 'color.pager')).trim() === 'false')
  if (
    asked === null &&
    (await git('--get-colorbool', 'color.diff', String(await isTerminal()))).trim() !== 'true'
  )
    return PLAIN
  const configured = (await git('--name-only', '--get-regexp', '^color\\.diff\\.')).split('\n')
  const codes = await Promise.all(
    SLOTS.map(async (slot) => {
      const key = configured.find((name) => name === `color.diff.${slot}`)
      return [slot, key === undefined ? OWN[slot] : await git('--get-color', key, '')] as const
    }),
  )
  const codeOf = Object.fromEntries(codes) as Record<Slot, string>
  return (slot, text) =>
    codeOf[slot] === '' || text === '' ? text : `${codeOf[slot]}${text}${RESET}`
}

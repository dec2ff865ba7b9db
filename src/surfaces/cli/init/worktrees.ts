import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import type { Palette } from '../../text/palette.ts'
import { printableLine } from '../../text/printable.ts'
import { canAsk, confirm } from '../confirm.ts'
import type { CliContext } from '../context.ts'
import { withProgress } from '../progress.ts'
import { configurationOf, findHeavyFolders, type HeavyFolder } from './heavy-folders.ts'
import { rewriteConfiguration, type SetUp } from './initialize.ts'

/** What new worktrees would lack, and whether it was written into the configuration. */
export interface WorktreeReport {
  readonly folders: readonly HeavyFolder[]
  readonly lines: readonly string[]
  readonly written: boolean
}

const NOTHING: WorktreeReport = { folders: [], lines: [], written: false }
const HAS_SECTION = /^\s*(?:\[+\s*)?worktree\b/m

/**
 * Looks for what is ignored, large and needed, where nobody has said yet what new worktrees get. It
 * is written where they said yes: `wanted`, or asked where it is undefined and somebody sits there.
 */
export async function prepareWorktrees(
  context: CliContext,
  setUp: SetUp,
  wanted: boolean | undefined,
): Promise<WorktreeReport> {
  const { paths, rootWorktree, untrusted } = setUp
  const before = await readFile(paths.configFile, 'utf8').catch(() => null)
  if (wanted === false || before === null || untrusted.length > 0 || HAS_SECTION.test(before))
    return NOTHING
  const git = await context.host.git(paths.commonDir)
  await mkdir(paths.trash, { recursive: true, mode: 0o700 })
  const folders = await withProgress(
    context,
    'Looking at what worktrees need',
    findHeavyFolders({
      worktree: rootWorktree,
      ignored: await git.ignoredEntries(rootWorktree),
      scratch: join(paths.trash, `measured-${process.pid}`),
      run: context.host.run,
      path: context.environment.path,
    }),
  )
  if (folders.length === 0) return NOTHING
  const lines = configurationOf(folders)
  const agreed =
    wanted ??
    (canAsk(context) && (await confirm(context, question(paths.configFile, folders, lines))))
  if (agreed)
    await rewriteConfiguration(context, setUp, {
      before,
      after: `${before.trimEnd()}\n\n# What new worktrees get; proposed by \`exomonad init\`.\n${lines.join('\n')}\n`,
    })
  return { folders, lines, written: agreed }
}

const question = (
  file: string,
  folders: readonly HeavyFolder[],
  lines: readonly string[],
): string =>
  [
    'New worktrees would be without these, which git ignores:',
    ...folders.map((folder) => `  ${described(folder)}`),
    `So that they have them, exomonad would write into ${printableLine(file)}:`,
    ...lines.map((line) => `  ${line}`),
    'Do it?',
  ].join('\n')

const described = ({ folder, lockfile, bytes, files, seconds, why }: HeavyFolder): string =>
  `${printableLine(folder)} (of ${lockfile}: ${Math.ceil(bytes / 1e6)} MB, ${files} files, copied in ${seconds === null ? 'more than 5' : seconds.toFixed(1)} s): ${why}`

/** For below what init says. */
export const worktreeLines = (
  { folders, lines, written }: WorktreeReport,
  palette: Palette,
): string[] =>
  written
    ? folders.map(
        ({ folder }) =>
          `${palette.good('✓')} new worktrees get ${printableLine(folder)}: [worktree] in the configuration`,
      )
    : [
        ...folders.map(
          (folder) => `${palette.attention('!')} new worktrees are without ${described(folder)}`,
        ),
        ...(folders.length === 0
          ? []
          : [
              '  `exomonad init --prepare-worktrees` writes into the configuration:',
              ...lines.map((line) => palette.dim(`    ${line}`)),
            ]),
      ]

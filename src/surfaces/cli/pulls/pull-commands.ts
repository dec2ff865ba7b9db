import { warningLines } from '../../text/marks.ts'
import { printableLine } from '../../text/printable.ts'
import { readStdin } from '../read-stdin.ts'
import { commandGroup, toolCommand } from '../tool-command.ts'
import { findPager, page } from '../pager.ts'
import { namesOf, paintDiff, statLines } from './diff.ts'
import { readDiffColours } from './git-colours.ts'
import { describeChecks, describePull, pullTable } from './pr-show.ts'
import { review } from './review.ts'

const list = toolCommand('pr_list', {
  show: (pulls, run) => pullTable(pulls, run.input.state, run),
})

const show = toolCommand('pr_show', { show: (pull, { palette }) => describePull(pull, palette) })

const diff = toolCommand('pr_diff', {
  flags: {
    nameOnly: '--name-only  Only the names of the files that change',
    color: '--color  Colours also where the output is no terminal',
    pager: '--no-pager  Straight to the terminal, not through git’s pager',
  },
  prepare: (given, { flags }) => (flags.nameOnly ? { ...given, stat: true } : given),
  print: async (read, { context, flags, width }) => {
    const pager = await findPager(context, 'diff', flags.pager)
    const paint = await readDiffColours(context, {
      isForced: flags.color,
      isPaged: pager !== null,
    })
    const lines =
      read.files === undefined
        ? paintDiff(read.diff, paint)
        : flags.nameOnly
          ? namesOf(read.files)
          : statLines(read.files, width, paint)
    if (lines.length > 0) await page(context, `${lines.join('\n')}\n`, pager)
  },
})

const checks = toolCommand('pr_checks', {
  failed: ({ state }) => state === 'failed',
  show: (read, { palette, input }) => describeChecks(read, input.log, palette),
})

const file = toolCommand('file_pr', {
  prepare: async (given, { context }) =>
    given.body === '-' ? { ...given, body: await readStdin(context) } : given,
  progress: 'Filing the pull request',
  show: (filed, { palette }) => [
    `${palette.good('✓')} ${filed.created ? 'Filed' : 'Updated'} #${filed.pr_number}: ${printableLine(filed.head_branch)} → ${printableLine(filed.base_branch)}`,
    `  ${palette.dim(printableLine(filed.pr_url))}`,
    ...warningLines(filed.warnings, palette),
  ],
})

const GOING = {
  queued: 'queued',
  auto_merge: 'set to auto-merge',
  landing: 'landing',
  merged: 'landing',
}

const merge = toolCommand('merge_pr', {
  progress: ({ pr_number: number }) => `Merging #${number}`,
  show: (merged, { palette, input: { pr_number: number } }) => [
    merged.sha === null
      ? `${palette.attention('●')} #${number} is ${GOING[merged.state]}${merged.position === undefined ? '' : ` (position ${merged.position})`}`
      : `${palette.good('✓')} Merged #${number} as ${merged.sha.slice(0, 10)}`,
    ...(merged.local_synced || merged.sha === null
      ? []
      : warningLines(
          [`Your worktree does not have it yet: ${merged.pull_error ?? 'unknown reason'}`],
          palette,
        )),
    ...(merged.retargeted.length > 0
      ? [`  retargeted: ${merged.retargeted.map((other) => `#${other}`).join(', ')}`]
      : []),
    ...(merged.siblings_behind.length > 0
      ? [`  now behind: ${merged.siblings_behind.map(printableLine).join(', ')}`]
      : []),
    ...(merged.next === '' ? [] : [palette.dim(`  ${printableLine(merged.next)}`)]),
  ],
})

export const pr = commandGroup({ list, show, diff, checks, file, merge, review })

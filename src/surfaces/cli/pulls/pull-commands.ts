import { warningLines } from '../../text/marks.ts'
import { shortDuration } from '../../text/duration.ts'
import { printableLine } from '../../text/printable.ts'
import { renderTable } from '../../text/table.ts'
import { readStdin } from '../read-stdin.ts'
import { commandGroup, toolCommand } from '../tool-command.ts'
import { findPager, page } from '../pager.ts'
import { namesOf, paintDiff, statLines } from './diff.ts'
import { readDiffColours } from './git-colours.ts'
import { mergedLines } from './merged-lines.ts'
import { describeChecks, describePull, pullTable } from './pr-show.ts'
import { review } from './review.ts'

const list = toolCommand('pr_list', {
  show: (pulls, run) => pullTable(pulls, run.input.state, run),
})

const show = toolCommand('pr_show', { show: (pull, { palette }) => describePull(pull, palette) })

const commits = toolCommand('pr_commits', {
  show: (read, { palette, width, context }) =>
    renderTable(
      [{ title: 'COMMIT' }, { title: 'TITLE', min: 20 }, { title: 'AUTHOR' }, { title: 'AGE' }],
      read.commits.map(({ sha, title, author, at }) => [
        { text: sha.slice(0, 10), paint: palette.dim },
        printableLine(title),
        printableLine(author),
        { text: shortDuration((context.now() - at) / 1000), paint: palette.dim },
      ]),
      { width, palette },
    ),
})

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

const merge = toolCommand('merge_pr', {
  progress: ({ pr_number: number }) => `Merging #${number}`,
  show: (merged, { palette, input: { pr_number: number } }) => mergedLines(merged, number, palette),
})

export const pr = commandGroup({ list, show, commits, diff, checks, file, merge, review })

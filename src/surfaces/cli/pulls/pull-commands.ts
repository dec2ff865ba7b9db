import { warningLines } from '../../text/marks.ts'
import { printableLine } from '../../text/printable.ts'
import { readStdin } from '../read-stdin.ts'
import { commandGroup, toolCommand } from '../tool-command.ts'
import { mergedLines } from './merged-lines.ts'
import { describeChecks, describePull, diffLines, pullTable } from './pr-show.ts'
import { review } from './review.ts'

const list = toolCommand('pr_list', {
  show: (pulls, run) => pullTable(pulls, run.input.state, run),
})

const show = toolCommand('pr_show', { show: (pull, { palette }) => describePull(pull, palette) })

const diff = toolCommand('pr_diff', {
  isExact: true,
  show: (read, { palette }) => diffLines(read.diff, palette),
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

export const pr = commandGroup({ list, show, diff, checks, file, merge, review })

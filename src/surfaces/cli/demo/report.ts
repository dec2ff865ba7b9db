import type { CliContext } from '../context.ts'
import { plural } from '../../text/quantity.ts'
import type { DemoResult } from './run.ts'
import type { Workspace } from './workspace.ts'

/** The document of `exomonad demo --json`. */
export const demoDocument = (
  result: DemoResult,
  workspace: Workspace,
): Record<string, unknown> => ({
  ok: result.faults.length === 0,
  repo: workspace.repository,
  root_branch: result.repository.branch,
  agents: result.agents,
  prs_merged: result.story.merged,
  events: result.events,
  failed_deliveries: result.story.failedDeliveries,
  elapsed_ms: Math.round(result.elapsed),
})

/** What happened and how to look around, for people. */
export function demoReport(
  context: CliContext,
  result: DemoResult,
  workspace: Workspace,
  kept: boolean,
): string[] {
  const palette = context.palette()
  const { story } = result
  const title =
    result.faults.length === 0 ? palette.good('✓ Done') : palette.bad('✗ Not as it should be')
  const numbers = [
    plural(result.agents, 'agent'),
    `${plural(story.merged, 'pull request')} merged`,
    plural(result.events, 'event'),
    `${story.failedDeliveries} failed deliveries`,
  ]
  return [
    '',
    `${palette.bold(title)} in ${(result.elapsed / 1000).toFixed(1)} s: ${numbers.join(', ')}`,
    '',
    ...story.chapters.map(
      ({ title: text, happened }) => `  ${happened ? palette.good('✓') : palette.bad('✗')} ${text}`,
    ),
    '',
    palette.bold(`git log --graph ${result.repository.branch}`),
    ...result.graph.split('\n').map((line) => `  ${line}`),
    '',
    ...(result.faults.length === 0
      ? [`All tests of the library pass on ${result.repository.branch}.`, '']
      : faultLines(context, result)),
    ...lookAround(context, workspace, kept),
  ]
}

const faultLines = (context: CliContext, result: DemoResult): string[] => [
  ...result.faults.map((fault) => `${context.palette().bad('✗')} ${fault}`),
  ...result.diagnosis,
  '',
]

function lookAround(context: CliContext, workspace: Workspace, kept: boolean): string[] {
  const palette = context.palette()
  if (!kept)
    return [
      palette.dim(
        'Everything it made is removed. `exomonad demo --keep` leaves it running to look around in.',
      ),
    ]
  return [
    palette.bold('Look around'),
    `  cd ${workspace.repository}`,
    `  ${workspace.command} tree              the tree; agents and daemon still run`,
    `  ${workspace.command} attach table      an agent’s terminal`,
    `  ${workspace.command} events            everything that happened`,
    `  ${workspace.command} pr list --state all`,
    palette.bold('When you are done'),
    `  ${workspace.command} down && rm -rf ${workspace.folder}`,
  ]
}

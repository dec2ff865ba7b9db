import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { canAsk, confirm } from '../confirm.ts'
import { asExomonadError } from '../../../domain/errors.ts'
import type { CliContext } from '../context.ts'
import { diagnoseKnownAgents } from './agents.ts'
import type { Diagnosis } from './diagnosis.ts'
import { diagnoseMachine } from './machine.ts'
import { diagnoseRepository } from './repository.ts'
import { diagnoseTree } from './tree.ts'
import { locateRepository } from '../locate.ts'
import { exactly, present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { withProgress } from '../progress.ts'
import { plural } from '../../text/quantity.ts'
import { pad } from '../../text/width.ts'

export function define(command: Command, context: CliContext): void {
  command
    .option(
      '--fix',
      'Fix what can be fixed without a risk; asks before it writes into your own configuration',
    )
    .option('--yes', 'With --fix: ask nothing')
    .option(
      '--report [file]',
      'Write what a report of a fault needs into a file (- prints it): versions, findings, numbers, the end of the log; no secrets, and nobody’s words',
    )
    .option('--with-text', 'With --report: with names, tasks and texts of configuration and log')
    .action(async (options: Options) => {
      const first = await withProgress(context, 'Looking', diagnose(context))
      const fixed =
        options.fix === true ? await repair(await agreed(context, first, options.yes === true)) : []
      const final =
        fixed.length > 0 ? await withProgress(context, 'Looking again', diagnose(context)) : first
      if (options.report !== undefined)
        return report(context, final, { ...options, report: options.report })
      const problems = final.filter(({ status }) => status === 'problem').length
      if (problems > 0) context.markFailed()
      const findings = final.map(({ repair: _repair, asks: _asks, ...finding }) => finding)
      present(context, { ok: problems === 0, findings, fixed }, () =>
        describe(context, final, fixed),
      )
    })
}

interface Options {
  readonly fix?: boolean
  readonly yes?: boolean
  /** True for a file of our own name. */
  readonly report?: string | true
  readonly withText?: boolean
}

async function report(
  context: CliContext,
  findings: readonly Diagnosis[],
  options: Options & { readonly report: string | true },
): Promise<void> {
  const { cwd } = context.options()
  const located = await locateRepository(cwd, context.environment, context.host).catch(() => null)
  const { writeReport } = await import('./report.ts')
  const text = await writeReport(context, located, {
    findings,
    withText: options.withText === true,
  })
  if (options.report === '-') {
    exactly(context.terminal.stdout).write(text)
    return
  }
  const name = `exomonad-report-${new Date(context.now()).toISOString().replaceAll(/[:.]/g, '-')}.txt`
  const file = resolve(cwd, options.report === true ? name : options.report)
  await writeFile(file, text, { mode: 0o600 })
  present(context, { report: file }, () => [
    `${context.palette().good('✓')} ${file}, ${plural(text.split('\n').length, 'line')}. Read it before you send it.`,
  ])
}

/** What may be repaired: where somebody’s own configuration would be written, only after a yes. */
async function agreed(
  context: CliContext,
  findings: readonly Diagnosis[],
  yes: boolean,
): Promise<readonly Diagnosis[]> {
  const asking = findings.filter(({ asks, repair }) => asks === true && repair !== undefined)
  if (asking.length === 0 || yes) return findings
  const question = [
    'This writes into your own configuration:',
    ...asking.map(
      ({ subject, found, fix }) =>
        `  ${subject}: ${printableLine(found)}${fix === undefined ? '' : `. ${printableLine(fix)}`}`,
    ),
    'Do it?',
  ].join('\n')
  return canAsk(context) && (await confirm(context, question))
    ? findings
    : findings.filter(({ asks }) => asks !== true)
}

const BENIGN: ReadonlySet<string> = new Set(['NOT_A_REPOSITORY', 'NOT_INITIALIZED'])

async function diagnose(context: CliContext): Promise<Diagnosis[]> {
  const located = await locateRepository(
    context.options().cwd,
    context.environment,
    context.host,
  ).catch((error: unknown) => error as Error)
  if (located instanceof Error)
    return [
      ...(await diagnoseMachine(context, null)),
      {
        subject: 'repository',
        // Where nothing is set up there is nothing to be wrong.
        status: BENIGN.has(asExomonadError(located).code) ? 'note' : 'problem',
        found: located.message,
      },
      ...(await diagnoseKnownAgents(context)),
    ]
  const config = await context.host.loadConfig(located.paths.configFile).catch(() => null)
  const machine = diagnoseMachine(context, config?.multiplexer.kind ?? null)
  const [first, repository, tree] = await Promise.all([
    machine,
    diagnoseRepository(context, located),
    diagnoseTree(context, located),
  ])
  return [...first, ...repository, ...tree]
}

/** In order, each once; one that fails is said and does not keep the others from being tried. */
async function repair(
  findings: readonly Diagnosis[],
): Promise<{ subject: string; done: string }[]> {
  const done: { subject: string; done: string }[] = []
  for (const finding of findings) {
    if (finding.repair === undefined) continue
    try {
      done.push({ subject: finding.subject, done: await finding.repair() })
    } catch (error) {
      done.push({
        subject: finding.subject,
        done: `could not be fixed: ${(error as Error).message}`,
      })
    }
  }
  return done
}

function describe(
  context: CliContext,
  findings: readonly Diagnosis[],
  fixed: readonly { subject: string; done: string }[],
): string[] {
  const palette = context.palette()
  const symbol = {
    ok: palette.good('✓'),
    note: palette.dim('·'),
    warning: palette.attention('!'),
    problem: palette.bad('✗'),
  }
  const width = Math.max(0, ...findings.map(({ subject }) => subject.length))
  const indent = ' '.repeat(width + 4)
  const lines = findings.flatMap(({ subject, status, found, fix }) => [
    `${symbol[status]} ${palette.bold(pad(subject, width))}  ${printableLine(found)}`,
    ...(fix === undefined ? [] : [`${indent}${palette.active('→')} ${printableLine(fix)}`]),
  ])
  const count = (status: Diagnosis['status']): number =>
    findings.filter((finding) => finding.status === status).length
  const repairable = findings.filter((finding) => finding.repair !== undefined).length
  const summary =
    count('problem') + count('warning') === 0
      ? palette.good('All is well')
      : `${plural(count('problem'), 'problem')}, ${plural(count('warning'), 'warning')}${repairable > 0 ? `; \`exomonad doctor --fix\` fixes ${repairable}${findings.some(({ asks }) => asks === true) ? ', after asking' : ''}` : ''}`
  return [
    ...lines,
    '',
    ...fixed.map((one) => `${palette.good('✓')} ${one.subject}: ${printableLine(one.done)}`),
    summary,
  ]
}

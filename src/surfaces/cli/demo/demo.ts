import { Option, type Command } from 'commander'
import type { CliContext } from '../context.ts'
import type { DemoMultiplexer } from './configuration.ts'
import type { DemoForge } from './forge.ts'
import type { DemoStore } from './store.ts'
import { UsageError } from '../exit-codes.ts'
import { interruptible } from '../interruptible.ts'
import { present } from '../output.ts'

interface Flags {
  readonly repo?: string
  readonly multiplexer: DemoMultiplexer
  readonly forge: DemoForge['kind']
  readonly store: DemoStore
  readonly fail: string
  readonly seed?: string
  readonly keep?: boolean
}

export function define(command: Command, context: CliContext): void {
  command
    .option(
      '--repo <path or URL>',
      'Work on a clone of this repository; nothing is ever pushed to it or its remotes',
    )
    .addOption(
      new Option('--multiplexer <kind>', 'Where the agents’ terminals live')
        .choices(['auto', 'tmux', 'zellij', 'headless'])
        .default('auto'),
    )
    .addOption(
      new Option(
        '--forge <kind>',
        'Where pull requests live; github-fake is a GitHub on this machine, for exomonad’s own source folder',
      )
        .choices(['local', 'github-fake'])
        .default('local'),
    )
    .addOption(
      new Option(
        '--store <kind>',
        'Where the records live; postgres: in a schema of the demo’s own, in the database of EXOMONAD_STORE_URL',
      )
        .choices(['sqlite', 'postgres'])
        .default('sqlite'),
    )
    .option('--fail <percent>', 'With github-fake: this share of all calls to it fails', '0')
    .option('--seed <number>', 'With --fail: which of them; else chosen, and printed')
    .option('--keep', 'Leave the folder, the daemon and the agents to look around')
    .action((flags: Flags) => interruptible(context, (signal) => demo(context, flags, signal)))
}

async function demo(context: CliContext, flags: Flags, signal: AbortSignal): Promise<void> {
  const [
    { createWorkspace },
    { runDemo, endDemo },
    { demoDocument, demoReport },
    { createDisplay },
    { chooseSchema },
  ] = await Promise.all([
    import('./workspace.ts'),
    import('./run.ts'),
    import('./report.ts'),
    import('./create-display.ts'),
    import('./store.ts'),
  ])
  const keep = flags.keep === true
  const forge = forgeOf(flags)
  const schema = chooseSchema(context, flags.store)
  const workspace = await createWorkspace(context.host, context.environment)
  const display = createDisplay(context)
  let finished = false
  try {
    const result = await runDemo(
      context,
      workspace,
      { repo: flags.repo, multiplexer: flags.multiplexer, forge, schema },
      display,
      signal,
    )
    finished = true
    if (result.faults.length > 0) context.markFailed()
    present(context, demoDocument(result, workspace), () =>
      demoReport(context, result, workspace, keep),
    )
    if (context.options().json)
      for (const line of [...result.faults, ...result.diagnosis])
        context.terminal.stderr.write(`${line}\n`)
  } finally {
    await display.close()
    if (!keep) {
      await endDemo(context, workspace)
      if (schema !== null) await context.host.store.postgres.drop(schema.address, schema.schema)
      await workspace.remove()
    } else if (!finished) context.terminal.stderr.write(`Kept as it is: ${workspace.folder}\n`)
  }
}

function forgeOf(flags: Flags): DemoForge {
  const failing = Number(flags.fail)
  const seed = flags.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(flags.seed)
  if (!(failing >= 0 && failing <= 100))
    throw new UsageError(`--fail ${flags.fail}: expected a share in percent, from 0 to 100.`)
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new UsageError(`--seed ${String(flags.seed)}: expected a whole number.`)
  if (flags.forge === 'github-fake') return { kind: 'github-fake', failing: failing / 100, seed }
  if (failing > 0 || flags.seed !== undefined)
    throw new UsageError(
      '--fail and --seed are for --forge github-fake: the local forge makes no calls that could fail.',
    )
  return { kind: 'local' }
}

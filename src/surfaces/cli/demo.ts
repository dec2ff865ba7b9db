import { Option, type Command } from 'commander'
import type { CliContext } from './context.ts'
import type { DemoMultiplexer } from './demo/configuration.ts'
import { interruptible } from './interruptible.ts'
import { present } from './output.ts'

interface Flags {
  readonly repo?: string
  readonly multiplexer: DemoMultiplexer
  readonly keep?: boolean
}

export function define(command: Command, context: CliContext): void {
  command
    .option('--repo <path or URL>', 'Work on a clone of this repository; nothing is ever pushed to it or its remotes')
    .addOption(new Option('--multiplexer <kind>', 'Where the agents’ terminals live').choices(['auto', 'tmux', 'headless']).default('auto'))
    .option('--keep', 'Leave the folder, the daemon and the agents to look around')
    .action((flags: Flags) => interruptible(context, (signal) => demo(context, flags, signal)))
}

async function demo(context: CliContext, flags: Flags, signal: AbortSignal): Promise<void> {
  const [{ createWorkspace }, { runDemo, endDemo }, { demoDocument, demoReport }, { createDisplay }] = await Promise.all([
    import('./demo/workspace.ts'),
    import('./demo/run.ts'),
    import('./demo/report.ts'),
    import('./demo/create-display.ts'),
  ])
  const keep = flags.keep === true
  const workspace = await createWorkspace(context.host, context.environment)
  const display = createDisplay(context)
  let finished = false
  try {
    const result = await runDemo(context, workspace, { repo: flags.repo, multiplexer: flags.multiplexer }, display, signal)
    finished = true
    if (result.faults.length > 0) context.markFailed()
    present(context, demoDocument(result, workspace), () => demoReport(context, result, workspace, keep))
    if (context.options().json) for (const line of [...result.faults, ...result.diagnosis]) context.terminal.stderr.write(`${line}\n`)
  } finally {
    await display.close()
    if (!keep) {
      await endDemo(context, workspace)
      await workspace.remove()
    } else if (!finished) context.terminal.stderr.write(`Kept as it is: ${workspace.folder}\n`)
  }
}

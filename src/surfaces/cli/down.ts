import type { Command } from 'commander'
import type { CliContext } from './context.ts'
import { forgetPid, locateForHuman, subjectOf } from './daemon.ts'
import { ensureDaemon, stopDaemon } from './daemon-process.ts'
import { present } from './output.ts'
import { withProgress } from './progress.ts'
import { plural } from './quantity.ts'

export function define(command: Command, context: CliContext): void {
  command.action(async () => {
    const located = await locateForHuman(context)
    const stopped = await withProgress(context, 'Stopping agents and daemon', stopAll())
    present(context, stopped, () => [
      stopped.stopped.length === 0
        ? `${context.palette().good('✓')} No agent was running, and the daemon is stopped; all work stays.`
        : `${context.palette().good('✓')} ${plural(stopped.stopped.length, 'agent')} and the daemon stopped; all work stays. \`exomonad resume --all\` brings them back.`,
    ])

    async function stopAll(): Promise<{ stopped: string[]; daemon: { stopped: boolean; pid: number | null } }> {
      // A stopped daemon may have left agents running: it has to adopt them to end them.
      await ensureDaemon(subjectOf(located, context))
      const client = await context.client()
      const agents = await client.callTool<{ stopped: string[] }>('down', {})
      const daemon = await stopDaemon(located.file.socket)
      await forgetPid(located, context)
      return { stopped: agents.stopped, daemon: { stopped: daemon !== null, pid: daemon?.pid ?? null } }
    }
  })
}

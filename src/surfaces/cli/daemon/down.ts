import type { Command } from 'commander'
import type { TreeNode } from '../../../core/agents/tree-document.ts'
import { asExomonadError } from '../../../domain/errors.ts'
import type { CliContext } from '../context.ts'
import { readHealth } from './health.ts'
import { storeConfig } from './store-config.ts'
import { forgetPid, locateForHuman, subjectOf } from './daemon.ts'
import { ensureDaemon, stopDaemon } from './daemon-process.ts'
import { isOneTask } from '../../text/no-terminal.ts'
import { present } from '../output.ts'
import { withProgress } from '../progress.ts'
import { plural } from '../../text/quantity.ts'

export function define(command: Command, context: CliContext): void {
  command
    .option(
      '--force',
      'Also where the store is lost or damaged: end all terminals, keep the store aside and forget the agents; work stays',
    )
    .action(async ({ force }: { force?: true }) => {
      const located = await locateForHuman(context)
      if (force === true && (await readHealth(located.file.socket)) === null && !(await starts())) {
        await withProgress(
          context,
          'Ending all terminals',
          context.host.endTerminals(located.paths),
        )
        const kept = await context.host.store.setAside(
          located.paths,
          await storeConfig(context, located.paths),
        )
        await forgetPid(located, context)
        present(context, { forced: true, kept }, () => [
          `${context.palette().good('✓')} All terminals of this repository have ended${kept === null ? '' : `; the store is kept as ${kept}`}. Branches and worktrees stay.`,
          '  `exomonad daemon start` begins anew; `exomonad store restore` brings a backup back instead.',
        ])
        return
      }
      const stopped = await withProgress(context, 'Stopping agents and daemon', stopAll())
      present(context, stopped, () => [
        stopped.stopped.length === 0
          ? `${context.palette().good('✓')} No agent was running, and the daemon is stopped; all work stays.`
          : `${context.palette().good('✓')} ${plural(stopped.stopped.length, 'agent')} and the daemon stopped; all work stays. ${backWords(stopped.stopped.length, stopped.ended)}`,
      ])

      /** False where the daemon refuses to go on with the store that there is. */
      async function starts(): Promise<boolean> {
        if (
          (
            await context.host.store.inspect(
              located.paths,
              await storeConfig(context, located.paths),
            )
          ).kind !== 'sound'
        )
          return false
        try {
          await ensureDaemon(subjectOf(located, context))
          return true
        } catch (thrown) {
          const { code } = asExomonadError(thrown)
          if (code === 'STORE_LOST' || code === 'STORE_CORRUPT') return false
          throw thrown
        }
      }

      async function stopAll(): Promise<{
        stopped: string[]
        ended: number
        daemon: { stopped: boolean; pid: number | null }
      }> {
        // A stopped daemon may have left agents running: it has to adopt them to end them.
        await ensureDaemon(subjectOf(located, context))
        const client = await context.client()
        const view = await client.call('tree', {}).catch(() => undefined)
        const agents = await client.call('down', {})
        const daemon = await stopDaemon(context.host, located.file.socket)
        await forgetPid(located, context)
        const ended = nodesOf(view?.root).filter(
          (node) => isOneTask(node) && agents.stopped.includes(node.id),
        ).length
        return {
          stopped: agents.stopped,
          ended,
          daemon: { stopped: daemon !== null, pid: daemon?.pid ?? null },
        }
      }
    })
}

const nodesOf = (node: TreeNode | undefined): TreeNode[] =>
  node === undefined ? [] : [node, ...node.children.flatMap(nodesOf)]

/** What ended with its task is not begun again. */
function backWords(stopped: number, ended: number): string {
  const gone =
    ended === 0
      ? ''
      : `${plural(ended, 'session or background task', 'sessions and background tasks')} ${ended === 1 ? 'is' : 'are'} over`
  if (stopped === ended) return `${gone[0]?.toUpperCase()}${gone.slice(1)}.`
  return `\`exomonad resume --all\` brings them back${gone === '' ? '' : `, but ${gone}`}.`
}

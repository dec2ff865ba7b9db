import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { present } from '../output.ts'
import { shortPath } from '../../text/short-path.ts'
import { renderTree } from '../../text/tree-view.ts'

export function define(command: Command, context: CliContext): void {
  command
    .option('-w, --watch', 'Keep showing it, live, until Ctrl-C')
    .action(async (options: { watch?: boolean }) => {
      const client = await context.client()
      if (options.watch === true) {
        const { watchTree } = await import('./tree-watch.ts')
        return watchTree(context, client)
      }
      const view = await client.call('tree', {})
      present(context, view, () =>
        renderTree(
          { ...view, repository: shortPath(view.repository, context.environment.home) },
          { width: context.width(), palette: context.palette() },
        ),
      )
    })
}

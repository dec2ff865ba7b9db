import { printable } from '../../text/printable.ts'
import type { CommandModule } from '../command-module.ts'
import { toolCommand } from '../tool-command.ts'
import { foldLines } from './fold-lines.ts'

const show = toolCommand('fold', { show: foldLines })

const members: Readonly<Record<string, CommandModule>> = {
  log: toolCommand('fold_log', { show: ({ log }) => [printable(log).trimEnd()] }),
  pause: toolCommand('fold_pause', { show: foldLines }),
  resume: toolCommand('fold_resume', { show: foldLines }),
}

/** It shows the chain by itself, and has others below it. */
export const fold: CommandModule = {
  define: (command, context, whole) => {
    show.define(command, context, whole)
    for (const [name, member] of Object.entries(members))
      member.define(command.command(name), context, whole)
  },
}

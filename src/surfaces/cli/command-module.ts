import type { Command } from 'commander'
import type { CliContext } from './context.ts'

/**
 * Adds arguments, options and action to a command. `whole`: the program with all of its commands.
 */
export interface CommandModule {
  define(command: Command, context: CliContext, whole: () => Promise<Command>): void
}

import type { Command } from 'commander'
import { listRepositoryRecords } from '../../../config/repository-records.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { assertHuman, findAccess } from '../connect.ts'
import type { CliContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { writeJsonLine } from '../output.ts'
import type { AccessDocument } from './read-access.ts'

/**
 * Asked by `exomonad --host` over SSH: where the daemon is, and the owner’s token, which goes
 * through the pipe alone. Starts the daemon where it isn’t running.
 */
export function define(command: Command, context: CliContext): void {
  command.option('--no-start', 'Leave a daemon that isn’t running').action(async (options) => {
    const { start } = options as { start: boolean }
    const { environment, host, terminal } = context
    const { cwd } = context.options()
    await assertHuman(cwd, environment, null)
    if (terminal.stdout.isTTY === true)
      throw new UsageError('This is for `exomonad --host` alone: it prints a secret.')
    const { socket, token } = await findAccess({
      cwd,
      as: undefined,
      environment,
      host,
      start,
    }).catch((error: unknown) => nameOthers(error, context))
    const document: AccessDocument = { exomonad_access: 1, socket, token }
    writeJsonLine(terminal.stdout, document)
  })
}

/** Whoever gave no path, or a wrong one, reads which there are. */
async function nameOthers(error: unknown, { environment }: CliContext): Promise<never> {
  const isPath =
    error instanceof ExomonadError && ['NOT_A_REPOSITORY', 'NOT_INITIALIZED'].includes(error.code)
  const homes = isPath ? (await listRepositoryRecords(environment)).map(({ home }) => home) : []
  if (!isPath || homes.length === 0) throw error
  throw new ExomonadError(
    error.code,
    `${error.message} It is set up there in ${homes.join(', ')}: \`--host user@machine:path\` names one.`,
    error.facts,
  )
}

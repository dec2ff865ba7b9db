import { ExomonadError } from '../../domain/errors.ts'
import { withTypedCalls, type Client } from '../client.ts'
import { readHealth } from './daemon/health.ts'

/**
 * To an agent a token that nobody knows is the same as none: the error says what it may not do, not
 * how to make a token.
 */
export const neverTheOwner = (client: Client): Client =>
  withRefusals(
    client,
    async (error) => new ExomonadError('NOT_ALLOWED', error.message, error.facts, { cause: error }),
  )

/**
 * To the human it says why the daemon does not know the owner’s token of `folder`: it was started
 * with another home, or the token was made anew since.
 */
export const withRefusalsExplained = (
  client: Client,
  { socket, folder }: { socket: string; folder: string },
): Client =>
  withRefusals(client, async (error) => {
    const health = await readHealth(socket).catch(() => null)
    if (health === null) return error
    const { pid, user_state: theirs } = health
    const elsewhere = theirs !== undefined && theirs !== folder
    const why = elsewhere
      ? `it was started with another HOME or XDG_STATE_HOME, and keeps that in ${theirs}, where yours is ${folder}. Set them as they were there; or \`exomonad daemon stop\`, and the next command starts the daemon with yours, and its agents too`
      : `the one in ${folder} was made after it had started. Run \`exomonad daemon stop\`: the next command starts it with that`
    return new ExomonadError(
      'UNAUTHORIZED',
      `The daemon (process ${pid}) knows another owner’s token for this repository: ${why}.`,
      { pid, folder, ...(theirs === undefined ? {} : { daemon_folder: theirs }) },
      { cause: error },
    )
  })

/** The client with another error where it is not let in. */
function withRefusals(
  client: Client,
  other: (error: ExomonadError) => Promise<ExomonadError>,
): Client {
  const refused = async (error: unknown): Promise<never> => {
    if (!(error instanceof ExomonadError) || error.code !== 'UNAUTHORIZED') throw error
    throw await other(error)
  }
  return withTypedCalls({
    callTool: (name, input, options) => client.callTool(name, input, options).catch(refused),
    get: (path, options) => client.get<never>(path, options).catch(refused),
    hook: (event, body, options) => client.hook<never>(event, body, options).catch(refused),
    async *events(query) {
      try {
        yield* client.events(query)
      } catch (error) {
        await refused(error)
      }
    },
  })
}

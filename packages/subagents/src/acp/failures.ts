import { RequestError } from '@agentclientprotocol/sdk'
import { ExomonadError } from '../errors.ts'
import type { AcpCapabilities, AcpExit } from './acp.ts'
import { exitWords } from './child.ts'
import { lastLines } from './tail.ts'

const AUTH_REQUIRED = -32_000

/** The last that a program wrote to its standard error, for the end of a sentence. */
export const finalOutput = (stderr: string): string => {
  const words = lastLines(stderr)
  return words === '' ? '' : ` Its last words: ${words}`
}

/** How the agent’s own words of an error read: some put the informative part into `data`. */
function rpcWords({ message, data }: RequestError): string {
  const details =
    typeof data === 'string'
      ? data
      : typeof data === 'object' &&
          data !== null &&
          'details' in data &&
          typeof data.details === 'string'
        ? data.details
        : null
  return details === null || details === message
    ? message
    : `${message} (${details.slice(0, 1000)})`
}

/** What it answered to a request, as one of ours: whether it wants a login, ended, or said no. */
export function asFailure(
  name: string,
  doing: string,
  error: unknown,
  known: {
    readonly exit: (AcpExit & { readonly stderr: string }) | null
    readonly capabilities: AcpCapabilities | null
  },
): ExomonadError {
  if (error instanceof ExomonadError) return error
  if (error instanceof RequestError) {
    if (error.code === AUTH_REQUIRED) return loginWanted(name, error, known.capabilities)
    return new ExomonadError(
      'NOT_AVAILABLE',
      `${name} could not ${doing}: ${rpcWords(error)}`,
      { rpc_code: error.code },
      { cause: error },
    )
  }
  if (known.exit !== null) {
    const { exitCode, signal, stderr } = known.exit
    const facts = { exit_code: exitCode, signal }
    return new ExomonadError(
      'NOT_AVAILABLE',
      `${name} could not ${doing}: ${exitWords(known.exit)}.${finalOutput(stderr)}`,
      facts,
      { cause: error },
    )
  }
  return new ExomonadError(
    'NOT_AVAILABLE',
    `${name} could not ${doing}: ${error instanceof Error ? error.message : String(error)}`,
    {},
    { cause: error },
  )
}

function loginWanted(
  name: string,
  error: RequestError,
  capabilities: AcpCapabilities | null,
): ExomonadError {
  const ways = (capabilities?.authMethods ?? []).map(
    (method) => method.name + (method.description === null ? '' : ` (${method.description})`),
  )
  const offered = ways.length === 0 ? '' : ` It offers: ${ways.join('; ')}.`
  return new ExomonadError(
    'NOT_AVAILABLE',
    `${name} wants a login: ${rpcWords(error)}.${offered} Log in once with the agent’s own command line, or give it its key in [acp.NAME] env or [environment] pass, and try again.`,
    { login: true },
    { cause: error },
  )
}

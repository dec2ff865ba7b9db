import { completionWords } from '../../domain/formats/completion-message.ts'
import type { WaitStatus, WaitResult } from './agent-waits.ts'

const NAMES = 10
const listed = (names: readonly string[]): string =>
  names.length > NAMES
    ? `${names.slice(0, NAMES).join(', ')} and ${names.length - NAMES} more`
    : names.join(', ')

/** How far a wait for several is, as one line. */
export function progressOf(
  agents: readonly { readonly name: string; readonly status: WaitStatus }[],
): string {
  const of = (status: WaitStatus): string[] =>
    agents.filter((agent) => agent.status === status).map(({ name }) => name)
  const parts = [
    `${of('received').length} of ${agents.length} have answered`,
    ...(['received', 'running', 'idle', 'dead'] as const).flatMap((status) =>
      of(status).length === 0 ? [] : [`${status}: ${listed(of(status))}`],
    ),
  ]
  return parts.join('; ')
}

/**
 * What a wait ended with, for people. Of a message only the first line begins where names do, so
 * that no message can pose as another agent’s.
 */
export function wordsOf(result: WaitResult, timeout: number): string {
  const below = (message: string): string => completionWords(message).replaceAll('\n', '\n  ')
  if ('results' in result) {
    return result.results
      .map(({ name, status, message }) =>
        message === undefined ? `${name}: ${status}` : `${name}: ${status}: ${below(message)}`,
      )
      .join('\n')
  }
  return 'status' in result
    ? `No message came within ${timeout} s.`
    : `${result.name}: ${below(result.message)}`
}

import type { Outcome } from '../records.ts'
import { parseJson } from './parse-json.ts'

/**
 * The message by which an agent says that its task is done: JSON, so that one message carries
 * state, outcome and result. Undefined for any other.
 */
export function parseCompletion(message: string): Outcome | undefined {
  const parsed = parseObject(message)
  if (parsed?.['status'] !== 'idle') return undefined
  const { success, summary, error, partial } = parsed
  if (success === true) return typeof summary === 'string' ? { success, summary } : undefined
  if (success !== false || typeof error !== 'string') return undefined
  if (partial === undefined) return { success, error }
  return typeof partial === 'string' ? { success, error, partial } : undefined
}

/** A message as people read it: what a completion message says, in words; any other as it is. */
export function completionWords(message: string): string {
  const outcome = parseCompletion(message)
  if (outcome === undefined) return message
  const { success, summary = '', error = '', partial = '' } = outcome
  if (success) return said('done', summary)
  return [said('gave up', error), ...(partial === '' ? [] : [said('so far', partial)])].join('\n')
}

const said = (what: string, text: string): string => (text === '' ? what : `${what}: ${text}`)

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    return parseJson(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}

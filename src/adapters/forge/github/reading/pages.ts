import { ExomonadError } from '../../../../domain/errors.ts'
import type { GithubClient, GraphqlAnswer, GraphqlError } from '../client/client.ts'
import { unreadable, type Unreadable } from '../../unreadable.ts'
import type { Read } from './answers.ts'

/** GitHub gave up on a question: half of it may be answered. */
const gaveUp = ({ facts }: ExomonadError): boolean =>
  facts['status'] === 502 || facts['status'] === 504 || facts['gave_up'] === true

/**
 * After so many that GitHub gives up on one by one, and nothing that it answers in between, the
 * trouble is its own.
 */
const MOST_GIVEN_UP = 3

/**
 * Reads all of them, so many at a time, and half as many where GitHub gives up. Once it can’t be
 * reached, refuses, or gives up on everything, the rest isn’t asked for: nobody waits for the same
 * failure ten times.
 */
export async function inPages<Key, Value>(
  keys: readonly Key[],
  size: number,
  read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Read<Value>>>,
): Promise<Map<Key, Read<Value>>> {
  const results = new Map<Key, Read<Value>>()
  const waiting: (readonly Key[])[] = []
  for (let start = 0; start < keys.length; start += size)
    waiting.push(keys.slice(start, start + size))
  let failed: Unreadable | undefined
  let givenUp = 0
  for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
    if (failed !== undefined) {
      for (const key of page) results.set(key, failed)
      continue
    }
    try {
      for (const [key, value] of await read(page)) results.set(key, value)
      givenUp = 0
    } catch (error) {
      if (!(error instanceof ExomonadError)) throw error
      if (gaveUp(error) && page.length > 1) {
        const half = Math.ceil(page.length / 2)
        waiting.unshift(page.slice(0, half), page.slice(half))
        continue
      }
      for (const key of page) results.set(key, unreadable(error))
      if (!gaveUp(error) || ++givenUp === MOST_GIVEN_UP) failed = unreadable(error)
    }
  }
  return results
}

/**
 * The answer’s data; FORGE_UNAVAILABLE where there is none, or where GitHub left parts out because
 * it was too much at once.
 */
export async function ask<Data>(
  client: Pick<GithubClient, 'graphql'>,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<GraphqlAnswer<Data> & { readonly data: Data }> {
  const { data, errors } = await client.graphql<Data>(query, variables)
  const tooMuch = errors.find(({ type }) => type === 'RESOURCE_LIMITS_EXCEEDED')
  if (tooMuch !== undefined)
    throw new ExomonadError('FORGE_UNAVAILABLE', leftOut([tooMuch]), { gave_up: true })
  if (data !== null) return { data, errors }
  const reason = errors.map(({ message }) => message).join('; ') || 'an answer without data'
  throw new ExomonadError('FORGE_UNAVAILABLE', `GitHub does not answer what was asked: ${reason}`, {
    gave_up: /something went wrong|timed? ?out/i.test(reason),
  })
}

/** The errors at or below a place in the answer. One without a place may be about anything. */
export const errorsAt = (
  errors: readonly GraphqlError[],
  ...path: readonly (string | number)[]
): readonly GraphqlError[] =>
  errors.filter((error) =>
    path.every((step, index) => index >= error.path.length || error.path[index] === step),
  )

/** The token lacks a permission for this part: not a failure that passes. */
export const isDenied = ({ type }: GraphqlError): boolean =>
  type === 'FORBIDDEN' || type === 'INSUFFICIENT_SCOPES'

export const leftOut = (errors: readonly GraphqlError[]): string =>
  `GitHub left out a part of its answer: ${[...new Set(errors.map(({ message }) => message))].join('; ')}`

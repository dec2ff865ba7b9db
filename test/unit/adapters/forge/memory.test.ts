import { expect, it } from 'vitest'
import { createMemory } from '../../../../src/adapters/forge/memory.ts'

it('makes each once, also for those who ask while it is being made, and keeps the newest', async () => {
  const memory = createMemory<string>(2)
  let count = 0
  const making = Promise.withResolvers<void>()
  const make = async (): Promise<string> => {
    const made = `made ${++count}`
    await making.promise
    return made
  }
  const asked = [memory(['a'], make), memory(['a'], make)]
  making.resolve()
  expect(await Promise.all(asked)).toEqual(['made 1', 'made 1'])
  expect(await memory(['b'], make)).toBe('made 2')
  // Asked for again, it is newer than the other.
  expect(await memory(['a'], make)).toBe('made 1')
  expect(await memory(['c'], make)).toBe('made 3')
  expect(await memory(['a'], make)).toBe('made 1')
  expect(await memory(['b'], make)).toBe('made 4')
})

it('keeps no failure, which all who waited for it have', async () => {
  const memory = createMemory<string>(2)
  const fails = async (): Promise<string> => Promise.reject(new Error('no disk'))
  const asked = await Promise.allSettled([memory(['a'], fails), memory(['a'], fails)])
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await memory(['a'], async () => 'made')).toBe('made')
})

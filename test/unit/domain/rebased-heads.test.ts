import { expect, it } from 'vitest'
import type { Sha } from '../../../src/domain/ids.ts'
import { noteRebase, rebasedHeads } from '../../../src/domain/rebased-heads.ts'

const sha = (letter: string): Sha => letter.repeat(40) as Sha

function snapshots() {
  const values = new Map<string, Record<string, unknown>>()
  return {
    get: async (key: string) => values.get(key),
    put: async (key: string, value: Record<string, unknown>) => void values.set(key, value),
  }
}

it('knows heads that are the same work, however often it was rebased, on their own branch alone', async () => {
  const store = snapshots()
  await noteRebase(store, 'main.a', { from: sha('1'), to: sha('2') })
  await noteRebase(store, 'main.a', { from: sha('2'), to: sha('3') })
  const { same, lineage } = await rebasedHeads(store, 'main.a')
  expect(lineage(sha('3'))).toEqual([sha('3'), sha('2'), sha('1')])
  expect(lineage(sha('9'))).toEqual([sha('9')])
  expect([
    same(sha('1'), sha('3')),
    same(sha('3'), sha('1')),
    same(sha('9'), sha('9')),
    same(sha('1'), sha('9')),
  ]).toEqual([true, true, true, false])
  expect((await rebasedHeads(store, 'main.b')).same(sha('1'), sha('2'))).toBe(false)
})

it('ends where a head was rebased back onto itself, and forgets the oldest', async () => {
  const store = snapshots()
  await noteRebase(store, 'main.a', { from: sha('1'), to: sha('2') })
  await noteRebase(store, 'main.a', { from: sha('2'), to: sha('1') })
  expect((await rebasedHeads(store, 'main.a')).lineage(sha('1'))).toEqual([sha('1'), sha('2')])
  // A head that is reached again came from where it was rebased last.
  await noteRebase(store, 'main.c', { from: sha('1'), to: sha('3') })
  await noteRebase(store, 'main.c', { from: sha('2'), to: sha('3') })
  expect((await rebasedHeads(store, 'main.c')).lineage(sha('3'))).toEqual([sha('3'), sha('2')])
  // One that is noted again and again, after a crash each time, takes the place of no other.
  for (let times = 0; times < 60; times++)
    await noteRebase(store, 'main.c', { from: sha('4'), to: sha('5') })
  expect((await rebasedHeads(store, 'main.c')).lineage(sha('3'))).toEqual([sha('3'), sha('2')])
  const numbered = (index: number): Sha => String(index).padStart(40, '0') as Sha
  for (let index = 0; index < 60; index++)
    await noteRebase(store, 'main.b', { from: numbered(index), to: numbered(index + 1) })
  expect((await rebasedHeads(store, 'main.b')).lineage(numbered(60))).toHaveLength(51)
})

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { firstStart } from '../../../../src/adapters/agent-cli/opencode/first-start.ts'

function home(): string {
  const folder = mkdtempSync(join(tmpdir(), 't-opencode-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'opencode')
}
const make = (folder: string): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'opencode.db'), '')
}

it('those that start while the first one makes the store wait until it is up, then go all at once', async () => {
  const folder = home()
  const isUp = await firstStart(folder)
  const order: string[] = []
  const others = ['b', 'c'].map(async (name) => {
    const isMaker = await firstStart(folder)
    order.push(name)
    return isMaker
  })
  const elsewhere = await firstStart(home())
  expect(elsewhere).toBeTypeOf('function')
  elsewhere?.()
  make(folder)
  // The file is there before the database in it is.
  expect(order).toEqual([])
  isUp?.()
  expect(await Promise.all(others)).toEqual([undefined, undefined])
  expect(await firstStart(folder)).toBeUndefined()
})

it('where the first one came to nothing the next one makes the store, and the others wait for that', async () => {
  const folder = home()
  const isUp = await firstStart(folder)
  const second = firstStart(folder)
  const third = firstStart(folder)
  isUp?.()
  const secondIsUp = await second
  expect(secondIsUp).toBeTypeOf('function')
  // What is called too late ends nobody else’s turn.
  isUp?.()
  const fourth = firstStart(folder)
  let went = 0
  for (const start of [third, fourth]) void start.then(() => went++)
  await new Promise((resolve) => setImmediate(resolve))
  expect(went).toBe(0)
  make(folder)
  secondIsUp?.()
  expect(await Promise.all([third, fourth])).toEqual([undefined, undefined])
})

it('one that never comes up is waited for within bounds', async () => {
  const folder = home()
  await firstStart(folder, 20)
  const isUp = await firstStart(folder)
  expect(isUp).toBeTypeOf('function')
  isUp?.()
})

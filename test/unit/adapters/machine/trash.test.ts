import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createTrash } from '../../../../src/adapters/machine/trash.ts'
import type { Exec } from '../../../../src/processes/exec.ts'
import { silentLog } from '../../../../src/runtime/log.ts'

/** Deleting what nobody needs any more, with a program that ends when the test says so. */

const ended = (exitCode: number) => ({
  ...{ exitCode, signal: null, stdout: '', stderr: '', timedOut: false, startError: null },
})

function world(names: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'trash-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const put = (name: string): void => {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'a'), 'a')
  }
  for (const name of names) put(name)
  /** By what is deleted: how that ends. */
  const running = new Map<string, (exitCode: number) => void>()
  const exec: Exec = (_file, args) =>
    new Promise((resolve) => {
      const target = args.at(-1) ?? ''
      running.set(target, (exitCode) => {
        running.delete(target)
        if (exitCode === 0) rmSync(target, { recursive: true })
        resolve(ended(exitCode))
      })
    })
  const trash = createTrash({ folder, log: silentLog(), exec, path: '/usr/bin:/bin' })
  const end = (exitCode: number): void => [...running.values()][0]?.(exitCode)
  return { folder, put, running, trash, end }
}

it('several go at the same time, and those that come meanwhile after them', async () => {
  const { folder, put, running, trash, end } = world(['1', '2', '3', '4', '5', '6'])
  await vi.waitFor(() => expect(running.size).toBe(4), 15_000)
  end(0)
  await vi.waitFor(() => expect(running.size).toBe(4), 15_000)
  expect(readdirSync(folder)).toHaveLength(5)
  put('7')
  trash.empty()
  await vi.waitFor(() => {
    end(0)
    expect(readdirSync(folder)).toEqual([])
  }, 15_000)
})

it('what the program can’t delete goes without it', async () => {
  const { folder, running, end } = world(['1'])
  await vi.waitFor(() => expect(running.size).toBe(1), 15_000)
  end(1)
  await vi.waitFor(() => expect(existsSync(join(folder, '1'))).toBe(false), 15_000)
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import type { Holder } from '../../../src/adapters/terminals/holder.ts'
import { tmuxInFolder } from '../../../src/daemon/tmux-folder.ts'

/** Where agents run, by folder; the empty one is tmux's own choice. */
let running: Record<string, number> = {}
let disposed: string[] = []
let state = ''

beforeEach(() => {
  running = {}
  disposed = []
  state = mkdtempSync(join(tmpdir(), 'tmux-folder-'))
  onTestFinished(() => rmSync(state, { recursive: true }))
})

const begin = async (wanted?: string): Promise<string> => {
  const made = new Map<Holder, string>()
  const create = (folder = ''): Holder => {
    const tmux = {
      list: async () =>
        Array.from({ length: running[folder] ?? 0 }, () => ({ agentId: 'a-1', dead: false })),
      dispose: async () => void disposed.push(folder),
    } as unknown as Holder
    made.set(tmux, folder)
    return tmux
  }
  const folder = made.get(await tmuxInFolder(create, { wanted, state })) ?? 'none'
  return folder
}

it('is where TMUX_TMPDIR says, and tmux’s own choice where it says nothing', async () => {
  expect(await begin('/mine')).toBe('/mine')
  expect(await begin()).toBe('')
  expect(await begin('/other')).toBe('/other')
})

it('is where agents run that an earlier daemon started, until they have ended', async () => {
  running[''] = 1
  expect(await begin('/mine')).toBe('')
  running = {}
  expect(await begin('/mine')).toBe('/mine')
  running['/mine'] = 1
  expect(await begin()).toBe('/mine')
  expect(await begin('/other')).toBe('/mine')
  running = {}
  disposed = []
  expect(await begin()).toBe('')
  expect(disposed).toEqual(['', '/mine'])
  running['/mine'] = 1
  // Nobody’s any more: what is not on record is not looked for.
  expect(await begin()).toBe('')
})

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { setUpElsewhere } from '../../../src/config/moved-repository.ts'

function places() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 't-moved-')))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const file = (path: string, text = '') => {
    mkdirSync(dirname(join(top, path)), { recursive: true })
    writeFileSync(join(top, path), text)
  }
  const elsewhere = (home: string, commonDir: string) =>
    setUpElsewhere({ home: join(top, home) }, join(top, commonDir))
  return { top, file, elsewhere }
}

it('tells a repository at its place from one that was moved or copied', async () => {
  const { top, file, elsewhere } = places()
  file('here/.git/HEAD')
  expect(await elsewhere('here', 'here/.git')).toBeNull()
  expect(await elsewhere('gone', 'here/.git')).toBe('moved')
  // What is in the place of before: nothing, a folder, a repository without a set-up, one with its own.
  mkdirSync(join(top, 'here', 'folder'))
  expect(await elsewhere('here/folder', 'here/.git')).toBe('moved')
  file('other/.git/HEAD')
  expect(await elsewhere('other', 'here/.git')).toBe('moved')
  file('other/.git/exomonad/repository.json', '{}')
  expect(await elsewhere('other', 'here/.git')).toBe('copied')
  // A link that was left there leads to it, as it does for everybody.
  symlinkSync(join(top, 'here'), join(top, 'link'))
  expect(await elsewhere('link', 'here/.git')).toBeNull()
})

it('knows linked worktrees, submodules, and what earlier versions kept in a git directory', async () => {
  const { top, file, elsewhere } = places()
  file('bare/HEAD')
  file('bare/worktrees/tree/commondir', '../..\n')
  file('tree/.git', `gitdir: ${join(top, 'bare/worktrees/tree')}\n`)
  expect(await elsewhere('tree', 'bare')).toBeNull()
  file('super/.git/modules/part/HEAD')
  file('super/part/.git', 'gitdir: ../.git/modules/part\n')
  expect(await elsewhere('super/part', 'super/.git/modules/part')).toBeNull()
  expect(await elsewhere('super/.git/modules/part', 'super/.git/modules/part')).toBeNull()
})

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copyLink } from '../../../../src/adapters/machine/copy-link.ts'
import { tempFolder } from './temp-folder.ts'

/** Two worktrees, the first with a folder, and a place outside of both. */
function world(
  link: string,
  text: (from: string, outside: string) => string,
): { from: string; to: string; outside: string } {
  const folder = tempFolder()
  const [from, to, outside] = ['from', 'to', 'outside'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [join(from, 'lib', 'deep'), to, outside]) mkdirSync(path, { recursive: true })
  writeFileSync(join(from, 'lib', 'deep', 'a.txt'), 'a')
  writeFileSync(join(outside, 'secret'), 'secret')
  symlinkSync(outside, join(from, 'way-out'))
  symlinkSync(from, join(outside, 'way-back'))
  symlinkSync('lib', join(from, 'way-in'))
  mkdirSync(dirname(join(from, link)), { recursive: true })
  mkdirSync(dirname(join(to, link)), { recursive: true })
  symlinkSync(text(from, outside), join(from, link))
  return { from, to, outside }
}
const copy = ({ from, to }: { from: string; to: string }, link: string) =>
  copyLink({ root: from, file: link, target: join(to, link) })

describe('a link that is copied', () => {
  it.each([
    ['beside it', 'link', () => 'lib', 'lib'],
    ['below it', 'bin/tool', () => '../lib/deep/a.txt', '../lib/deep/a.txt'],
    [
      'by its whole path',
      'bin/tool',
      (from: string) => join(from, 'lib', 'deep', 'a.txt'),
      '../lib/deep/a.txt',
    ],
    ['the worktree itself', 'bin/self', () => '..', '..'],
    ['something that is not there yet', 'later', () => 'node_modules/x', 'node_modules/x'],
    ['by another link that stays inside', 'chained', () => 'way-in/deep', 'way-in/deep'],
    ['a name that begins as the way out does', 'dots', () => './..lib', './..lib'],
  ])('to %s points to the same place of the other worktree', async (_, link, text, expected) => {
    const { from, to } = world(link, text)
    await copy({ from, to }, link)
    expect(readlinkSync(join(to, link))).toBe(expected)
  })

  it.each([
    ['by its whole path', 'link', (_: string, outside: string) => join(outside, 'secret')],
    ['upwards', 'bin/tool', () => '../../outside/secret'],
    ['to a worktree whose name begins as this one’s', 'link', (from: string) => `${from}-other`],
    ['by another link', 'link', () => 'way-out/secret'],
    ['by another link to what isn’t there', 'link', () => 'way-out/not-yet/there'],
    ['and comes back', 'link', (_: string, outside: string) => join(outside, 'way-back', 'lib')],
    ['to the folder above', 'link', () => '..'],
    ['into and out again', 'bin/tool', () => '../way-in/../../outside'],
  ])('and leads out %s is refused, with where to', async (_, link, text) => {
    const { from, to, outside } = world(link, text)
    await expect(copy({ from, to }, link)).rejects.toMatchObject({
      code: 'OUTSIDE_ROOT',
      facts: { file: link, target: text(from, outside) },
    })
    expect(existsSync(join(to, link))).toBe(false)
    expect(lstatSync(join(to, link), { throwIfNoEntry: false })).toBeUndefined()
  })

  it('takes the place of what is there, and writes through nothing', async () => {
    const { from, to, outside } = world('link', () => 'lib')
    symlinkSync(join(outside, 'secret'), join(to, 'link'))
    await copy({ from, to }, 'link')
    await copy({ from, to }, 'link')
    expect(readlinkSync(join(to, 'link'))).toBe('lib')
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret')
  })
})

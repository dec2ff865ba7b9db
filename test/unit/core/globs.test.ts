import { describe, expect, it } from 'vitest'
import {
  coversFolder,
  escapeGlob,
  isGlob,
  mayReachInto,
} from '../../../src/core/spawn/provision/globs.ts'

/** Which whole folders a pattern of paths means, as git reads them. */
describe('a pattern of paths', () => {
  it.each([
    ['node_modules', 'node_modules', true],
    ['node_modules/', 'node_modules', true],
    ['node_modules', 'packages/a/node_modules', false],
    ['**/node_modules', 'node_modules', true],
    ['**/node_modules', 'packages/a/node_modules', true],
    ['packages/*/node_modules', 'packages/a/node_modules', true],
    ['packages/*/node_modules', 'packages/a/b/node_modules', false],
    ['packages', 'packages/a/node_modules', true],
    ['conf/**', 'conf', true],
    ['conf/**', 'conf/deep/er', true],
    ['conf/*', 'conf', true],
    ['conf/**', 'confer', false],
    ['**', 'any/thing', true],
    ['**/*.log', 'node_modules', false],
    ['node_modules/a/**', 'node_modules', false],
    ['[bd]uild', 'build', true],
    ['[!b]uild', 'build', false],
    ['bui?d', 'build', true],
    ['a.b', 'axb', false],
    [String.raw`a\*b`, 'a*b', true],
    [String.raw`a\*b`, 'axb', false],
    ['a(b|c)+', 'ab', false],
  ])('%s and %s', (pattern, folder, covers) => {
    expect(coversFolder(pattern, folder)).toBe(covers)
  })

  it.each([
    ['node_modules/a/**', 'node_modules', true],
    ['node_modules/*.log', 'node_modules', true],
    ['**/*.log', 'any/thing', true],
    ['.env*', 'node_modules', false],
    ['packages/*/x', 'packages/a', true],
    ['packages/*/x', 'packages/a/b', false],
    ['other/x', 'node_modules', false],
  ])('%s may mean a part of %s', (pattern, folder, may) => {
    expect(mayReachInto(pattern, folder)).toBe(may)
  })

  it('is one path again where it is escaped', () => {
    for (const path of ['a*b', 'what?', '[x]', String.raw`back\slash`, 'plain']) {
      expect(coversFolder(escapeGlob(path), path)).toBe(true)
      expect(coversFolder(escapeGlob(path), `${path}y`)).toBe(false)
    }
    expect(coversFolder(escapeGlob('a*b'), 'axb')).toBe(false)
  })

  it('is a glob where it may mean several', () => {
    expect(['a/b.c', 'a b'].map(isGlob)).toEqual([false, false])
    expect(['a*', '?', '[x]', String.raw`\*`].map(isGlob)).toEqual([true, true, true, true])
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TreeNode } from '../../../../../../src/core/agents/tree-document.ts'
import type { AgentId } from '../../../../../../src/domain/ids.ts'
import { complete } from '../../../../../../src/surfaces/cli/console/input/completion.ts'
import { rotationOf } from '../../../../../../src/surfaces/cli/console/rotation.ts'
import { node, pull } from '../../../text/sample-tree.ts'

const rotation = rotationOf(
  node('main', {
    kind: 'root',
    children: [
      node('main.feature', {
        children: [node('main.feature.auth-api'), node('main.feature.auth-ui')],
        pr: pull(12),
      }),
      node('main.billing', { children: [node('main.billing.tests')] }),
      node('main.docs', { children: [node('main.docs.tests')], pr: pull(17) }),
      node('main', {
        id: '0192aaaa-0000-7000-8000-000000000001' as AgentId,
        kind: 'fork',
        name: 'tests',
      }),
    ],
  }),
)
/** The line after Tab with `|` for the cursor, and what it could be. */
const tab = (line: string, all: readonly TreeNode[] = rotation): [string, readonly string[]] => {
  const cursor = line.includes('|') ? line.indexOf('|') : line.length
  const { line: done, candidates } = complete({ text: line.replace('|', ''), cursor }, all)
  return [`${done.text.slice(0, done.cursor)}|${done.text.slice(done.cursor)}`, candidates]
}

describe('completion in the console', () => {
  it.each([
    ['/se', '/send |'],
    ['/RE', '/reap|'],
    ['/wa| 30', '/wait |30'],
    ['/send fea', '/send feature |'],
    ['/kill auth-u', '/kill auth-ui |'],
    ['/go UI', '/go auth-ui |'],
    ['/go ill', '/go billing |'],
    ['/attach bil', '/attach billing |'],
    ['/wait fea', '/wait feature |'],
    ['/wait 30 fea', '/wait 30 feature |'],
    ['/wait 30 auth-api auth', '/wait 30 auth-api auth-ui |'],
    ['/send fea| do it', '/send feature |do it'],
    ['/pr 12', '/pr 12|'],
    ['/pr #17', '/pr 17|'],
  ])('makes %j %j', (before, after) => {
    expect(tab(before)).toEqual([after, []])
  })

  it.each([
    ['/c', '/c|', ['/capture', '/cancel', '/child']],
    ['/ca', '/ca|', ['/capture', '/cancel']],
    ['/kill au', '/kill auth-|', ['auth-api', 'auth-ui']],
    ['/pr ', '/pr 1|', ['12', '17']],
    // Three have this name: each is called so that it alone is meant.
    ['/go tests', '/go tests|', ['billing.tests', 'docs.tests', '0192aaaa']],
    ['/go main.docs', '/go main.docs|', ['docs', 'docs.tests']],
  ])('goes in %j as far as is clear, and says what it could be', (before, after, candidates) => {
    expect(tab(before)).toEqual([after, candidates])
  })

  it.each([
    'hello',
    '//etc',
    '/nothing x',
    '/send auth-ui hel',
    '/wait 3',
    '/tree x',
    '/go zzz',
    '/go feature x',
    '',
  ])('leaves %j alone', (line) => {
    expect(tab(line)).toEqual([`${line}|`, []])
  })

  it('never takes away what is written behind the cursor, nor what was complete before it', () => {
    const word = fc.constantFrom('/send', '/wait', '/go', '30', 'auth', 'main.', 'x', 'te')
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), fc.nat(20), (words, at) => {
        const text = words.join(' ')
        const cursor = Math.min(at, text.length)
        const { line } = complete({ text, cursor }, rotation)
        expect(line.text.endsWith(text.slice(cursor))).toBe(true)
        const before = text.slice(0, Math.max(0, text.slice(0, cursor).lastIndexOf(' ') + 1))
        expect(line.text.startsWith(before)).toBe(true)
        expect(line.text.slice(line.cursor).trimStart()).toBe(text.slice(cursor).trimStart())
      }),
    )
  })

  it('completes every agent of 200 to an address that it completes to again', () => {
    const many = rotationOf(
      node('main', {
        kind: 'root',
        children: Array.from({ length: 20 }, (_, area) =>
          node(`main.area-${area}`, {
            children: Array.from({ length: 9 }, (__, worker) =>
              node(`main.area-${area}.worker-${worker}`),
            ),
          }),
        ),
      }),
    )
    expect(many).toHaveLength(201)
    const [, candidates] = tab('/go ', many)
    expect(new Set(candidates).size).toBe(201)
    for (const candidate of candidates.filter((one) => one.includes('worker')))
      expect(tab(`/go ${candidate}`, many)).toEqual([`/go ${candidate} |`, []])
  })
})

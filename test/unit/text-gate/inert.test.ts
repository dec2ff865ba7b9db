import { describe, expect, it } from 'vitest'
import { inertText } from '../../../src/text-gate/inert.ts'

describe('inert text', () => {
  it('keeps no @ with a name behind it, and every word', () => {
    expect(inertText('@/etc/passwd, "@a b", (@c) `@d` x@e \\@f @@g @"h" @ i @')).toBe('@ /etc/passwd, "@ a b", (@ c) `@ d` x@ e \\@ f @@ g @ "h" @ i @')
  })

  it('begins with no command, and may hold one', () => {
    for (const command of ['/quit', '!rm x', '#note', '&task', '?', '  /quit', '\n!x']) expect(inertText(command)).toMatch(/^│ /)
    expect(inertText('a\n# Heading\n/path !x')).toBe('a\n# Heading\n/path !x')
  })

  it('is the same the second time', () => {
    for (const text of ['@a', '/b @c', '│ /d', '']) expect(inertText(inertText(text))).toBe(inertText(text))
  })
})

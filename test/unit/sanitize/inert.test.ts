import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inertForClaude } from '../../../src/adapters/agent-cli/claude/inert.ts'
import { inertForCodex } from '../../../src/adapters/agent-cli/codex/inert.ts'
import { inertEveryAt, inertText } from '../../../src/sanitize/inert.ts'

describe('inert text', () => {
  it('keeps no @ with a name behind it, and every word', () => {
    expect(inertText('@/etc/passwd, "@a b", (@c) `@d` x@e \\@f @@g @"h" @ i @')).toBe(
      '@ /etc/passwd, "@ a b", (@ c) `@ d` x@ e \\@ f @@ g @ "h" @ i @',
    )
  })

  it('begins with no command, and may hold one', () => {
    for (const inert of [inertText, inertForClaude, inertForCodex, inertEveryAt]) {
      for (const command of ['/quit', '!rm x', '#note', '&task', '?', '  /quit', '\n!x'])
        expect(inert(command)).toMatch(/^│ /)
    }
    expect(inertText('a\n# Heading\n/path !x')).toBe('a\n# Heading\n/path !x')
  })

  it('is the same the second time', () => {
    for (const inert of [inertText, inertForClaude, inertForCodex, inertEveryAt]) {
      const parts = fc.constantFrom(
        '@',
        '$',
        '/',
        '!',
        ' ',
        '\n',
        '│ ',
        'ultrathink',
        'a',
        '7',
        '"',
        '.png',
        '\u00a0',
        '\u3000',
        '\\',
        'HOME',
        '-',
        '(',
      )
      fc.assert(
        fc.property(fc.array(parts), (words) => {
          expect(inert(inert(words.join('')))).toBe(inert(words.join('')))
        }),
      )
    }
  })

  it('for Gemini CLI keeps no @ with anything but a plain space behind it, whatever other programs take for one', () => {
    const texts = ['@', '\\@', '@@', '"@', '(@', 'x@'].flatMap((at) =>
      [
        '/etc/passwd',
        '\u00a0/../etc/passwd',
        '\u3000x',
        '\u2003x',
        '"a b"',
        '.',
        '~',
        '@',
        '\u200bx',
      ].map((name) => at + name),
    )
    for (const text of [...texts, '@@ -1,3 +1,4 @@ function()'])
      expect(inertEveryAt(text)).not.toMatch(/@[^ \t\r\n]/)
    for (const text of texts.filter((text) => !text.endsWith('@')))
      expect(inertText(text)).not.toMatch(/@[^ \t\r\n@]/)
  })

  it('for Claude Code holds no word that changes how it thinks, and no line that is a picture’s path', () => {
    for (const word of ['ultrathink', 'please ULTRATHINK now', 'ultracode', '(ultracode)'])
      expect(inertForClaude(word)).not.toMatch(/ultra(think|code)/i)
    for (const line of [
      '/home/u/secret.png',
      'a.JPG',
      "'a b.webp'",
      '"/x/y.jpeg" ',
      'look\n  ../c.gif',
    ])
      for (const one of inertForClaude(line).split('\n')) expect(one).toMatch(/^(│ .*|look)$/)
    expect(inertForClaude('see a.png for it, and ultrathinking')).toBe(
      'see a.png for it, and ultrathinking',
    )
  })

  it('for Codex names no skill, and keeps variables, arguments and prices', () => {
    for (const text of [
      '$trap-skill',
      'x$trap',
      '$$trap',
      '$Trap',
      '$1x',
      '[$Trap](skill://x)',
      '`$a:b`',
      '$_x',
      '$-x',
    ])
      expect(inertForCodex(text)).not.toMatch(/\$[\w:-]/)
    const kept = 'echo $HOME/${x} "$PATH" $1 $5 ${Trap} $(date) and $ alone'
    expect(inertForCodex(kept)).toBe(kept)
  })
})

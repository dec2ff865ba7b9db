import { describe, expect, it } from 'vitest'
import { plainLine } from '../../../../src/processes/host/plain-line.ts'

describe('a line of output for a person’s terminal', () => {
  it.each([
    ['plain é 日本 🌳\ttab', 'plain é 日本 🌳\ttab', 'plain é 日本 🌳\ttab'],
    ['10%\r50%\r100%\r', '100%', '100%'],
    ['\u001B[1;31mred\u001B[m', 'red', '\u001B[1;31mred\u001B[m\u001B[0m'],
    ['\u001B[38:2:1:2:3mtrue\u001B[39m', 'true', '\u001B[38:2:1:2:3mtrue\u001B[39m\u001B[0m'],
    ['\u001B]8;;http://x\u0007link\u001B]8;;\u001B\\ after', 'link after', 'link after'],
    ['\u001BP1;2|data\u001B\\x', 'x', 'x'],
    ['a\u001B[2J\u001B[10;10Hb\u001B[?1049h\u001B7\u001Bcc', 'abc', 'abc'],
    ['cut \u001B[3', 'cut ', 'cut '],
    ['cut \u001B]0;title', 'cut ', 'cut '],
    ['cut \u001B', 'cut ', 'cut '],
    ['bell\u0007 \u009B31m c1 \u0000\u007F', 'bell 31m c1 ', 'bell 31m c1 '],
    ['in\u202Eyas\u2066\u200F', 'inyas', 'inyas'],
    ['\u001B\u001B[31mx', 'x', '\u001B[31mx\u001B[0m'],
  ])('%j', (line, plain, styled) => {
    expect(plainLine(line, false)).toBe(plain)
    expect(plainLine(line, true)).toBe(styled)
  })
})

import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFrames, linesOf } from '../../../../../packages/subagents/src/acp/frames.ts'
import { createTail, lastLines } from '../../../../../packages/subagents/src/acp/tail.ts'

async function* chunks(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part
}
const all = async (lines: AsyncIterable<string>): Promise<string[]> => {
  const found: string[] = []
  for await (const line of lines) found.push(line)
  return found
}

describe('lines of a stream', () => {
  it('are the same however the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary' }).map((line) => line.replaceAll('\n', ''))),
        fc.array(fc.nat(40)),
        async (lines, cuts) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
          const parts: Uint8Array[] = []
          let from = 0
          for (const cut of cuts) {
            parts.push(bytes.subarray(from, from + cut))
            from += cut
          }
          parts.push(bytes.subarray(from))
          expect(await all(linesOf(chunks(...parts), () => {}))).toEqual(
            lines.map((line) => Buffer.from(line).toString('utf8')),
          )
        },
      ),
      { numRuns: 50 },
    )
  })

  it('are left out where they are too long, and the next one is read', async () => {
    const reported: number[] = []
    expect(
      await all(
        linesOf(
          chunks('short\n', 'x'.repeat(8), 'x'.repeat(8), 'x\nnext\nlast'),
          (bytes) => reported.push(bytes),
          10,
        ),
      ),
    ).toEqual(['short', 'next', 'last'])
    expect(reported).toEqual([17])
  })
})

describe('frames', () => {
  it('are passed on, updates in order before what comes after them; the rest is reported', async () => {
    const input = new PassThrough()
    const seen: string[] = []
    const odd: string[] = []
    const frames = createFrames({
      input,
      output: new PassThrough(),
      update: async (params) => {
        await new Promise((go) => setTimeout(go, 5))
        seen.push(`update ${String(params['n'])}`)
        if (params['n'] === 1) throw new Error('whoever uses it fails')
      },
      odd: (kind) => odd.push(kind),
    })
    const lines = [
      '{"jsonrpc":"2.0","method":"session/update","params":{"n":1}}',
      'no JSON',
      `{"jsonrpc":"2.0","method":"session/update","params":{"deep":${'['.repeat(5000)}${']'.repeat(5000)}}}`,
      '[]',
      '7',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":5,"result":{}}',
      '{"jsonrpc":"2.0","method":"session/update"}',
      '{"jsonrpc":"2.0","method":"_extension/reported","params":{}}',
      '{"jsonrpc":"2.0","method":"session/update","params":{"n":2}}',
      '{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{}}',
    ]
    input.end(lines.map((line) => `${line}\n`).join(''))
    const reader = frames.readable.getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read())
      seen.push('method' in next.value ? next.value.method : 'answer')
    expect(seen).toEqual(['update 1', 'update 2', 'fs/read_text_file'])
    expect(odd).toEqual([
      'handler',
      'frame',
      'frame',
      'frame',
      'frame',
      'frame',
      'answer',
      'update',
    ])
  })
})

describe('the end of a stream', () => {
  it('is kept within its limit and cut between characters', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 50 })),
        fc.integer({ min: 4, max: 100 }),
        (parts, limit) => {
          const tail = createTail(limit)
          for (const part of parts) tail.push(Buffer.from(part))
          const whole = parts.join('')
          expect(whole.endsWith(tail.text())).toBe(true)
          expect(Buffer.byteLength(tail.text())).toBeLessThanOrEqual(limit)
          expect(
            Buffer.byteLength(whole) - Buffer.byteLength(tail.text()) <=
              Math.max(0, Buffer.byteLength(whole) - limit) + 3,
          ).toBe(true)
          expect(tail.truncated()).toBe(Buffer.byteLength(whole) > limit)
        },
      ),
    )
  })

  it('is shortened for a sentence', () => {
    expect(lastLines('a\nb\nc\n', { lines: 2 })).toBe('b\nc')
    expect(lastLines('x'.repeat(20), { chars: 5 })).toBe('…xxxxx')
    expect(lastLines('')).toBe('')
  })
})

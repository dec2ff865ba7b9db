import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createStdin } from '../../../../src/processes/host/stdin.ts'

describe('the standard input of a program that does not read', () => {
  it('takes what is sensible, then nothing until it is read, and nothing once it is closed', async () => {
    const pipe = new PassThrough()
    const stdin = createStdin(pipe)
    const much = 'x'.repeat(10_000_000)
    const waiting = stdin.write(much)
    const second = stdin.write('more')
    expect(await stdin.write(much)).toBe('full')
    pipe.resume()
    expect(await Promise.all([waiting, second])).toEqual(['written', 'written'])
    expect(await stdin.write(much)).toBe('written')
    stdin.close()
    expect(await stdin.write('x')).toBe('closed')
  })
})

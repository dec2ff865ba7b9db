import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createOutputLog } from '../../../../src/processes/host/output-log.ts'
import { waitFor } from '../../../helpers/wait-for.ts'

describe('the log of what a hosted program says', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'output-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const open = () => {
    const file = join(folder, 'output')
    return { log: createOutputLog({ file }), read: () => readFileSync(file) }
  }

  it('puts lines of both streams one after the other, however they are cut into chunks', async () => {
    const { log, read } = open()
    log.write('out', 'one\ntw')
    log.write('err', 'bad')
    log.write('out', 'o\nthree')
    log.write('err', ' thing\nworse\n')
    log.write('out', '\n')
    expect(log.tail(10)).toBe('one\ntwo\n[stderr] bad thing\n[stderr] worse\nthree')
    await log.close()
    expect(read().toString()).toBe('one\ntwo\n[stderr] bad thing\n[stderr] worse\nthree\n')
  })

  it('shows a line that has no end yet, goes on with it, and breaks it for another stream', async () => {
    const { log, read } = open()
    log.write('out', 'name? ')
    expect(log.tail(10)).toBe('name? ')
    log.write('out', 'Ada')
    expect(log.tail(10)).toBe('name? Ada')
    await waitFor(
      'it to be in the file',
      () => existsSync(join(folder, 'output')) && read().toString() === 'name? Ada',
    )
    log.write('err', 'no such\n')
    log.write('out', '!\nend\n')
    expect(log.tail(10)).toBe('name? Ada\n[stderr] no such\n!\nend')
    log.write('err', 'a')
    expect(log.tail(2)).toBe('end\n[stderr] a')
    log.write('err', 'b')
    log.write('err', '\nc\n')
    log.note('something about it')
    await log.close()
    expect(read().toString()).toBe(
      'name? Ada\n[stderr] no such\n!\nend\n[stderr] ab\n[stderr] c\n[exomonad] something about it\n',
    )
    expect(log.tail(3)).toBe('[stderr] ab\n[stderr] c\n[exomonad] something about it')
  })

  it('breaks no line that a full buffer cut, where the program gets its next turn late', async () => {
    const { log, read } = open()
    const line = `${'x'.repeat(99)}\n`
    const all = line.repeat(50)
    log.write('out', all.slice(0, 4096))
    // Begun later and written on its own, as a question is: when this is in the file, that had its
    // time.
    log.write('err', 'name? ')
    await waitFor(
      'the question to be in the file',
      () => existsSync(join(folder, 'output')) && read().toString().endsWith('[stderr] name? '),
    )
    log.write('err', 'Ada\n')
    log.write('out', all.slice(4096))
    await log.close()
    expect(read().toString()).toBe(`${line.repeat(40)}[stderr] name? Ada\n${line.repeat(10)}`)
  })

  it('keeps the last 1000 lines', () => {
    const log = createOutputLog({ file: null })
    const lines = (count: number, from = 0) =>
      Array.from({ length: count }, (_, index) => `line ${String(from + index)}\n`).join('')
    log.write('out', lines(3))
    log.write('out', lines(2500, 3))
    log.write('out', 'open')
    const tail = log.tail(5000).split('\n')
    expect(tail).toHaveLength(1000)
    expect([tail[0], tail.at(-2), tail.at(-1)]).toEqual(['line 1504', 'line 2502', 'open'])
    log.write('out', `\n${lines(10)}`)
    expect(log.tail(11).split('\n')[0]).toBe('open')
    expect(log.tail(0)).toBe('')
  })

  it('cuts lines in memory, not in the file', async () => {
    const { log, read } = open()
    const long = 'x'.repeat(200_000)
    for (let index = 0; index < 5; index += 1) log.write('out', long)
    log.write('out', '\nshort\n')
    log.write('err', `${long}${long}\n`)
    const tail = log.tail(10).split('\n')
    expect(tail.map((line) => line.length)).toEqual([4002, 5, 4011])
    await log.close()
    expect(read().toString()).toBe(`${long.repeat(5)}\nshort\n[stderr] ${long}${long}\n`)
  })

  it('sends followers what comes, without what steers a terminal', () => {
    const log = createOutputLog({ file: null })
    log.write('out', 'before\n')
    const reported: string[] = []
    const leave = log.follow((text) => reported.push(text))
    log.write('out', '\u001B]0;title\u0007a\u001B[31mred\u001B[0m\u001B[2J\u0007\nnext\n')
    log.write('err', 'one\ntwo\n')
    leave()
    log.write('out', 'later\n')
    expect(reported.join('')).toBe(
      'a\u001B[31mred\u001B[0m\u001B[0m\nnext\n[stderr] one\n[stderr] two\n',
    )
  })

  it('has every byte of one stream in the file, and whole lines of both, whatever the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.constantFrom('out' as const, 'err' as const),
            fc.stringMatching(/^[ab\n]{0,6}$/),
          ),
          { maxLength: 30 },
        ),
        async (chunks) => {
          const file = join(folder, 'property')
          const log = createOutputLog({ file })
          for (const [stream, text] of chunks) log.write(stream, text)
          await log.close()
          const of = (stream: 'out' | 'err') =>
            chunks.flatMap(([from, text]) => (from === stream ? [text] : [])).join('')
          const lines = chunks.every(([, text]) => text === '')
            ? []
            : readFileSync(file, 'utf8').split('\n')
          const out = lines.filter((line) => !line.startsWith('[stderr] '))
          const err = lines
            .filter((line) => line.startsWith('[stderr] '))
            .map((line) => line.slice('[stderr] '.length))
          rmSync(file, { force: true })
          const whole = (text: string) => text.split('\n').filter((line) => line !== '')
          expect(out.filter((line) => line !== '')).toEqual(whole(of('out')))
          expect(err.filter((line) => line !== '')).toEqual(whole(of('err')))
        },
      ),
    )
  })

  it('asks the source to wait while the disk is behind', async () => {
    const { log, read } = open()
    const chunk = Buffer.alloc(1_000_000, 'y\n')
    const fits = Array.from({ length: 6 }, () => log.write('out', chunk))
    expect(fits[0]).toBe(true)
    expect(fits.at(-1)).toBe(false)
    await log.drained()
    expect(log.write('out', chunk)).toBe(true)
    await log.close()
    expect(read().length).toBe(7_000_000)
  })

  it('says in the last lines when the file can not be written', async () => {
    const log = createOutputLog({ file: join(folder, 'missing', 'output') })
    log.write('out', 'said all the same\n')
    await log.drained()
    await log.close()
    expect(log.tail(10)).toMatch(
      /said all the same\n\[exomonad\] the output file .*output can not be written: ENOENT.*Only the last lines are kept/,
    )
  })
})

import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { asPaneId, type PaneId } from '../../../src/domain/ids.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import type { Bench } from './bench.ts'

const START = '\u001B[200~'
const END = '\u001B[201~'

/** 200 lines of what shells, formats and command parsers love to interpret. */
const hostileText = Array.from(
  { length: 200 },
  (_, index) =>
    `${String(index)}: it's "quoted" \`id\` $(touch x) \${HOME} $1 #{pane_id} #[x] %1 ~ ; \\n \\ é 日本 🌳 e\u0301 -- {a,b} | & > < * ? !! 'x;`,
).join('\n')

const gone = {
  tmux: asPaneId('%987654'),
  headless: asPaneId('p-00000000'),
  runner: asPaneId('r-00000000'),
}

export function describeTyping(bench: Bench): void {
  /** Of what a terminal does with what is typed; the runner hands on what it is given. */
  const onTerminals = it.skipIf(bench.kind === 'runner')

  onTerminals(
    'pastes 200 hostile lines as one bracketed paste, byte for byte, and Enter separately',
    async () => {
      const recorder = await bench.openRecorder()
      const before = await bench.openRecorder()
      expect(await bench.multiplexer.paste(recorder.paneId, hostileText)).toEqual({ kind: 'typed' })
      await waitFor('the paste', () => recorder.recorded().endsWith(END))
      expect(recorder.recorded()).toBe(`${START}${hostileText}${END}`)
      expect(await bench.multiplexer.pressEnter(recorder.paneId)).toEqual({ kind: 'typed' })
      expect(await bench.multiplexer.pressEscape(recorder.paneId)).toEqual({ kind: 'typed' })
      await waitFor('the keys', () => recorder.recorded().endsWith('\r\u001B'))
      expect(recorder.recorded()).toBe(`${START}${hostileText}${END}\r\u001B`)
      expect(before.recorded()).toBe('')
    },
  )

  it('remembers in each pane which pastes were its last, and which were submitted, for a daemon that was killed meanwhile', async () => {
    const [one, other] = [await bench.openRecorder(), await bench.openRecorder()]
    const traceOf = async ({ paneId }: { paneId: PaneId }) => {
      const { pasted, entered } = (await bench.another().inspect(paneId)) ?? {}
      return [pasted, entered]
    }
    await bench.multiplexer.paste(one.paneId, 'first', 'batch-1')
    await bench.multiplexer.pressEnter(one.paneId, 'batch-1')
    await bench.multiplexer.paste(one.paneId, 'second', 'batch-2')
    expect(await traceOf(one)).toEqual([['batch-1', 'batch-2'], ['batch-1']])
    expect(await traceOf(other)).toEqual([[], []])
    await bench.multiplexer.pressEnter(one.paneId)
    expect(await traceOf(one)).toEqual([['batch-1', 'batch-2'], ['batch-1']])
    await bench.multiplexer.pressEnter(one.paneId, 'batch-2')
    await bench.multiplexer.paste(other.paneId, 'third', 'batch-3')
    expect(await traceOf(one)).toEqual([
      ['batch-1', 'batch-2'],
      ['batch-1', 'batch-2'],
    ])
    expect(await traceOf(other)).toEqual([['batch-3'], []])
    // As many as are kept, the newest: a daemon that is killed again and again leaves more than one
    // behind.
    const keys = Array.from(
      { length: 25 },
      (_, index) => `00000000-0000-4000-8000-0000000000${String(index).padStart(2, '0')}`,
    )
    for (const key of keys) await bench.multiplexer.paste(other.paneId, 'x', key)
    expect((await traceOf(other))[0]?.slice(-20)).toEqual(keys.slice(-20))
  })

  it('does not bracket for a program that did not ask for it', async () => {
    const recorder = await bench.openRecorder('plain')
    await bench.multiplexer.paste(recorder.paneId, 'one\ntwo')
    await waitFor('the text', () => recorder.recorded().endsWith('two'))
    expect(recorder.recorded()).toBe('one\ntwo')
  })

  it('pastes text that starts with dashes, ends with a semicolon, or is empty', async () => {
    const recorder = await bench.openRecorder('plain')
    for (const text of ['-x', '--', ';', 'x;', '', '~', '"', '%5'])
      expect(await bench.multiplexer.paste(recorder.paneId, text)).toEqual({ kind: 'typed' })
    await waitFor('the text', () => recorder.recorded().endsWith('%5'))
    expect(recorder.recorded()).toBe('-x--;x;~"%5')
  })

  onTerminals('loses nothing of 2 MB pasted into a program that reads late', async () => {
    const recorder = await bench.openRecorder('slow')
    const text = Array.from(
      { length: 20_000 },
      (_, index) => `${String(index)} ${'größe 🌳 '.repeat(8)}`,
    ).join('\n')
    expect(await bench.multiplexer.paste(recorder.paneId, text)).toEqual({ kind: 'typed' })
    expect(await bench.multiplexer.pressEnter(recorder.paneId)).toEqual({ kind: 'typed' })
    writeFileSync(`${recorder.file}.go`, '')
    await waitFor('the whole text', () => recorder.recorded().endsWith('\r'))
    expect(recorder.recorded() === `${START}${text}${END}\r`).toBe(true)
  })

  onTerminals('keeps pastes to many panes apart when they are made at the same time', async () => {
    const recorders = await Promise.all(Array.from({ length: 5 }, () => bench.openRecorder()))
    await Promise.all(
      recorders.flatMap(({ paneId, agentId }) => [
        bench.multiplexer.paste(paneId, `first ${agentId}`),
        bench.multiplexer.paste(paneId, `second ${agentId}`),
      ]),
    )
    for (const { recorded, agentId } of recorders) {
      await waitFor('both pastes', () => recorded().split(END).length === 3)
      expect(recorded()).toBe(`${START}first ${agentId}${END}${START}second ${agentId}${END}`)
    }
  })

  it('types nothing into a dead pane, and everything else lives on', async () => {
    const other = await bench.openRecorder()
    const { paneId } = await bench.open({ argv: ['/bin/sh', '-c', 'exit 3'] })
    await waitFor(
      'the pane to be dead',
      async () => (await bench.multiplexer.inspect(paneId))?.dead,
    )
    expect(await bench.multiplexer.paste(paneId, 'text')).toEqual({ kind: 'dead' })
    expect(await bench.multiplexer.paste(paneId, '')).toEqual({ kind: 'dead' })
    expect(await bench.multiplexer.pressEnter(paneId)).toEqual({ kind: 'dead' })
    expect(await bench.multiplexer.pressEscape(paneId)).toEqual({ kind: 'dead' })
    expect(await bench.multiplexer.paste(other.paneId, 'still here')).toEqual({ kind: 'typed' })
    await waitFor('the other paste', () => other.recorded().includes('still here'))
  })

  it('survives panes that die while they are pasted to', async () => {
    const other = await bench.openRecorder()
    for (let round = 0; round < 10; round += 1) {
      const { paneId, pid } = await bench.open({ argv: ['/bin/cat'] })
      const pastes = [
        bench.multiplexer.paste(paneId, 'one'),
        bench.multiplexer.paste(paneId, 'two'),
      ]
      process.kill(pid, 'SIGKILL')
      pastes.push(bench.multiplexer.paste(paneId, 'three'))
      for (const result of await Promise.all(pastes))
        expect(['typed', 'dead']).toContain(result.kind)
    }
    expect(await bench.multiplexer.paste(other.paneId, 'still here')).toEqual({ kind: 'typed' })
  })

  it('returns gone for panes that are not there', async () => {
    const { paneId } = await bench.open({ argv: ['/bin/cat'] })
    await bench.multiplexer.close(paneId)
    for (const missing of [paneId, gone[bench.kind], asPaneId('no pane id'), asPaneId('')]) {
      expect(await bench.multiplexer.paste(missing, 'text')).toEqual({ kind: 'gone' })
      expect(await bench.multiplexer.pressEnter(missing)).toEqual({ kind: 'gone' })
      expect(await bench.multiplexer.inspect(missing)).toBeUndefined()
      await expect(bench.multiplexer.capture(missing)).rejects.toMatchObject({ code: 'PANE_GONE' })
      await bench.multiplexer.close(missing)
    }
  })

  onTerminals(
    'addresses panes by id: a name, or the beginning of one, reaches nobody',
    async () => {
      const one = await bench.openRecorder()
      const ten = await bench.openRecorder()
      await bench.multiplexer.rename(ten.paneId, 'app-10')
      for (const name of ['app-1', 'app-10', 'app', 'exomonad:app-10'])
        expect(await bench.multiplexer.paste(asPaneId(name), 'text')).toEqual({ kind: 'gone' })
      await bench.multiplexer.rename(one.paneId, 'app-1')
      expect(await bench.multiplexer.paste(one.paneId, 'for one')).toEqual({ kind: 'typed' })
      await waitFor('the paste', () => one.recorded().includes('for one'))
      await bench.multiplexer.close(one.paneId)
      expect(await bench.multiplexer.paste(one.paneId, 'for nobody')).toEqual({ kind: 'gone' })
      expect(await bench.multiplexer.paste(ten.paneId, 'for ten')).toEqual({ kind: 'typed' })
      await waitFor('the paste', () => ten.recorded().endsWith(END))
      expect(ten.recorded()).toBe(`${START}for ten${END}`)
    },
  )

  onTerminals(
    'captures the screen and as much scrollback as asked for, without escape sequences',
    async () => {
      const { paneId } = await bench.open({
        columns: 40,
        rows: 10,
        argv: [
          '/bin/sh',
          '-c',
          `printf '\\033[31mcolour\\033[0m é日本🌳\\n'; i=0; while [ $i -lt 50 ]; do echo "line $i"; i=$((i+1)); done; printf '%%end 1 1 1\\n'; exec cat`,
        ],
      })
      const screen = await waitFor('the last line', async () => {
        const text = await bench.multiplexer.capture(paneId)
        return text.includes('%end 1 1 1') ? text : undefined
      })
      expect(screen.split('\n')).toEqual([
        ...Array.from({ length: 8 }, (_, index) => `line ${String(42 + index)}`),
        '%end 1 1 1',
      ])
      const five = await bench.multiplexer.capture(paneId, { lines: 5 })
      expect(five.split('\n')[0]).toBe('line 37')
      const all = await bench.multiplexer.capture(paneId, { lines: 1000 })
      expect(all.split('\n')[0]).toBe('colour é日本🌳')
      expect(all.split('\n')).toHaveLength(52)
    },
  )

  it('joins lines that the terminal wrapped', async () => {
    const { paneId } = await bench.open({
      columns: 20,
      rows: 10,
      argv: [
        '/bin/sh',
        '-c',
        'echo 0123456789012345678901234567890123456789xyz; echo next; exec cat',
      ],
    })
    expect(
      await waitFor('the text', async () => {
        const text = await bench.multiplexer.capture(paneId)
        return text.includes('next') ? text : undefined
      }),
    ).toBe('0123456789012345678901234567890123456789xyz\nnext')
  })
}

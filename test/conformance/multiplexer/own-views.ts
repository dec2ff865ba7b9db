import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import xterm from '@xterm/headless'
import { afterEach, expect, it } from 'vitest'
import type { PaneView, ViewState } from '../../../src/adapters/terminals/pane-view.ts'
import { asPaneId, newAgentId, type PaneId } from '../../../src/domain/ids.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { fixture, type Bench } from './bench.ts'

/** A person at a surface of ours: what it would draw, and what it was told. */
interface Person {
  readonly view: PaneView
  readonly states: ViewState[]
  readonly ends: string[]
  readonly bytes: () => number
  /** What stands on the screen. */
  text(): string
}

/** What a surface of ours shows of a pane. */
export function describeOwnViews(bench: Bench): void {
  const views: PaneView[] = []
  afterEach(() => {
    for (const view of views.splice(0)) view.close()
  })

  const look = async (
    paneId: PaneId,
    { readOnly = true, columns = 90, rows = 25, multiplexer = bench.multiplexer } = {},
  ): Promise<Person> => {
    const screen = new xterm.Terminal({
      cols: columns,
      rows,
      allowProposedApi: true,
      scrollback: 0,
    })
    const states: ViewState[] = []
    const ends: string[] = []
    let bytes = 0
    const view = await multiplexer.view(paneId, {
      ...{ columns, rows, readOnly },
      onOutput: (chunk) => {
        bytes += chunk.length
        screen.write(chunk)
      },
      onState: (state) => {
        states.push(state)
        if (readOnly) screen.resize(state.columns, state.rows)
      },
      onEnd: (reason) => ends.push(reason),
    })
    views.push(view)
    const text = () =>
      Array.from(
        { length: screen.rows },
        (_, row) => screen.buffer.active.getLine(row)?.translateToString(true) ?? '',
      ).join('\n')
    return { view, states, ends, bytes: () => bytes, text }
  }
  const sees = async (person: Person, text: string) =>
    await waitFor(`a person to see ${text}`, () => person.text().includes(text))

  /** A program of 100×30 that notes its sizes. */
  const openSized = async () => {
    const file = join(bench.folder, `sizes-${newAgentId()}`)
    const { paneId } = await bench.open({ argv: [process.execPath, fixture('sizes.ts'), file] })
    await waitFor('the program', async () =>
      (await bench.multiplexer.capture(paneId)).includes('sizes ready'),
    )
    const sizes = () => readFileSync(file, 'utf8').trimEnd().split('\n')
    return {
      paneId,
      sizes,
      until: async (size: string) =>
        await waitFor(`the size ${size}`, () => sizes().at(-1) === size),
    }
  }

  it('shows all of a pane to who only looks, who can neither type nor resize it, and counts for nobody', async () => {
    const recorder = await bench.openRecorder()
    const person = await look(recorder.paneId, { columns: 60, rows: 10 })
    await sees(person, 'recorder ready')
    expect(person.states[0]).toMatchObject({ columns: 100, rows: 30, title: 'agent', leads: null })
    person.view.type('never typed')
    person.view.resize(50, 10)
    await bench.multiplexer.paste(recorder.paneId, 'pasted')
    await waitFor('the paste', () => recorder.recorded().includes('pasted'))
    expect(recorder.recorded()).not.toContain('never')
    expect(await bench.multiplexer.inspect(recorder.paneId)).toMatchObject({ humanActiveAt: null })
  })

  it('follows who types: the size, who leads, and that somebody is there', async () => {
    const { paneId, sizes, until } = await openSized()
    const onlooker = await look(paneId)
    await sees(onlooker, 'sizes ready')
    const person = await look(paneId, { readOnly: false, columns: 120, rows: 40 })
    await sees(person, 'sizes ready')
    person.view.type('x')
    await until('120x40')
    await waitFor('the lead', () => person.states.at(-1)?.leads === 'this')
    await waitFor('another’s lead', () => onlooker.states.at(-1)?.leads === 'other')
    await waitFor('its size', () => onlooker.states.at(-1)?.columns === 120)
    expect(onlooker.states.at(-1)).toMatchObject({ columns: 120, rows: 40 })
    await waitFor(
      'the person',
      async () => (await bench.multiplexer.inspect(paneId))?.humanActiveAt !== null,
    )
    person.view.close()
    await until('100x30')
    await waitFor('nobody’s lead', () => onlooker.states.at(-1)?.leads === null)
    expect(sizes()).toEqual(['100x30', '120x40', '100x30'])
    expect(person.ends).toEqual([])
  })

  it('gives the program the keys of who may type, those included that came at once', async () => {
    const recorder = await bench.openRecorder()
    const person = await look(recorder.paneId, { readOnly: false })
    person.view.type('at once é ')
    await sees(person, 'recorder ready')
    person.view.type('and later')
    await waitFor('the keys', () => recorder.recorded().includes('at once é and later'))
  })

  it.skipIf(bench.kind !== 'tmux')(
    'shows which part of a shared window is the pane’s, which gets the keys and keeps its size',
    async () => {
      const first = await bench.openRecorder()
      const { paneId } = await bench.open({
        columns: 200,
        beside: first.paneId,
        argv: ['/bin/sh', '-c', 'echo beside; exec cat'],
      })
      const person = await look(paneId, { readOnly: false, columns: 50, rows: 10 })
      await waitFor('the part', () => person.states.at(-1)?.part != null)
      const state = person.states.at(-1)
      expect(state).toMatchObject({ columns: 100, rows: 30, leads: null })
      expect(state?.part).not.toMatchObject({ left: 0, top: 1 })
      person.view.type('to the second\r')
      await waitFor('the echo', async () =>
        (await bench.multiplexer.capture(paneId)).includes('to the second'),
      )
      expect(first.recorded()).toBe('')
      expect((await bench.multiplexer.inspect(paneId))?.humanActiveAt).not.toBeNull()
      expect((await bench.multiplexer.inspect(first.paneId))?.humanActiveAt).toBeNull()
      expect(person.states.at(-1)).toEqual(state)
    },
  )

  it('says when the pane goes', async () => {
    const { paneId } = await bench.open({ argv: ['/bin/sh', '-c', 'echo visible; exec cat'] })
    const person = await look(paneId)
    await sees(person, 'visible')
    await bench.multiplexer.close(paneId)
    await waitFor('the end', () => person.ends.length === 1)
  })

  it('is refused for a pane that is not there', async () => {
    const gone = asPaneId(bench.kind === 'tmux' ? '%4711' : 'p-00000000')
    await expect(look(gone)).rejects.toMatchObject({ code: 'PANE_GONE' })
  })

  it('keeps nothing for who does not read, and shows them the newest afterwards', async () => {
    const { paneId } = await bench.open({
      argv: ['/bin/sh', '-c', 'read go; seq 1 400000; echo done; exec cat'],
    })
    const person = await look(paneId, { readOnly: false })
    await waitFor('the screen', () => person.states.length > 0)
    person.view.pause()
    person.view.type('\r')
    await waitFor('the program', async () =>
      (await bench.multiplexer.capture(paneId)).includes('done'),
    )
    const before = person.bytes()
    person.view.resume()
    await sees(person, 'done')
    // It wrote 2.7 MB.
    expect(person.bytes() - before).toBeLessThan(2_000_000)
  })
}

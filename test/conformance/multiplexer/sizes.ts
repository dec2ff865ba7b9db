import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, expect, it } from 'vitest'
import {
  createHostedTerminal,
  type HostedTerminal,
} from '../../../src/adapters/terminals/detached/hosted-terminal.ts'
import type { Multiplexer } from '../../../src/adapters/terminals/holder.ts'
import { newAgentId, type PaneId } from '../../../src/domain/ids.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { fixture, type Bench } from './bench.ts'
import { scrubbedEnvironment, socketNameOf } from './create.ts'

/**
 * A terminal has the size of the person who looks, while they look. The last row of theirs is the
 * status line, or the hint.
 */
export function describeSizes(bench: Bench): void {
  const people: HostedTerminal[] = []
  afterEach(() => {
    for (const person of people.splice(0)) person.dispose()
  })

  const attach = (
    paneId: PaneId,
    columns: number,
    rows: number,
    argv = bench.multiplexer.attachCommand(paneId) ?? [],
  ): HostedTerminal => {
    const person = createHostedTerminal({
      argv,
      cwd: '/',
      env: { ...scrubbedEnvironment(bench.folder), TERM: 'xterm-256color' },
      columns,
      rows,
      onOutput: () => undefined,
    })
    people.push(person)
    return person
  }
  const readOnly = (paneId: PaneId): readonly string[] =>
    bench.kind === 'tmux'
      ? [
          'tmux',
          '-u',
          '-L',
          socketNameOf(bench.folder),
          'attach-session',
          '-r',
          '-t',
          `=exomonad:.${paneId}`,
        ]
      : [...(bench.multiplexer.attachCommand(paneId) ?? []), '--read-only']

  /** A program of 100×30 that notes its sizes. */
  const openSized = async (multiplexer: Multiplexer = bench.multiplexer) => {
    const agentId = newAgentId()
    const file = join(bench.folder, `sizes-${agentId}`)
    const argv = [process.execPath, fixture('sizes.ts'), file]
    const { paneId } = await multiplexer.open({
      agentId,
      name: 'agent',
      cwd: bench.folder,
      env: {},
      columns: 100,
      rows: 30,
      argv,
    })
    const sizes = () => readFileSync(file, 'utf8').trimEnd().split('\n')
    await waitFor('the program', async () =>
      (await multiplexer.capture(paneId)).includes('sizes ready'),
    )
    return {
      paneId,
      sizes,
      until: async (size: string) =>
        await waitFor(`the size ${size}`, () => sizes().at(-1) === size),
    }
  }
  const sees = async (person: HostedTerminal) =>
    await waitFor('the screen', async () => (await person.capture(0)).includes('sizes ready'))

  it('follows the person who looks, and goes back to its own size when they leave', async () => {
    const { paneId, sizes, until } = await openSized()
    const person = attach(paneId, 80, 24)
    await until('80x23')
    await person.resize(120, 41)
    await until('120x40')
    person.dispose()
    await until('100x30')
    // All of it is shown to each who comes, also where nothing changes for the program.
    const next = attach(paneId, 100, 31)
    await sees(next)
    next.dispose()
    const last = attach(paneId, 90, 31)
    await until('90x30')
    await sees(last)
    // Each change was reported once.
    expect(sizes()).toEqual(['100x30', '80x23', '120x40', '100x30', '90x30'])
  })

  it('is never made smaller than 80×20', async () => {
    const { paneId, sizes, until } = await openSized()
    const person = attach(paneId, 60, 10)
    await until('80x20')
    await person.resize(60, 41)
    await until('80x40')
    await person.resize(120, 10)
    await until('120x20')
    expect(sizes()).toEqual(['100x30', '80x20', '80x40', '120x20'])
  })

  it('follows the one of several who typed last', async () => {
    const { paneId, until } = await openSized()
    const first = attach(paneId, 90, 26)
    await until('90x25')
    const second = attach(paneId, 110, 36)
    await until('110x35')
    await first.type('x', { paste: false })
    await until('90x25')
    await second.type('x', { paste: false })
    await until('110x35')
    second.dispose()
    await until('90x25')
    first.dispose()
    await until('100x30')
  })

  it('does not follow those who only read, nor a terminal that nobody can read in', async () => {
    const { paneId, sizes, until } = await openSized()
    const reader = attach(paneId, 85, 26, readOnly(paneId))
    await sees(reader)
    await reader.type('x', { paste: false })
    const tiny = attach(paneId, 2, 1)
    // In two columns and a row there is nothing to be seen but that it draws.
    await waitFor('the tiny one', () => tiny.screen.buffer.active.type === 'alternate')
    await tiny.type('x', { paste: false })
    const person = attach(paneId, 90, 26)
    await until('90x25')
    await reader.resize(95, 28)
    person.dispose()
    await until('100x30')
    expect(sizes()).toEqual(['100x30', '90x25', '100x30'])
  })

  it('reports fifty changes in a row to the program as one', async () => {
    const { paneId, sizes, until } = await openSized()
    const person = attach(paneId, 90, 26)
    await until('90x25')
    for (let columns = 91; columns <= 140; columns += 1) await person.resize(columns, 26)
    await until('140x25')
    const [own, first, ...reported] = sizes()
    expect([own, first, reported.at(-1)]).toEqual(['100x30', '90x25', '140x25'])
    // A machine that is busy for longer than the pause that is waited for makes several drags of
    // one.
    expect(reported.length).toBeLessThanOrEqual(5)
  })

  it('goes back to its own size also where the daemon ended before the person left', async () => {
    const daemon = bench.another()
    await daemon.start()
    const { paneId, until } = await openSized(daemon)
    const person = attach(paneId, 90, 26)
    await until('90x25')
    await daemon.dispose()
    await bench.multiplexer.dispose()
    process.kill(person.pid, 'SIGKILL')
    await until('100x30')
  })

  it('is opened with the size that was asked for while somebody looks at another', async () => {
    const { paneId, until } = await openSized()
    attach(paneId, 90, 26)
    await until('90x25')
    const { paneId: later } = await bench.open({
      columns: 120,
      rows: 33,
      argv: ['/bin/sh', '-c', 'stty size; exec cat'],
    })
    await waitFor('the size', async () => (await bench.multiplexer.capture(later)) !== '')
    expect(await bench.multiplexer.capture(later)).toBe('33 120')
  })
}

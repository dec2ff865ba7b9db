import process from 'node:process'
import { afterEach, expect, it } from 'vitest'
import {
  createHostedTerminal,
  type HostedTerminal,
} from '../../../src/adapters/terminals/detached/hosted-terminal.ts'
import type { PaneId } from '../../../src/domain/ids.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import type { Bench } from './bench.ts'
import { scrubbedEnvironment } from './create.ts'

const LEAVE_KEYS = { tmux: '\u0002d', headless: '\u001D', runner: '\u0003' }

export function describeAttaching(bench: Bench): void {
  const people: HostedTerminal[] = []
  afterEach(() => {
    for (const person of people.splice(0)) person.dispose()
  })

  /**
   * A person in a terminal of their own, in another environment than the daemon's, who runs what
   * attach prints.
   */
  const attach = (
    paneId: PaneId,
    size = { columns: 90, rows: 25 },
    argv = bench.multiplexer.attachCommand(paneId) ?? [],
  ): HostedTerminal => {
    const person = createHostedTerminal({
      argv,
      cwd: '/',
      env: {
        PATH: scrubbedEnvironment('')['PATH'] ?? '',
        HOME: bench.folder,
        TERM: 'xterm-256color',
        TMUX: '/somewhere/else,1,0',
      },
      ...size,
      onOutput: () => undefined,
    })
    people.push(person)
    return person
  }
  const sees = async (person: HostedTerminal, text: string) =>
    await waitFor(`a person to see ${text}`, async () => (await person.capture(0)).includes(text))

  it('shows a person the pane, hands on what they type, and knows that they are there', async () => {
    const recorder = await bench.openRecorder()
    const other = await bench.openRecorder()
    const before = Date.now()
    const person = attach(recorder.paneId)
    await sees(person, 'recorder ready')
    await person.type('typed by a person é', { paste: false })
    await waitFor('the text', () => recorder.recorded().includes('typed by a person é'))
    const activeAt = await waitFor(
      'the activity',
      async () => (await bench.multiplexer.inspect(recorder.paneId))?.humanActiveAt,
    )
    // tmux counts in seconds.
    expect(activeAt).toBeGreaterThanOrEqual(before - 1000)
    expect(activeAt).toBeLessThanOrEqual(Date.now())
    expect((await bench.multiplexer.inspect(other.paneId))?.humanActiveAt).toBeNull()
    expect(other.recorded()).toBe('')

    await person.type(LEAVE_KEYS[bench.kind], { paste: false })
    await person.end
    expect(person.ended).toEqual({ exitCode: 0, exitSignal: null })
    await waitFor(
      'nobody to be there',
      async () => (await bench.multiplexer.inspect(recorder.paneId))?.humanActiveAt === null,
    )
    expect(recorder.recorded()).toBe('typed by a person é')
  })

  // In tmux the mouse is tmux's own.
  it.skipIf(bench.kind !== 'headless')(
    'sends what the mouse does to a program that asks for it, and no longer than it asks, nor for who may only look',
    async () => {
      const words = String.raw`stty raw -echo; printf 'on \033[?1002h\033[?1006h'; head -c 8 >/dev/null; printf 'off \033[?1002l'; exec cat >/dev/null`
      const { paneId } = await bench.open({ argv: ['/bin/sh', '-c', words] })
      const argv = bench.multiplexer.attachCommand(paneId) ?? []
      const [person, onlooker] = [
        attach(paneId),
        attach(paneId, undefined, [...argv, '--read-only']),
      ]
      await Promise.all([person, onlooker].map((one) => sees(one, 'on')))
      const tracking = (one: HostedTerminal) => [one.screen.modes.mouseTrackingMode, one.sgrMouse]
      await waitFor('the mouse', () => tracking(person).join() === 'drag,true')
      expect(tracking(onlooker)).toEqual(['none', false])
      await person.type('\u001B[<0;5;5', { paste: false })
      await sees(person, 'off')
      await waitFor('the mouse to be let go', () => tracking(person).join() === 'none,false')
    },
  )

  it('goes on when the terminal of the person is torn away', async () => {
    const recorder = await bench.openRecorder()
    const person = attach(recorder.paneId)
    await sees(person, 'recorder ready')
    process.kill(person.pid, 'SIGKILL')
    await waitFor(
      'nobody to be there',
      async () => (await bench.multiplexer.inspect(recorder.paneId))?.humanActiveAt === null,
    )
    await bench.multiplexer.paste(recorder.paneId, 'still')
    await waitFor('the paste', () => recorder.recorded().includes('still'))
  })

  it('ends, or shows where it is, when the pane is closed', async () => {
    const { paneId } = await bench.open({ argv: ['/bin/sh', '-c', 'echo visible; exec cat'] })
    const person = attach(paneId)
    await sees(person, 'visible')
    await bench.multiplexer.close(paneId)
    // A session with other windows goes on with one of those.
    await waitFor(
      'the end, or the first window',
      async () =>
        person.ended !== undefined || (await person.capture(0)).includes('Agents of exomonad'),
    )
  })
}

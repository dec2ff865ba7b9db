import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHostedTerminal } from '../../src/adapters/terminals/detached/hosted-terminal.ts'
import type { DetachedHolder } from '../../src/adapters/terminals/headless.ts'
import type { Multiplexer } from '../../src/adapters/terminals/holder.ts'
import type { PaneId } from '../../src/domain/ids.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { isAlive } from '../helpers/processes.ts'
import { scrubbedEnvironment } from './multiplexer/create.ts'
import { begin, createRuntime, WORDS, type Begun, type RuntimeKind } from './runtime/kinds.ts'

const OWNER = fileURLToPath(new URL('../fixtures/runtime/owner.ts', import.meta.url))

/**
 * What is the same for an agent in a terminal, a process on pipes and a session of the Agent Client
 * Protocol.
 */
export function describeRuntime(kind: RuntimeKind): void {
  const words = WORDS[kind]
  let folder = ''
  let multiplexer: Multiplexer
  const others: Multiplexer[] = []

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'r-'))
    multiplexer = createRuntime(kind, folder)
    await multiplexer.start()
  })
  afterEach(async () => {
    for (const other of others.splice(0)) await other.dispose()
    await multiplexer.shutdown()
    await multiplexer.dispose()
    rmSync(folder, { recursive: true, force: true })
  })

  /** On a line of its own: its input may be shown as well. */
  const shows = (paneId: PaneId, text: string, of = multiplexer): Promise<string> =>
    waitFor(`the screen to show ${text}`, async () => {
      const screen = await of.capture(paneId, { lines: 1000 })
      return count(screen, text) > 0 ? screen : undefined
    })
  /** Refused while it can’t take it, as a session is by a turn that is under way. */
  const send = async (paneId: PaneId, text: string, to = multiplexer): Promise<void> => {
    await waitFor(
      'it to take the text',
      async () => (await to.paste(paneId, text)).kind === 'typed',
    )
    await waitFor('it to take Enter', async () => (await to.pressEnter(paneId)).kind === 'typed')
  }
  const started = async (greeting: string): Promise<Begun> => {
    const begun = await begin(kind, multiplexer, folder, greeting)
    await shows(begun.paneId, greeting)
    return begun
  }
  const count = (text: string, word: string): number =>
    text.split('\n').filter((line) => line.trim() === word).length
  const processesWith = (word: string): number[] =>
    readdirSync('/proc')
      .map(Number)
      .filter(
        (pid) =>
          Number.isInteger(pid) &&
          pid !== process.pid &&
          commandOf(pid).includes(word) &&
          isAlive(pid),
      )

  describe(`an agent by the runtime ${kind}`, () => {
    it('begins with its prompt, and is listed as alive', async () => {
      const { paneId, agentId, pid } = await started('begun-é')
      expect(await multiplexer.inspect(paneId)).toMatchObject({ agentId, pid, dead: false })
      expect(isAlive(pid)).toBe(true)
    })

    it('takes a message once, and one after the other', async () => {
      const { paneId } = await started('begun')
      await send(paneId, words.say('first-word'))
      await shows(paneId, 'first-word')
      await send(paneId, words.say('second-word'))
      const screen = await shows(paneId, 'second-word')
      expect([count(screen, 'first-word'), count(screen, 'second-word')]).toEqual([1, 1])
    })

    it('is shown to a person who attaches, and goes on when they leave', async () => {
      const { paneId, pid } = await started('seen-by-a-person')
      const person = createHostedTerminal({
        argv: multiplexer.attachCommand(paneId) ?? [],
        cwd: '/',
        env: { PATH: scrubbedEnvironment('')['PATH'] ?? '', HOME: folder, TERM: 'xterm-256color' },
        columns: 100,
        rows: 30,
        onOutput: () => undefined,
      })
      try {
        await waitFor('the person to see it', async () =>
          (await person.capture(0)).includes('seen-by-a-person'),
        )
        await send(paneId, words.say('meanwhile'))
        await waitFor('the person to see more', async () =>
          (await person.capture(0)).includes('meanwhile'),
        )
        await person.type('\u001D', { paste: false })
        await person.end
      } finally {
        person.dispose()
      }
      expect(isAlive(pid)).toBe(true)
    })

    it('is reported when it ends, with how, and what it said last is kept', async () => {
      const deaths: unknown[] = []
      multiplexer.onDeath((death) => deaths.push(death))
      const { paneId, agentId } = await started('last-words')
      await send(paneId, words.exit(7))
      await waitFor('the death', () => deaths.length > 0)
      expect(deaths).toEqual([{ paneId, agentId, exitCode: 7, exitSignal: null }])
      expect(await multiplexer.inspect(paneId)).toMatchObject({ dead: true, exitCode: 7 })
      expect(await multiplexer.capture(paneId, { lines: 1000 })).toContain('last-words')
      expect(await multiplexer.paste(paneId, 'more')).toEqual({ kind: 'dead' })
    })

    it.runIf(process.platform === 'linux')(
      'leaves nothing when it is killed, not what it started in sessions of its own either',
      async () => {
        const { paneId, pid } = await started('begun')
        const word = `left-by-${kind}-${pid}`
        await send(paneId, words.leave(word))
        await waitFor('what it leaves behind', () => processesWith(word).length > 0)
        await multiplexer.close(paneId)
        expect([isAlive(pid), processesWith(word)]).toEqual([false, []])
        expect(await multiplexer.list()).toEqual([])
        expect(await multiplexer.paste(paneId, 'more')).toEqual({ kind: 'gone' })
      },
    )

    it('goes on when the daemon is killed, and is found and spoken to by the next', async () => {
      const owner = spawn(process.execPath, [OWNER, kind, folder, 'owned'], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { PATH: process.env['PATH'] },
      })
      const exited = once(owner, 'exit')
      const lines = createInterface({ input: owner.stdout })
      const early = exited.then(([code]) =>
        Promise.reject(
          new Error(`the daemon ended with ${String(code)} before it had begun an agent`),
        ),
      )
      const [line] = (await Promise.race([once(lines, 'line'), early])) as [string]
      lines.close()
      owner.kill('SIGKILL')
      await exited
      const begun = JSON.parse(line) as Begun
      const next = createRuntime(kind, folder)
      others.push(next)
      await next.start()
      const deaths: unknown[] = []
      next.onDeath((death) => deaths.push(death))
      expect(await next.list()).toMatchObject([{ ...begun, dead: false }])
      await shows(begun.paneId, 'owned', next)
      await send(begun.paneId, words.say('adopted'), next)
      await shows(begun.paneId, 'adopted', next)
      await send(begun.paneId, words.exit(3), next)
      await waitFor('the death', () => deaths.length > 0)
      expect(deaths).toEqual([
        { paneId: begun.paneId, agentId: begun.agentId, exitCode: 3, exitSignal: null },
      ])
    })

    it.skipIf(kind === 'process')(
      'has no standard input of its own: only a process is written to',
      async () => {
        const { paneId } = await started('hello')
        expect(await (multiplexer as DetachedHolder).writeStdin(paneId, 'say not this\n')).toEqual({
          kind: 'closed',
        })
        await send(paneId, words.say('but this'))
        expect(await shows(paneId, 'but this')).not.toContain('not this')
      },
    )
  })
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}

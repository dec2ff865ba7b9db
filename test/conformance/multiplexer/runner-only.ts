import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, describe, expect, it } from 'vitest'
import {
  createHostedTerminal,
  type HostedTerminal,
} from '../../../src/adapters/terminals/detached/hosted-terminal.ts'
import type { OpenPane } from '../../../src/adapters/terminals/holder.ts'
import { createDetached } from '../../../src/adapters/terminals/detached/detached.ts'
import type { DetachedHolder } from '../../../src/adapters/terminals/headless.ts'
import { asPaneId, newAgentId, type PaneId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { fillDisk, mountSmallDisk, unmountSmallDisk, whyNoDisk } from '../../helpers/small-disk.ts'
import { programs } from '../../helpers/programs.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { isAlive } from '../../helpers/processes.ts'
import type { Bench } from './bench.ts'
import { scrubbedEnvironment, withoutTerminals } from './create.ts'

const noDisk = whyNoDisk()

export function describeRunnerOnly(bench: Bench): void {
  const runner = () => bench.multiplexer as DetachedHolder
  const record = () =>
    JSON.parse(readFileSync(join(bench.folder, 'detached-host.json'), 'utf8')) as {
      pid: number
      socket: string
    }
  const output = () => join(bench.folder, 'output')
  const shell = (script: string, more: Partial<OpenPane> = {}) =>
    bench.open({
      argv: ['/bin/sh', '-c', script],
      program: { kind: 'process' },
      output: output(),
      ...more,
    })
  const ended = (paneId: PaneId, limit = 45_000) =>
    waitFor('the end', async () => (await runner().inspect(paneId))?.dead === true, { limit })
  const shows = (paneId: PaneId, text: string) =>
    waitFor(`it to say ${text}`, async () => {
      const said = await runner().capture(paneId)
      return said.includes(text) ? said : undefined
    })
  const pidIn = (name: string) =>
    waitFor(
      `the process of ${name}`,
      () =>
        existsSync(join(bench.folder, name)) &&
        Number(readFileSync(join(bench.folder, name), 'utf8')),
    )
  /** Says its id in a file that appears whole, ignores what asks it to end, and stays. */
  const stays = (name: string) =>
    `trap "" TERM HUP; echo $$ > ${name}~; mv ${name}~ ${name}; while :; do sleep 0.05; done`

  describe('its process', () => {
    it('is not started for a look, only for the first thing that it holds', async () => {
      const stateDir = join(bench.folder, 'unused')
      const other = withoutTerminals(
        createDetached({
          stateDir,
          environment: scrubbedEnvironment(bench.folder),
          node: process.execPath,
          programs,
          log: silentLog(),
        }),
      )
      await other.adopt()
      expect(await other.list()).toEqual([])
      expect(await other.inspect(asPaneId('r-00000000'))).toBeUndefined()
      expect(await other.session(asPaneId('r-00000000'))).toBeUndefined()
      expect(await other.writeStdin(asPaneId('r-00000000'), 'x')).toEqual({ kind: 'gone' })
      await other.close(asPaneId('r-00000000'))
      expect(existsSync(stateDir)).toBe(false)
      const deaths: unknown[] = []
      other.onDeath((death) => deaths.push(death))
      const { paneId } = await other.open({
        agentId: newAgentId(),
        name: 'x',
        cwd: bench.folder,
        env: {},
        argv: ['/bin/cat'],
        columns: 80,
        rows: 24,
      })
      expect(await other.list()).toMatchObject([{ paneId, dead: false }])
      await other.shutdown()
      await waitFor('the death', () => deaths.length === 1)
      await other.dispose()
    })

    it('when it is killed, all that it held counts as gone, and what goes on is found by its mark and ended', async () => {
      const deaths: string[] = []
      runner().onDeath(({ paneId }) => deaths.push(paneId))
      const { paneId, agentId } = await shell(stays('left'))
      await shell('exec cat')
      const left = await pidIn('left')
      process.kill(record().pid, 'SIGKILL')
      await waitFor('the deaths', () => deaths.length === 2)
      expect(await runner().list()).toEqual([])
      expect(await runner().writeStdin(paneId, 'x')).toEqual({ kind: 'gone' })
      expect(isAlive(left)).toBe(true)
      await runner().endLeftBehind(agentId)
      expect(isAlive(left)).toBe(false)
      const again = await shell('exec cat')
      expect(await runner().list()).toMatchObject([{ paneId: again.paneId }])
    })

    it('serves two daemons at once', async () => {
      const other = bench.another() as DetachedHolder
      const { paneId } = await shell('exec cat')
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? runner() : other).writeStdin(paneId, `line ${String(index)}\n`),
        ),
      )
      const said = await waitFor('all lines', async () => {
        const text = await other.capture(paneId)
        return text.split('\n').length === 20 ? text : undefined
      })
      expect(said.split('\n').toSorted()).toEqual(
        Array.from({ length: 20 }, (_, index) => `line ${String(index)}`).toSorted(),
      )
    })
  })

  describe('output', () => {
    it('loses nothing of 100 MB: the file has every byte, memory the last 1000 lines', async () => {
      const { paneId } = await shell(
        `i=0; while [ $i -lt 10 ]; do seq -f "line %.0f $i 0123456789012345678901234567890123456789012345678901234567890123456789" 130000; i=$((i+1)); done | tee copy`,
      )
      // A machine that is busy takes its time for as much.
      await ended(paneId, 150_000)
      const written = readFileSync(output())
      expect(written.length).toBeGreaterThan(100_000_000)
      const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
      expect(hash(written)).toBe(hash(readFileSync(join(bench.folder, 'copy'))))
      const lines = (await runner().capture(paneId, { lines: 100_000 })).split('\n')
      expect(lines).toHaveLength(1000)
      expect(lines.at(-1)).toMatch(/^line 130000 9 /)
      expect(lines[0]).toMatch(/^line 129001 9 /)
    }, 180_000)

    it('keeps the lines of both streams in order, those of stderr marked', async () => {
      // What both said before either was read is in no order; a line without its end is kept back
      // for a moment.
      const { paneId } = await shell(
        'echo one; read -r _; echo two >&2; read -r _; printf three; read -r _; echo four >&2; read -r _; echo " five"; read -r _; printf "six" >&2',
      )
      for (const word of ['one', 'two', 'three', 'four', 'five']) {
        await waitFor(`${word} in the file`, () => readFileSync(output(), 'utf8').includes(word))
        await runner().writeStdin(paneId, '\n')
      }
      await ended(paneId)
      const expected = 'one\n[stderr] two\nthree\n[stderr] four\n five\n[stderr] six'
      expect(await runner().capture(paneId)).toBe(expected)
      expect(readFileSync(output(), 'utf8')).toBe(expected)
    })

    it('never mixes lines of the two streams within a line', async () => {
      const { paneId } = await shell(
        'seq -f "out %.0f aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" 30000 & seq -f "err %.0f bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" 30000 >&2 & wait',
      )
      await ended(paneId)
      const lines = readFileSync(output(), 'utf8').trimEnd().split('\n')
      expect(lines).toHaveLength(60_000)
      expect(lines.filter((line) => !/^(out \d+ a+|\[stderr\] err \d+ b+)$/.test(line))).toEqual([])
    })

    it('takes what is no text, has no line end, and lines of a megabyte', async () => {
      const { paneId } = await shell(
        `node -e 'const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)); process.stdout.write(Buffer.concat([all, all, Buffer.alloc(1_000_000, "x"), Buffer.from("\\nend")]))'`,
      )
      await ended(paneId)
      const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
      expect(
        readFileSync(output()).equals(
          Buffer.concat([all, all, Buffer.alloc(1_000_000, 'x'), Buffer.from('\nend')]),
        ),
      ).toBe(true)
      const said = await runner().capture(paneId, { lines: 1000 })
      expect(said.endsWith('x …\nend')).toBe(true)
      expect(said.length).toBeLessThan(10_000)
      expect(said).not.toMatch(/[\u0000-\u0008\u000B-\u001F]/)
    })

    it('shows a question without a line end at once', async () => {
      const { paneId } = await shell('printf "your name? "; read -r name; echo "hello $name"')
      await shows(paneId, 'your name?')
      await runner().writeStdin(paneId, 'Ada\n')
      expect(await shows(paneId, 'hello')).toBe('your name? hello Ada')
    })

    it('is on pipes, which programs may open again', async () => {
      const { paneId } = await shell(
        'echo to stderr > /dev/stderr; echo to stdout > /dev/stdout; head -n 1 < /dev/stdin',
      )
      await runner().writeStdin(paneId, 'from stdin\n')
      await ended(paneId)
      expect((await runner().capture(paneId)).split('\n').toSorted()).toEqual([
        '[stderr] to stderr',
        'from stdin',
        'to stdout',
      ])
    })

    it.skipIf(noDisk !== null)(
      'a full disk costs the file, not the program: the last lines say so',
      async () => {
        const disk = join(bench.folder, 'disk')
        mkdirSync(disk)
        mountSmallDisk(disk, 2)
        try {
          const { paneId } = await shell('seq 400000; echo all said; exec cat', {
            output: join(disk, 'output'),
          })
          expect(await shows(paneId, 'all said')).toBeTruthy()
          fillDisk(join(disk, 'rest'))
          await waitFor('it to be said', async () => {
            await runner().writeStdin(paneId, 'more\n')
            return /\[exomonad\] the output file .* can not be written: ENOSPC/.test(
              await runner().capture(paneId, { lines: 1000 }),
            )
          })
          expect(await runner().inspect(paneId)).toMatchObject({ dead: false })
          await runner().close(paneId)
        } finally {
          unmountSmallDisk(disk)
        }
      },
    )
  })

  describe('standard input', () => {
    it('takes writes one after the other, each whole', async () => {
      const { paneId } = await shell('cat > received')
      const texts = Array.from(
        { length: 50 },
        (_, index) => `${String(index)} ${'größe🌳'.repeat(3000)}\n`,
      )
      const results = await Promise.all(texts.map((text) => runner().writeStdin(paneId, text)))
      expect(results).toEqual(
        texts.map((text) => ({ kind: 'written', bytes: Buffer.byteLength(text) })),
      )
      const all = texts.join('')
      await waitFor(
        'all of it',
        () => readFileSync(join(bench.folder, 'received')).length === Buffer.byteLength(all),
      )
      expect(readFileSync(join(bench.folder, 'received'), 'utf8') === all).toBe(true)
    })

    it('pastes and keys go there too; a process has no Escape key', async () => {
      const { paneId } = await shell('read -r line; echo "got $line"; exec cat')
      expect(await runner().paste(paneId, 'some text', 'key-1')).toEqual({ kind: 'typed' })
      expect(await runner().pressEnter(paneId)).toEqual({ kind: 'typed' })
      await shows(paneId, 'got some text')
      expect(await runner().pressEscape(paneId)).toMatchObject({ kind: 'busy' })
      expect((await runner().inspect(paneId))?.pasted).toEqual(['key-1'])
    })

    it('is said to be closed where the program closed it or has ended', async () => {
      const closes = await shell('exec <&-; echo closed; exec sleep 1000')
      await shows(closes.paneId, 'closed')
      await waitFor(
        'it to be noticed',
        async () => (await runner().writeStdin(closes.paneId, 'x\n')).kind === 'closed',
      )
      const { paneId } = await shell('exit 0')
      await ended(paneId)
      expect(await runner().writeStdin(paneId, 'x\n')).toEqual({ kind: 'closed' })
    })

    it('that is not read holds up nobody, and loses nothing', async () => {
      const late = await shell('while [ ! -e go ]; do sleep 0.05; done; cat > received')
      const text = 'x'.repeat(1_000_000)
      expect(await runner().writeStdin(late.paneId, text)).toEqual({
        kind: 'written',
        bytes: text.length,
      })
      const other = await shell('exec cat')
      await runner().writeStdin(other.paneId, 'meanwhile\n')
      await shows(other.paneId, 'meanwhile')
      expect(await runner().writeStdin(late.paneId, 'y'.repeat(16_000_000))).toEqual({
        kind: 'full',
      })
      await shell('touch go')
      await waitFor(
        'all of it',
        () =>
          existsSync(join(bench.folder, 'received')) &&
          statSync(join(bench.folder, 'received')).size === text.length,
      )
    })
  })

  describe('ends', () => {
    it('kills what ignores SIGTERM, after it had its time', async () => {
      const deaths: unknown[] = []
      runner().onDeath((death) => deaths.push(death))
      const { paneId, agentId } = await shell(stays('stubborn'))
      const pid = await pidIn('stubborn')
      await runner().close(paneId)
      expect(isAlive(pid)).toBe(false)
      await waitFor('the death', () => deaths.length === 1)
      expect(deaths).toEqual([{ paneId, agentId, exitCode: null, exitSignal: 'SIGKILL' }])
    })

    it('ends what forked twice, out of the group and the session', async () => {
      if (process.platform !== 'linux') return
      const { paneId } = await shell(
        `(setsid sh -c '${stays('forked')}' < /dev/null > /dev/null 2>&1 &); exec sleep 1000`,
      )
      const pid = await pidIn('forked')
      await runner().close(paneId)
      expect(isAlive(pid)).toBe(false)
    })

    it('has ended when its program has, also where what it left holds the pipes; that is ended too', async () => {
      const { paneId } = await shell(
        `sh -c 'echo $$ > held~; echo still here; mv held~ held; exec sleep 1000' & while [ ! -e held ]; do sleep 0.02; done; echo done; exit 4`,
      )
      const pid = await pidIn('held')
      await ended(paneId)
      expect(await runner().inspect(paneId)).toMatchObject({ dead: true, exitCode: 4 })
      expect((await runner().capture(paneId)).split('\n').toSorted()).toEqual([
        'done',
        'still here',
      ])
      await waitFor('what it left to end', () => !isAlive(pid))
    })

    it('ends what it left that floods the pipes', async () => {
      const { paneId } = await shell('yes & while [ ! -s output ]; do sleep 0.02; done; exit 0')
      await ended(paneId)
      const before = statSync(output()).size
      await runner().close(paneId)
      expect(before).toBeGreaterThan(0)
      expect(statSync(output()).size).toBe(before)
    })
  })

  describe('attaching', () => {
    const people: HostedTerminal[] = []
    afterEach(() => {
      for (const person of people.splice(0)) person.dispose()
    })
    const attach = (paneId: PaneId): HostedTerminal => {
      const person = createHostedTerminal({
        argv: runner().attachCommand(paneId) ?? [],
        cwd: '/',
        env: { PATH: process.env['PATH'] ?? '', HOME: bench.folder, TERM: 'xterm-256color' },
        columns: 90,
        rows: 25,
        onOutput: () => undefined,
      })
      people.push(person)
      return person
    }
    const sees = (person: HostedTerminal, text: string) =>
      waitFor(`a person to see ${text}`, async () => (await person.capture(0)).includes(text))

    it('shows what was said and what is said, leaves on Ctrl-C, and the program goes on', async () => {
      const { paneId, pid } = await shell('echo before; exec cat')
      await shows(paneId, 'before')
      const person = attach(paneId)
      await sees(person, 'before')
      await runner().writeStdin(paneId, 'and now\n')
      await sees(person, 'and now')
      await person.type('\u0003', { paste: false })
      await person.end
      expect(person.ended).toEqual({ exitCode: 0, exitSignal: null })
      expect(isAlive(pid)).toBe(true)
    })

    it('reports the end', async () => {
      const { paneId } = await shell('read -r line; exit 7')
      const person = attach(paneId)
      await sees(person, 'Ctrl-C leaves')
      await runner().writeStdin(paneId, '\n')
      await sees(person, 'it has ended (exit code 7)')
      await person.end
      const late = attach(asPaneId('r-00000000'))
      await sees(late, 'no such pane')
    })

    it('hands on colours, and nothing that steers a terminal', async () => {
      const { paneId } = await shell(
        String.raw`printf '\033]0;stolen\007\033[2J\033[31mred\033[0m \033[5A10%%\rplain\033[?1049h\n'; exec cat`,
      )
      const person = attach(paneId)
      await sees(person, 'plain')
      expect(person.title).toBeNull()
      expect(person.screen.buffer.active.type).toBe('normal')
      expect(await runner().captureStyled(paneId)).toBe('plain')
      await runner().writeStdin(paneId, '\u001B[32mgreen\u001B[0m\u001B[2J\n')
      await sees(person, 'green')
      expect(await runner().captureStyled(paneId)).toBe('plain\n\u001B[32mgreen\u001B[0m\u001B[0m')
      expect(await runner().capture(paneId)).toBe('plain\ngreen')
    })
  })
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import type { Multiplexer } from '../../../src/adapters/terminals/holder.ts'
import { newAgentId } from '../../../src/domain/ids.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { isAlive } from '../../helpers/processes.ts'
import type { Bench } from './bench.ts'

type Death = Parameters<Parameters<Multiplexer['onDeath']>[0]>[0]

function collectDeaths(multiplexer: Multiplexer): Death[] {
  const deaths: Death[] = []
  multiplexer.onDeath((death) => deaths.push(death))
  return deaths
}

/**
 * A program that ignores every polite signal and has a child that does too, in a session of its
 * own. Writes the pids to a file.
 */
const stubborn = (file: string): string[] => [
  process.execPath,
  '-e',
  `for (const name of ['SIGHUP', 'SIGTERM', 'SIGINT']) process.on(name, () => {})
   const code = "for (const name of ['SIGHUP', 'SIGTERM']) process.on(name, () => {}); console.log('up'); setInterval(() => {}, 1000)"
   const child = require('node:child_process').spawn(process.execPath, ['-e', code], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
   child.stdout.once('data', () => { fs.writeFileSync(process.argv[1] + '~', process.pid + ' ' + child.pid); fs.renameSync(process.argv[1] + '~', process.argv[1]) })
   setInterval(() => {}, 1000)`,
  file,
]

export function describeEnding(bench: Bench): void {
  /** What asks a program to end. */
  const ask = bench.kind === 'runner' ? 'TERM' : 'HUP'

  it('keeps dead panes with their exit code and screen, and reports each death once', async () => {
    const deaths = collectDeaths(bench.multiplexer)
    const before = Date.now()
    // What tmux may lose of a last instant has a test of its own below.
    const go = join(bench.folder, 'go')
    const { paneId, agentId } = await bench.open({
      argv: [
        '/bin/sh',
        '-c',
        'echo "last words é"; while [ ! -e "$0" ]; do sleep 0.02; done; exit 42',
        go,
      ],
    })
    await waitFor(
      'its words',
      async () => (await bench.multiplexer.capture(paneId)) === 'last words é',
    )
    writeFileSync(go, '')
    await waitFor('the death', () => deaths.length > 0)
    expect(deaths).toEqual([{ paneId, agentId, exitCode: 42, exitSignal: null }])
    expect(await bench.multiplexer.inspect(paneId)).toMatchObject({
      paneId,
      agentId,
      dead: true,
      exitCode: 42,
      exitSignal: null,
    })
    const endedAt = (await bench.multiplexer.inspect(paneId))?.endedAt ?? null
    // Some have whole seconds.
    expect(endedAt).toBeGreaterThanOrEqual(Math.floor(before / 1000) * 1000)
    expect(endedAt ?? 0).toBeLessThanOrEqual(Date.now())
    expect(await bench.multiplexer.capture(paneId)).toBe('last words é')
    await bench.multiplexer.close(paneId)
    expect(await bench.multiplexer.list()).toEqual([])
    expect(deaths).toHaveLength(1)
  })

  it('keeps an exit code of 0 apart from death by a signal', async () => {
    const deaths = collectDeaths(bench.multiplexer)
    const fine = await bench.open({ argv: ['/bin/sh', '-c', 'exit 0'] })
    const killed = await bench.open({ argv: ['/bin/cat'] })
    const terminated = await bench.open({ argv: ['/bin/cat'] })
    process.kill(killed.pid, 'SIGKILL')
    process.kill(terminated.pid, 'SIGTERM')
    await waitFor('three deaths', () => deaths.length === 3)
    const ends = new Map(
      deaths.map(({ paneId, exitCode, exitSignal }) => [paneId, [exitCode, exitSignal]]),
    )
    expect(ends.get(fine.paneId)).toEqual([0, null])
    expect(ends.get(killed.paneId)).toEqual([null, 'SIGKILL'])
    expect(ends.get(terminated.paneId)).toEqual([null, 'SIGTERM'])
  })

  it('stops calling a listener that left, and goes on after one that fails', async () => {
    const deaths: Death[] = []
    const leave = bench.multiplexer.onDeath((death) => deaths.push(death))
    bench.multiplexer.onDeath(() => {
      throw new Error('a listener that fails')
    })
    const later = collectDeaths(bench.multiplexer)
    leave()
    await bench.open({ argv: ['/bin/sh', '-c', 'exit 1'] })
    await waitFor('the death', () => later.length === 1)
    expect(deaths).toEqual([])
  })

  it('reports 50 panes that die at once, each once', async () => {
    const deaths = collectDeaths(bench.multiplexer)
    const opened = await Promise.all(
      Array.from({ length: 50 }, () => bench.open({ argv: ['/bin/cat'] })),
    )
    for (const { pid } of opened) process.kill(pid, 'SIGKILL')
    await waitFor('all deaths', () => deaths.length >= 50)
    await bench.multiplexer.list()
    expect(deaths.map(({ paneId }) => paneId).toSorted()).toEqual(
      opened.map(({ paneId }) => paneId).toSorted(),
    )
  })

  it('closes a pane and what it started, however stubborn, and leaves the others', async () => {
    const deaths = collectDeaths(bench.multiplexer)
    const other = await bench.open({ argv: ['/bin/cat'] })
    const file = join(bench.folder, 'pids')
    const { paneId, agentId, pid } = await bench.open({ argv: stubborn(file) })
    const pids = await waitFor(
      'the program',
      () => existsSync(file) && readFileSync(file, 'utf8').split(' ').map(Number),
    )
    expect(pids[0]).toBe(pid)
    await bench.multiplexer.close(paneId)
    expect(pids.filter(isAlive)).toEqual([])
    expect((await bench.multiplexer.list()).map((pane) => pane.paneId)).toEqual([other.paneId])
    expect(isAlive(other.pid)).toBe(true)
    await waitFor('the death', () => deaths.length > 0)
    expect(deaths).toEqual([{ paneId, agentId, exitCode: null, exitSignal: 'SIGKILL' }])
  })

  it('keeps what programs write in their last instant', async () => {
    const panes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        bench.open({ argv: ['/bin/sh', '-c', 'echo first; printf "last of $0"', `w${index}`] }),
      ),
    )
    await Promise.all(
      panes.map(({ paneId }) =>
        waitFor('the end', async () => (await bench.multiplexer.inspect(paneId))?.exitCode === 0),
      ),
    )
    const shown = await Promise.all(panes.map(({ paneId }) => bench.multiplexer.capture(paneId)))
    const words = panes.map((_, index) => `first\nlast of w${index}`)
    const whole = shown.filter((text, index) => text === words[index])
    // tmux 3.3a can still lose a write where the kernel, on a busy machine, hands it over only after
    // the program's end: 1 of 1,200 with twelve busy loops on two cores.
    expect(whole.length).toBeGreaterThanOrEqual(bench.kind === 'tmux' ? words.length - 2 : 20)
    for (const [index, text] of shown.entries()) expect(words[index]?.startsWith(text)).toBe(true)
  })

  // Of tmux 3.3a about 3 of 100 end before the last lines.
  it.skipIf(bench.kind === 'tmux')('keeps the end of much that is printed at last', async () => {
    const panes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        bench.open({ argv: ['/bin/sh', '-c', 'seq 1 4000; printf "last of $0"', `w${index}`] }),
      ),
    )
    for (const [index, { paneId }] of panes.entries()) {
      await waitFor(
        'the end',
        async () => (await bench.multiplexer.inspect(paneId))?.exitCode === 0,
      )
      expect(await bench.multiplexer.capture(paneId)).toMatch(
        new RegExp(`\n3999\n4000\nlast of w${String(index)}$`),
      )
    }
  })

  it('shows each of many its own screen, and ends many together, each death reported once', async () => {
    const deaths = collectDeaths(bench.multiplexer)
    const panes = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        bench.open({ argv: ['/bin/sh', '-c', `echo "I am $0."; exec sleep 1000`, `w${index}`] }),
      ),
    )
    await Promise.all(
      panes.map(({ paneId }, index) =>
        waitFor(
          'its words',
          async () => (await bench.multiplexer.capture(paneId)) === `I am w${index}.`,
        ),
      ),
    )
    const [first, ...rest] = panes
    await bench.multiplexer.close(first!.paneId)
    const shown = await Promise.allSettled(
      panes.map(({ paneId }) => bench.multiplexer.capture(paneId)),
    )
    expect(shown[0]).toMatchObject({ status: 'rejected', reason: { code: 'PANE_GONE' } })
    expect(shown.slice(1)).toEqual(
      rest.map((_, index) => ({ status: 'fulfilled', value: `I am w${index + 1}.` })),
    )
    const inspected = await Promise.all(
      panes.map(({ paneId }) => bench.multiplexer.inspect(paneId)),
    )
    expect(inspected.map((pane) => pane?.agentId)).toEqual([
      undefined,
      ...rest.map(({ agentId }) => agentId),
    ])
    await Promise.all(rest.map(({ paneId }) => bench.multiplexer.close(paneId)))
    expect(panes.filter(({ pid }) => isAlive(pid))).toEqual([])
    expect(await bench.multiplexer.list()).toEqual([])
    await waitFor('the deaths', () => deaths.length >= panes.length)
    expect(deaths.map(({ paneId }) => paneId).toSorted()).toEqual(
      panes.map(({ paneId }) => paneId).toSorted(),
    )
  })

  it(`lets a program end by itself on SIG${ask}`, async () => {
    const deaths = collectDeaths(bench.multiplexer)
    const file = join(bench.folder, 'saved')
    const { paneId } = await bench.open({
      argv: [
        '/bin/sh',
        '-c',
        `trap 'echo saved > "$0"; exit 5' ${ask}; echo ready; while :; do sleep 0.05; done`,
        file,
      ],
    })
    await waitFor('the program', async () =>
      (await bench.multiplexer.capture(paneId)).includes('ready'),
    )
    await bench.multiplexer.close(paneId)
    expect(readFileSync(file, 'utf8')).toBe('saved\n')
    await waitFor('the death', () => deaths.length > 0)
    expect(deaths).toMatchObject([{ paneId, exitCode: 5, exitSignal: null }])
  })

  it.skipIf(bench.kind === 'runner')(
    'ends what a program that has ended left in its terminal',
    async () => {
      if (process.platform !== 'linux') return
      const agentId = newAgentId()
      const file = join(bench.folder, 'child')
      const script = `trap '' HUP; sh -c 'echo $$ > "$0~"; mv "$0~" "$0"; exec sleep 1000' "$0" < /dev/null > /dev/null 2>&1 & while [ ! -e "$0" ]; do sleep 0.02; done`
      const { paneId } = await bench.open({
        agentId,
        env: { EXOMONAD_AGENT_ID: agentId },
        argv: ['/bin/sh', '-c', script, file],
      })
      await waitFor(
        'the end',
        async () => (await bench.multiplexer.inspect(paneId))?.exitCode === 0,
      )
      const child = Number(readFileSync(file, 'utf8'))
      expect(isAlive(child)).toBe(true)
      await bench.multiplexer.close(paneId)
      expect(isAlive(child)).toBe(false)
    },
  )

  it.each(['runs', 'has ended'])(
    'ends the servers that a program left in sessions of their own, when it %s',
    async (when) => {
      if (process.platform !== 'linux') return
      const agentId = newAgentId()
      const file = join(bench.folder, `server-${when}`)
      // Started by a process that is gone at once: nothing but its environment shows whose it is.
      const server = `trap '' HUP TERM; echo $$ > "$0~"; mv "$0~" "$0"; while :; do sleep 0.05; done`
      const script = `(setsid sh -c '${server.replaceAll("'", `'"'"'`)}' "$0" < /dev/null > /dev/null 2>&1 &) ; while [ ! -e "$0" ]; do sleep 0.02; done; ${when === 'runs' ? 'exec sleep 1000' : 'exit 0'}`
      const other = await bench.open({ agentId: newAgentId(), argv: ['/bin/cat'] })
      const { paneId } = await bench.open({
        agentId,
        env: { EXOMONAD_AGENT_ID: agentId },
        argv: ['/bin/sh', '-c', script, file],
      })
      const left = await waitFor(
        'the server',
        () => existsSync(file) && Number(readFileSync(file, 'utf8')),
      )
      if (when === 'has ended')
        await waitFor(
          'the end',
          async () => (await bench.multiplexer.inspect(paneId))?.exitCode === 0,
        )
      expect(isAlive(left)).toBe(true)
      await bench.multiplexer.close(paneId)
      expect(isAlive(left)).toBe(false)
      expect(isAlive(other.pid)).toBe(true)
    },
  )

  it('ends what goes on of a program whose terminal is gone', async () => {
    if (process.platform !== 'linux') return
    const agentId = newAgentId()
    const file = join(bench.folder, 'survivor')
    const survivor = `trap '' HUP TERM; echo $$ > "$0~"; mv "$0~" "$0"; while :; do sleep 0.05; done`
    const script = `(setsid sh -c '${survivor.replaceAll("'", `'"'"'`)}' "$0" < /dev/null > /dev/null 2>&1 &) ; while [ ! -e "$0" ]; do sleep 0.02; done`
    const other = await bench.open({ agentId: newAgentId(), argv: ['/bin/cat'] })
    // Not by a pane: nothing of ours knows of one.
    const child = spawn('/bin/sh', ['-c', script, file], {
      env: { ...process.env, EXOMONAD_AGENT_ID: agentId },
      stdio: 'ignore',
    })
    await once(child, 'exit')
    const left = Number(readFileSync(file, 'utf8'))
    expect(isAlive(left)).toBe(true)
    await bench.multiplexer.endLeftBehind(agentId)
    expect(isAlive(left)).toBe(false)
    expect(isAlive(other.pid)).toBe(true)
  })

  it('closing twice, or at the same time, is fine', async () => {
    const { paneId } = await bench.open({ argv: ['/bin/cat'] })
    await Promise.all([bench.multiplexer.close(paneId), bench.multiplexer.close(paneId)])
    await bench.multiplexer.close(paneId)
    expect(await bench.multiplexer.list()).toEqual([])
  })

  it('opens again after the last pane was closed', async () => {
    const first = await bench.open({ argv: ['/bin/cat'] })
    await bench.multiplexer.close(first.paneId)
    const second = await bench.open({ argv: ['/bin/cat'] })
    expect(second.paneId).not.toBe(first.paneId)
    expect(await bench.multiplexer.list()).toMatchObject([{ paneId: second.paneId }])
  })

  it('shutdown leaves no process and no socket', async () => {
    const file = join(bench.folder, 'pids')
    const opened = await Promise.all(
      Array.from({ length: 5 }, () => bench.open({ argv: ['/bin/cat'] })),
    )
    await bench.open({ argv: stubborn(file) })
    const pids = await waitFor(
      'the program',
      () => existsSync(file) && readFileSync(file, 'utf8').split(' ').map(Number),
    )
    await bench.multiplexer.shutdown()
    expect([...opened.map(({ pid }) => pid), ...pids].filter(isAlive)).toEqual([])
    const sockets = readdirSync(bench.folder, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isSocket(),
    )
    expect(sockets).toEqual([])
    if (process.platform === 'linux') {
      const users = await waitFor('processes of the server to be gone', () => {
        const left = readdirSync('/proc').filter(
          (name) =>
            /^\d+$/.test(name) && name !== String(process.pid) && mentions(name, bench.folder),
        )
        return left.length === 0 ? 'none' : undefined
      })
      expect(users).toBe('none')
    }
    expect(await bench.multiplexer.list()).toEqual([])
  })
}

function mentions(pid: string, folder: string): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(folder) ||
      readFileSync(`/proc/${pid}/environ`, 'latin1').includes(folder)
    )
  } catch {
    return false
  }
}

import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { afterEach } from 'vitest'
import { createHostedTerminal, type HostedTerminal } from '../../../src/adapters/terminals/detached/hosted-terminal.ts'
import type { PaneId } from '../../../src/ids.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { zellijAction } from '../../helpers/zellij-action.ts'
import { serversAmong } from '../../helpers/zellij.ts'
import { isAlive } from '../../helpers/processes.ts'
import type { Bench } from './bench.ts'
import { scrubbedEnvironment, socketNameOf } from './create.ts'

/** What persons do with a Zellij session of ours, and what can be seen of it from outside. */
export function usePersons(bench: Bench) {
  const people: HostedTerminal[] = []
  afterEach(() => {
    for (const person of people.splice(0)) person.dispose()
  })
  const session = () => socketNameOf(bench.folder)

  /** An action of a person's. */
  const zellij = async (...args: string[]): Promise<string> => (await zellijAction(session(), args, scrubbedEnvironment(bench.folder))).trim()
  /** Ids of all terminals there are. While it is busy Zellij prints nothing, or what somebody else asked for. */
  const terminals = async (): Promise<PaneId[]> => {
    const panes = await waitFor('a list of panes', async () => {
      const listed = JSON.parse(await zellij('list-panes', '--json')) as unknown
      return Array.isArray(listed) && (listed as { id: number; is_plugin: boolean }[])
    })
    return panes.flatMap(({ id, is_plugin: isPlugin }) => (isPlugin ? [] : [`terminal_${String(id)}` as PaneId]))
  }
  /** A person in a terminal of their own. */
  const attach = (paneId: PaneId, argv = bench.multiplexer.attachCommand(paneId) ?? [], more: Record<string, string> = {}): HostedTerminal => {
    const person = createHostedTerminal({
      argv,
      cwd: '/',
      env: { ...scrubbedEnvironment(bench.folder), TERM: 'xterm-256color', ...more },
      columns: 100,
      rows: 31,
      onOutput: () => undefined,
    })
    people.push(person)
    return person
  }
  const sees = async (person: HostedTerminal, text: string): Promise<void> => {
    let screen = ''
    await waitFor(`a person to see ${text}`, async () => (screen = await person.capture(0)).includes(text)).catch((error: unknown) => {
      throw new Error(`A person saw no “${text}”, but:\n${screen}`, { cause: error })
    })
  }

  /** A client of Zellij’s own that watches a pane, once it has shown something of it: a busy Zellij loses what it is asked, and is asked again. */
  const watch = (paneId: string): Promise<ChildProcessByStdio<null, Readable, null>> =>
    waitFor(
      `something of ${paneId}`,
      async () => {
        const env = scrubbedEnvironment(bench.folder)
        const child = spawn('zellij', ['--session', session(), 'subscribe', '--pane-id', paneId], { env, stdio: ['ignore', 'pipe', 'ignore'] })
        const limit = AbortSignal.timeout(5_000)
        const shown = await once(child.stdout, 'data', { signal: limit }).catch(() => undefined)
        if (shown !== undefined) return child
        child.kill()
        await once(child, 'exit')
        return undefined
      },
      { limit: 40_000 },
    )

  /** Processes with any of these in their command line. */
  const processes = (...words: string[]): number[] =>
    readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name)) return []
      try {
        const argv = readFileSync(`/proc/${name}/cmdline`, 'utf8')
        return words.every((word) => argv.includes(word)) && isAlive(Number(name)) ? [Number(name)] : []
      } catch {
        return []
      }
    })
  const servers = (): number[] => serversAmong(processes('--server', `/${session()}`))
  return { zellij, terminals, attach, sees, watch, processes, servers, session }
}

import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { PaneId } from '../../../domain/ids.ts'
import type { Log } from '../../../runtime/log.ts'
import { endPanes } from '../../../processes/end-processes.ts'
import type { Answer, HostClient } from '../../../processes/host/host-client.ts'
import { hostFiles, type HostNames } from '../../../processes/host/location.ts'
import type { TypeResult } from '../holder.ts'
import type { HeldPane, Verbs } from './protocol.ts'

/**
 * Before, there were two hosts: one for terminals, one (the runner) for what has none. Both spoke
 * protocol 1, which differs in few verbs.
 */
const TERMINALS: HostNames = { files: 'pty-host', far: 'pty' }
const RUNNER: HostNames = { files: 'runner', far: 'runner' }
const EARLIER_PROTOCOL = 1

interface EarlierVerbs extends Omit<Verbs, 'open' | 'end'> {
  /** Of the runner. */
  end: { takes: { paneId: PaneId }; gives: boolean }
  /** Of terminals: both of these instead of `paste`, `key` and `end`. */
  type: { takes: { paneId: PaneId; text: string; paste: boolean; key?: string }; gives: TypeResult }
  settle: { takes: { paneId: PaneId }; gives: boolean }
}

/** Where panes are: one host. `open` is for the detached host alone. */
export type Port = Pick<HostClient<Verbs>, 'ask' | 'socketPath' | 'close'>

export interface EarlierHosts {
  /** Those that run. */
  ports(): Promise<Port[]>
  close(): void
}

/**
 * Hosts of an exomonad before: what they hold goes on in them, and can be worked with as ever,
 * until it ends; nothing is opened in them any more. One without anything left is ended, and the
 * files of one that is gone are removed.
 */
export function createEarlierHosts(options: {
  stateDir: string
  log: Log
  connect: (host: {
    names: HostNames
    called: string
    protocol: number
  }) => HostClient<EarlierVerbs>
}): EarlierHosts {
  const { stateDir, log, connect } = options
  const made = [TERMINALS, RUNNER]
    .filter((names) => existsSync(hostFiles(names, stateDir).record))
    .map((names) => {
      const called =
        names === RUNNER ? 'runner of an earlier version' : 'terminal host of an earlier version'
      const host = connect({ names, called, protocol: EARLIER_PROTOCOL })
      return {
        names,
        called,
        host,
        port: names === RUNNER ? runnerPort(host) : terminalPort(host),
        named: false,
      }
    })
  let left = made

  /** False where it is gone. */
  const isThere = async (one: (typeof made)[number]): Promise<boolean> => {
    const { host, names, called } = one
    const listed = await host.ask('list', {})
    if (listed.kind === 'no-host') {
      const { lock, log: logFile, record } = hostFiles(names, stateDir)
      for (const file of [host.socketPath, record, lock, `${lock}-journal`, logFile])
        await rm(file, { force: true })
      host.close()
      return false
    }
    // Until it is gone: where the request does not reach it, it is asked again.
    if (listed.gives.length === 0)
      await host.ask('shutdown', {}, { once: true }).catch(() => undefined)
    else if (!one.named) {
      const agents = listed.gives.map(({ agentId, name, dead }) => ({ agentId, name, dead }))
      log.warn(
        { agents },
        `agents go on in the ${called}, which ends with the last of them; \`exomonad down\` and \`exomonad resume --all\` move them to this version`,
      )
      one.named = true
    }
    return true
  }
  const look = async (): Promise<Port[]> => {
    const there = await Promise.all(left.map(async (one) => ((await isThere(one)) ? [one] : [])))
    left = there.flat()
    return left.map(({ port }) => port)
  }
  let looking: Promise<Port[]> | undefined

  return {
    ports: async () =>
      left.length === 0 ? [] : await (looking ??= look().finally(() => (looking = undefined))),
    close: () => {
      for (const { host } of made) host.close()
    },
  }
}

type Ask = Port['ask']
type Takes<Verb extends keyof Verbs> = Verbs[Verb]['takes']

/** Ends one after the other’s answer, all at the same time. */
const forEach = async (
  paneIds: readonly PaneId[],
  end: (paneId: PaneId) => Promise<unknown>,
): Promise<void> => {
  await Promise.all(paneIds.map(end))
}

/** The runner’s verbs are those of today, but for `end`. */
function runnerPort(host: HostClient<EarlierVerbs>): Port {
  const ask = async (
    verb: keyof Verbs,
    takes: unknown,
    options?: Parameters<Ask>[2],
  ): Promise<Answer<Verbs, keyof Verbs>> => {
    if (verb !== 'end') return await host.ask(verb as 'list', takes as object, options)
    const { paneIds } = takes as Takes<'end'>
    await forEach(paneIds, (paneId) => host.ask('end', { paneId }, options))
    return { kind: 'answer', gives: true }
  }
  return portOf(host, ask)
}

function terminalPort(host: HostClient<EarlierVerbs>): Port {
  const end = async ({ paneIds, grace }: Takes<'end'>): Promise<void> => {
    const listed = await host.ask('list', {})
    const panes: HeldPane[] =
      listed.kind === 'no-host' ? [] : listed.gives.filter(({ paneId }) => paneIds.includes(paneId))
    await endPanes(
      panes.map((pane) => ({ ...pane, ended: pane.dead })),
      { grace },
    )
    await forEach(paneIds, (paneId) => host.ask('settle', { paneId }))
  }
  const ask = async (
    verb: keyof Verbs,
    takes: unknown,
    options?: Parameters<Ask>[2],
  ): Promise<Answer<Verbs, keyof Verbs>> => {
    if (verb === 'paste') {
      const { paneId, text, key } = takes as Takes<'paste'>
      return await host.ask(
        'type',
        { paneId, text, paste: true, ...(key !== null && { key }) },
        options,
      )
    }
    if (verb === 'key') {
      const { paneId, key, submits } = takes as Takes<'key'>
      return await host.ask(
        'type',
        {
          paneId,
          text: key === 'enter' ? '\r' : '\u001B',
          paste: false,
          ...(submits !== undefined && { key: submits }),
        },
        options,
      )
    }
    if (verb !== 'end') return await host.ask(verb as 'list', takes as object, options)
    await end(takes as Takes<'end'>)
    return { kind: 'answer', gives: true }
  }
  return portOf(host, ask)
}

const portOf = (
  host: HostClient<EarlierVerbs>,
  ask: (verb: keyof Verbs, takes: unknown, options?: Parameters<Ask>[2]) => Promise<unknown>,
): Port => ({
  ask: ask as Ask,
  get socketPath() {
    return host.socketPath
  },
  close: host.close,
})

import { closeSync, openSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { startDetached } from '../../exec.ts'
import { ExomonadError } from '../../../errors.ts'
import { programFile } from '../../../package-root.ts'
import { chooseSocket, hostFiles, prepareFolder, recordedSocket } from './location.ts'
import { PROTOCOL, receive, send, type HostMessage, type Request, type Verb, type Verbs } from './protocol.ts'

export type Answer<Name extends Verb> = { kind: 'answer'; gives: Verbs[Name]['gives'] } | { kind: 'no-host' }

export interface HostClient {
  /** Starts the host where none runs. */
  start(): Promise<void>
  /**
   * Asks the host. `once`: not again where the connection was lost before the answer.
   * Throws MULTIPLEXER_UNAVAILABLE for no answer (`outcome: 'unknown'`) and for what the host could not do.
   */
  ask<Name extends Verb>(verb: Name, takes: Verbs[Name]['takes'], options?: { once?: boolean }): Promise<Answer<Name>>
  /** The socket of the host as far as it is known. */
  readonly socketPath: string | undefined
  close(): void
}

interface Waiting {
  readonly resolve: (gives: unknown) => void
  readonly reject: (error: ExomonadError) => void
  readonly timer: NodeJS.Timeout
}

const START_POLL = 10
const START_AGAIN = 2000

/** Programs of the terminal host. */
export const hostProgram = (name: 'host' | 'attach'): string => programFile(`adapters/multiplexer/headless/${name}`)

const unavailable = (message: string, facts: Record<string, unknown> = {}) => new ExomonadError('MULTIPLEXER_UNAVAILABLE', message, facts)
const lost = () => unavailable('The connection to the terminal host broke before it answered. Look at the pane before trying again.', { outcome: 'unknown' })

/** The daemon's side of the host's socket: connects when something is asked, and tells about changes as long as it is connected. */
export function createHostClient(options: {
  stateDir: string
  runtimeDir: string
  environment: Readonly<Record<string, string>>
  node: string
  /** Milliseconds an answer may take. */
  timeout: number
  /** Milliseconds the host may take to start. */
  startTimeout: number
  onChange: () => void
}): HostClient {
  const { stateDir, runtimeDir, environment, node, timeout, startTimeout, onChange } = options
  const waiting = new Map<number, Waiting>()
  let socketPath: string | undefined
  let current: Socket | undefined
  let connecting: Promise<Socket | undefined> | undefined
  let starting: Promise<void> | undefined
  let closed = false
  let count = 0

  const onMessage = (message: HostMessage) => {
    if ('event' in message) {
      if (message.event === 'changed') onChange()
      return
    }
    const request = waiting.get(message.id)
    if (request === undefined) return
    waiting.delete(message.id)
    clearTimeout(request.timer)
    if ('error' in message) request.reject(unavailable(`The terminal host failed: ${message.error}.`))
    else request.resolve(message.gives)
  }

  const transmit = async (socket: Socket, verb: Verb, takes: Request['takes']): Promise<unknown> =>
    await new Promise((resolve, reject) => {
      const id = (count += 1)
      const timer = setTimeout(() => {
        waiting.delete(id)
        reject(unavailable(`The terminal host did not answer within ${String(timeout)} ms.`, { outcome: 'unknown' }))
      }, timeout)
      waiting.set(id, { resolve, reject, timer })
      send(socket, { id, verb, takes })
    })

  const connectNow = async (): Promise<Socket | undefined> => {
    socketPath = (await recordedSocket(stateDir)) ?? chooseSocket(stateDir, runtimeDir)
    const socket = connect(socketPath)
    const connected = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
    if (!connected) return undefined
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      if (current === socket) current = undefined
      for (const [id, request] of waiting) {
        clearTimeout(request.timer)
        waiting.delete(id)
        request.reject(lost())
      }
      if (!closed) onChange()
    })
    receive(socket, (message) => onMessage(message as HostMessage))
    const { protocol } = (await transmit(socket, 'hello', {})) as Verbs['hello']['gives']
    if (protocol !== PROTOCOL) {
      socket.destroy()
      throw unavailable(
        `The terminal host of another exomonad version runs (protocol ${String(protocol)}, not ${String(PROTOCOL)}). End its agents with that version first.`,
      )
    }
    // Panes live in the host: being connected is no reason for a program to go on.
    socket.unref()
    current = socket
    return socket
  }
  const connected = async (): Promise<Socket | undefined> => {
    if (current !== undefined) return current
    connecting ??= connectNow().finally(() => (connecting = undefined))
    return await connecting
  }

  const spawnHost = async () => {
    await mkdir(stateDir, { recursive: true, mode: 0o700 })
    const socket = chooseSocket(stateDir, runtimeDir)
    await prepareFolder(socket)
    const output = openSync(hostFiles(stateDir).log, 'a', 0o600)
    try {
      startDetached(node, [hostProgram('host'), stateDir, socket], { cwd: '/', env: environment, output }).on('error', () => undefined)
    } finally {
      closeSync(output)
    }
  }
  const startNow = async () => {
    const begun = performance.now()
    let spawnedAt = Number.NEGATIVE_INFINITY
    while ((await connected()) === undefined) {
      if (performance.now() - begun > startTimeout) {
        const log = await readFile(hostFiles(stateDir).log, 'utf8').catch(() => '')
        throw unavailable(`The terminal host did not start: ${log.trim().split('\n').at(-1) ?? ''} (${hostFiles(stateDir).log}).`)
      }
      // A host that finds another's lock, one that is just ending for instance, leaves at once.
      if (performance.now() - spawnedAt > START_AGAIN) {
        await spawnHost()
        spawnedAt = performance.now()
      }
      await delay(START_POLL)
    }
  }

  return {
    start: async () => {
      starting ??= startNow().finally(() => (starting = undefined))
      await starting
    },
    ask: async <Name extends Verb>(verb: Name, takes: Verbs[Name]['takes'], { once = false } = {}): Promise<Answer<Name>> => {
      for (let attempt = 0; ; attempt += 1) {
        const socket = await connected()
        if (socket === undefined) return { kind: 'no-host' }
        try {
          return { kind: 'answer', gives: (await transmit(socket, verb, takes)) as Verbs[Name]['gives'] }
        } catch (error) {
          if (once || attempt > 0 || current === socket) throw error
        }
      }
    },
    get socketPath() {
      return socketPath
    },
    close: () => {
      closed = true
      current?.destroy()
    },
  }
}

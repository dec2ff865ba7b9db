import { closeSync, openSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../domain/errors.ts'
import { startDetached, type ChildProcess } from '../exec.ts'
import { receive, send, type Hello, type HostAnswer } from './framing.ts'
import {
  chooseSocket,
  hostFiles,
  prepareFolder,
  recordedSocket,
  type HostNames,
} from './location.ts'

type Takes<Verbs, Name extends keyof Verbs> = Verbs[Name] extends { takes: infer Taken }
  ? Taken
  : never
type Gives<Verbs, Name extends keyof Verbs> = Verbs[Name] extends { gives: infer Given }
  ? Given
  : never
/** Nobody listens there; anything else may pass, such as no descriptor left to ask with. */
const NOBODY: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED'])

export type Answer<Verbs, Name extends keyof Verbs> =
  | { kind: 'answer'; gives: Gives<Verbs, Name> }
  | { kind: 'no-host' }

export interface HostClient<Verbs> {
  /** Starts the host where none runs. */
  start(): Promise<void>
  /**
   * Asks the host. `once`: not again where the connection was lost before the answer. `timeout`:
   * for what may take longer than usual. Throws MULTIPLEXER_UNAVAILABLE for no answer
   * (`outcome: 'unknown'`) and for what the host could not do.
   */
  ask<Name extends keyof Verbs & string>(
    verb: Name,
    takes: Takes<Verbs, Name>,
    options?: { once?: boolean; timeout?: number },
  ): Promise<Answer<Verbs, Name>>
  /** The socket of the host, or where a new one would have it. */
  readonly socketPath: string
  close(): void
}

interface Waiting {
  readonly resolve: (gives: unknown) => void
  readonly reject: (error: ExomonadError) => void
  readonly timer: NodeJS.Timeout
}

const START_POLL = 10
const START_AGAIN = 2000
/**
 * Of a question whose connection was lost: a host that is just killed may take another connection
 * before its socket is closed, too.
 */
const MOST_RETRIES = 3

const isUnderWay = (child: ChildProcess | undefined): boolean =>
  child?.pid !== undefined && child.exitCode === null && child.signalCode === null

const unavailable = (message: string, facts: Record<string, unknown> = {}) =>
  new ExomonadError('MULTIPLEXER_UNAVAILABLE', message, facts)

/**
 * The daemon's side of the host's socket: connects when something is asked, and reports changes
 * as long as it is connected.
 */
export function createHostClient<Verbs>(options: {
  names: HostNames
  /** In messages: `detached host`. */
  called: string
  protocol: number
  /** Its entry file, run as `node FILE STATE_FOLDER SOCKET`. */
  program: string
  stateDir: string
  runtimeDir: string
  environment: Readonly<Record<string, string>>
  node: string
  /** Milliseconds an answer may take. */
  timeout: number
  /** Milliseconds the host may take to start. */
  startTimeout: number
  onChange: () => void
}): HostClient<Verbs> {
  const {
    names,
    called,
    protocol: PROTOCOL,
    program,
    stateDir,
    runtimeDir,
    environment,
    node,
    timeout,
    startTimeout,
    onChange,
  } = options
  const files = hostFiles(names, stateDir)
  const broken = new WeakSet<ExomonadError>()
  const lost = () => {
    const error = unavailable(
      `The connection to the ${called} broke before it answered. Look at the pane before trying again.`,
      { outcome: 'unknown' },
    )
    broken.add(error)
    return error
  }
  const waiting = new Map<number, Waiting>()
  let socketPath: string | undefined
  let current: Socket | undefined
  let connecting: Promise<Socket | undefined> | undefined
  let starting: Promise<void> | undefined
  /** The last one that was started here. */
  let host: ChildProcess | undefined
  let closed = false
  let count = 0

  const onMessage = (message: HostAnswer) => {
    if ('event' in message) {
      if (message.event === 'changed') onChange()
      return
    }
    const request = waiting.get(message.id)
    if (request === undefined) return
    waiting.delete(message.id)
    clearTimeout(request.timer)
    if ('error' in message) request.reject(unavailable(`The ${called} failed: ${message.error}.`))
    else request.resolve(message.gives)
  }

  const transmit = async (
    socket: Socket,
    verb: string,
    takes: unknown,
    limit = timeout,
  ): Promise<unknown> =>
    await new Promise((resolve, reject) => {
      const id = (count += 1)
      const timer = setTimeout(() => {
        waiting.delete(id)
        reject(
          unavailable(`The ${called} did not answer within ${String(limit)} ms.`, {
            outcome: 'unknown',
          }),
        )
      }, limit)
      waiting.set(id, { resolve, reject, timer })
      send(socket, { id, verb, takes })
    })

  const connectNow = async (): Promise<Socket | undefined> => {
    socketPath =
      (await recordedSocket(names, stateDir)) ?? chooseSocket(names, stateDir, runtimeDir)
    const socket = connect(socketPath)
    const failed = await new Promise<string | undefined>((resolve) => {
      socket.once('connect', () => resolve(undefined))
      socket.once('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => resolve(code))
    })
    if (failed !== undefined) {
      if (NOBODY.has(failed)) return undefined
      throw unavailable(`The ${called} could not be reached (${failed}).`, { outcome: 'unknown' })
    }
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
    receive(socket, (message) => onMessage(message as HostAnswer))
    const { protocol } = (await transmit(socket, 'hello', {}).catch((thrown: unknown) => {
      // One that hangs: each that asks would leave a connection behind.
      socket.destroy()
      throw thrown
    })) as Hello
    if (protocol !== PROTOCOL) {
      socket.destroy()
      throw unavailable(
        `The ${called} of another exomonad version runs (protocol ${String(protocol)}, not ${String(PROTOCOL)}). End its agents with that version first.`,
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
    const socket = chooseSocket(names, stateDir, runtimeDir)
    await prepareFolder(socket)
    const output = openSync(files.log, 'a', 0o600)
    try {
      host = startDetached(node, [program, stateDir, socket], {
        cwd: '/',
        env: environment,
        output,
      }).on('error', () => undefined)
    } finally {
      closeSync(output)
    }
  }
  const startNow = async () => {
    const begun = performance.now()
    let spawnedAt = Number.NEGATIVE_INFINITY
    while ((await connected()) === undefined) {
      if (performance.now() - begun > startTimeout) {
        const log = await readFile(files.log, 'utf8').catch(() => '')
        throw unavailable(
          `The ${called} did not start: ${log.trim().split('\n').at(-1) ?? ''} (${files.log}).`,
        )
      }
      // A host that finds another's lock, one that is just ending for instance, leaves at once. One
      // that only takes its time is waited for: a second would leave too late, or, where the first
      // has ended by then, stay for nobody.
      if (!isUnderWay(host) && performance.now() - spawnedAt > START_AGAIN) {
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
    ask: async <Name extends keyof Verbs & string>(
      verb: Name,
      takes: Takes<Verbs, Name>,
      { once = false, timeout: limit = timeout }: { once?: boolean; timeout?: number } = {},
    ): Promise<Answer<Verbs, Name>> => {
      for (let attempt = 0; ; attempt += 1) {
        let asked = false
        try {
          const socket = await connected()
          if (socket === undefined) return { kind: 'no-host' }
          asked = true
          return {
            kind: 'answer',
            gives: (await transmit(socket, verb, takes, limit)) as Gives<Verbs, Name>,
          }
        } catch (error) {
          if (!broken.has(error as ExomonadError) || (once && asked) || attempt >= MOST_RETRIES)
            throw error
        }
      }
    },
    get socketPath() {
      return socketPath ?? chooseSocket(names, stateDir, runtimeDir)
    },
    close: () => {
      closed = true
      current?.destroy()
    },
  }
}

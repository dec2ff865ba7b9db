import { randomUUID } from 'node:crypto'
import type { SshConnection } from '../../../adapters/ssh/connection.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { createClient, withTypedCalls } from '../../client.ts'
import { pause } from '../pause.ts'
import { KEYED, READING } from '../tool-specs.ts'
import type { Health } from '../daemon/health.ts'
import { cutOff, notForwarded } from './failures.ts'
import { compareVersions, readAccess } from './read-access.ts'
import type { Link } from './elsewhere.ts'
import type { Target } from './target.ts'

interface Deps {
  readonly target: Target
  readonly version: string
  readonly connection: SshConnection
  readonly folder: () => string | undefined
  /** Start the daemon where it isn’t running. */
  readonly start: boolean
  readonly report: (message: string) => void
}

/** How long a call may be asked for again, and how often. Milliseconds. */
const AWAY = 60_000
const TRY_EVERY = 500
/** How long a daemon that runs may take to say so. Milliseconds. */
const BUSY = 20_000

/** Asks on the far side for its daemon. */
export async function createLink(deps: Deps): Promise<Link> {
  const { target, connection } = deps
  let { report } = deps
  let isCut = false
  let isSaid = false

  const ask = async (start = deps.start): Promise<{ socket: string; token: string }> => {
    const folder = deps.folder()
    const argv = [
      'exomonad',
      ...(folder === undefined ? [] : ['-C', folder]),
      '--json',
      '__access',
      ...(start ? [] : ['--no-start']),
    ]
    // One that was open may have been dead already, which shows within seconds.
    for (let isFirst = true; ; isFirst = false) {
      await connection.open()
      try {
        const there = readAccess(target, await connection.run(argv, target.path))
        const found = { socket: await connection.forward(there.socket), token: there.token }
        const differing = compareVersions(target, deps.version, await versionAt(found))
        if (differing !== null && !isKnown) report(differing)
        isKnown = true
        return found
      } catch (error) {
        if (await connection.isOpen()) throw error
        if (!isFirst) throw cutOff(target, 'Nothing was asked for yet')
      }
    }
  }
  let isKnown = false
  const versionAt = async (found: { socket: string; token: string }): Promise<string> => {
    try {
      const { version } = await createClient(found).get<Health>('/healthz', { timeout: BUSY })
      return version
    } catch (error) {
      // ssh takes the connection and lets go of it where it leads nowhere.
      if (!isAway(error) || !(await connection.isOpen())) throw error
      throw notForwarded(target, error)
    }
  }
  const { socket, token } = await ask()

  let reopening: Promise<void> | undefined
  /** Connects again where it was cut. */
  const ready = async (start: boolean): Promise<void> => {
    if (!isCut) return
    reopening ??= ask(start)
      .then(() => {
        isCut = false
        if (isSaid) report(`Connected to ${target.name} again.`)
        isSaid = false
      })
      .finally(() => (reopening = undefined))
    await reopening
  }
  /** Whether it is the connection, and not the daemon alone. A new one may be another command’s. */
  const wasCut = async (): Promise<boolean> => {
    isCut ||= !(await connection.leads(socket))
    return isCut
  }
  const goOn = (): void => {
    if (!isSaid)
      report(`The connection to ${target.name} was cut. Connecting again; Ctrl-C ends this.`)
    isSaid = true
  }

  const exchange = async <Result>(
    call: () => Promise<Result>,
    given: { readonly again: boolean; readonly start: boolean; readonly signal?: AbortSignal },
  ): Promise<Result> => {
    let since: number | undefined
    const mayGoOn = (): boolean =>
      given.again && given.start && Date.now() - (since ??= Date.now()) < AWAY
    for (let isStarting = false; ;) {
      try {
        if (isCut) await unlessAborted(ready(given.start), given.signal)
        if (isStarting) await unlessAborted(ask(), given.signal)
        isStarting = false
        return await call()
      } catch (error) {
        if (!isTrouble(error) || given.signal?.aborted === true) throw error
        const cut = await unlessAborted(wasCut(), given.signal)
        if (!mayGoOn()) throw cut && isAway(error) ? cutOff(target, UNKNOWN) : error
        if (cut) goOn()
        isStarting = !cut
        await pause(TRY_EVERY, ...(given.signal === undefined ? [] : [given.signal]))
      }
    }
  }

  const whenAway: Link['whenAway'] = async (signal) => {
    if (!(await wasCut())) return
    goOn()
    await unlessAborted(ready(false), signal).catch(() => {})
  }

  return {
    socket,
    token,
    beQuiet: () => (report = () => {}),
    whenAway,
    client: ({ as, start = true } = {}) => {
      const client = createClient({ socket, token, as, whenAway })
      return withTypedCalls({
        callTool: (name, input, options = {}) => {
          const keyed = KEYED.has(name) ? { key: options.key ?? randomUUID() } : {}
          return exchange(() => client.callTool(name, input, { ...options, ...keyed }), {
            again: KEYED.has(name) || READING.has(name),
            start,
            ...signalOf(options),
          })
        },
        get: (path, options) =>
          exchange(() => client.get(path, options), { again: true, start, ...signalOf(options) }),
        hook: (event, body, options) =>
          exchange(() => client.hook(event, body, options), {
            again: false,
            start,
            ...signalOf(options),
          }),
        async *events(query) {
          await exchange(() => client.get('/healthz'), {
            again: true,
            start,
            ...signalOf(query),
          })
          yield* client.events(query)
        },
      })
    },
  }
}

/** Connecting takes as long as ssh tries, and Ctrl-C is not to wait for that. */
const unlessAborted = async <Result>(
  work: Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> => {
  if (signal === undefined) return await work
  let stop = (): void => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error)
  })
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  // What is still under way then is nobody’s.
  work.catch(() => {})
  return await Promise.race([work, aborted]).finally(() =>
    signal.removeEventListener('abort', stop),
  )
}

const UNKNOWN = 'What was asked for may have been done'

const signalOf = (
  options: { readonly signal?: AbortSignal | undefined } | undefined,
): { signal?: AbortSignal } => (options?.signal === undefined ? {} : { signal: options.signal })

const isAway = (error: unknown): boolean =>
  error instanceof ExomonadError && error.code === 'DAEMON_UNAVAILABLE'
const isTrouble = (error: unknown): boolean =>
  isAway(error) || (error instanceof ExomonadError && error.code === 'HOST_UNREACHABLE')

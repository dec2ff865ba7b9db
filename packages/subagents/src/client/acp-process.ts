import type { AcpConnection, AcpHandlers } from '../acp/acp.ts'
import { lastLines } from '../acp/tail.ts'
import { ExomonadError, toError } from '../errors.ts'
import { disposed, type AcpServerConfig, type AcpServerDeps } from './acp-server-config.ts'
import type { ACPServerHealth } from './acp-types.ts'

/** The process of an agent: started when it is needed, and again after it ended. */
export interface AcpProcess {
  connect(): Promise<AcpConnection>
  /** Throws NOT_AVAILABLE, with why, where this connection’s process has ended. */
  requireCurrent(connection: AcpConnection): void
  /** What the agent calls itself, once it was started. */
  self(): { readonly name: string | null; readonly version: string | null }
  health(): ACPServerHealth
  /** Ends it for good. */
  close(): Promise<void>
}

export function createAcpProcess(
  config: AcpServerConfig,
  deps: Pick<AcpServerDeps, 'open' | 'start'>,
  { handlers, ended }: { readonly handlers: AcpHandlers; readonly ended: (reason: string) => void },
): AcpProcess {
  const { name } = config
  let connecting: Promise<AcpConnection> | undefined
  let current: AcpConnection | undefined
  let startedAt = 0
  let self: { name: string | null; version: string | null } = { name: null, version: null }
  let lastError: string | null = null
  let closed = false

  const begin = async (): Promise<AcpConnection> => {
    const { argv, cwd, env, startTimeout } = config
    const limit = startTimeout === undefined ? {} : { startTimeout }
    const { start } = deps
    const connection = await deps.open({ start, name, argv, cwd, env, handlers, ...limit })
    if (closed) {
      await connection.close()
      throw disposed(name)
    }
    current = connection
    startedAt = performance.now()
    lastError = null
    self = { name: connection.capabilities.name, version: connection.capabilities.version }
    void connection.ended.then(({ exitCode, signal, stderr }) => {
      if (current !== connection) return
      current = undefined
      connecting = undefined
      const words = lastLines(stderr)
      const reason = `${name} ended (${signal ?? `exit code ${exitCode ?? 'unknown'}`})${words === '' ? '' : `: ${words}`}`
      if (!closed) lastError = reason
      ended(reason)
    })
    return connection
  }

  const stateNow = (): ACPServerHealth['state'] => {
    if (current !== undefined) return 'ready'
    if (connecting !== undefined) return 'starting'
    return lastError === null ? 'stopped' : 'failed'
  }

  return {
    connect: async () => {
      if (closed) throw disposed(name)
      connecting ??= begin()
      try {
        return await connecting
      } catch (thrown) {
        connecting = undefined
        if (!closed) lastError = toError(thrown).message
        throw thrown
      }
    },
    requireCurrent: (connection) => {
      if (current !== connection)
        throw new ExomonadError('NOT_AVAILABLE', lastError ?? `${name} has ended.`)
    },
    self: () => self,
    health: () =>
      Object.freeze({
        state: stateNow(),
        pid: current?.pid ?? null,
        uptimeMs: current === undefined ? 0 : Math.round(performance.now() - startedAt),
        lastError,
      }),
    close: async () => {
      closed = true
      const connection = current ?? (await connecting?.catch(() => undefined))
      await connection?.close()
      current = undefined
      connecting = undefined
      lastError = null
    },
  }
}

import pg from 'pg'
import type { Target } from './conninfo.ts'
import { decodeText, encodeText } from './text.ts'

/** One connection to the server. */
export interface Session {
  /** Of the server's process that serves it. */
  readonly pid: number
  /**
   * Runs a statement. Those that are not awaited go out behind each other, and come back in that
   * order; one that fails keeps no other from running. With values it is prepared, once.
   */
  run<Row extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>
  /** Calls back for what others notify of on channels that this session listens on. */
  onNotified(callback: (channel: string) => void): void
  /** Resolves with the reason once it is gone, whoever ended it. */
  readonly ended: Promise<Error>
  isUp(): boolean
  end(): Promise<void>
}

const INT8 = 20
const TEXTS = new Set([25, 1043])

const typeParser = ((oid: number, format?: 'text' | 'binary') => {
  // Numbers here are times and counts: none is beyond 2^53.
  if (oid === INT8) return Number
  if (TEXTS.has(oid)) return decodeText
  return pg.types.getTypeParser(oid, format)
}) as typeof pg.types.getTypeParser

/** Milliseconds. */
const ANSWER_TIMEOUT = 30_000
const SERVER_SETTINGS = {
  statement_timeout: 20_000,
  lock_timeout: 10_000,
  // So that the server soon misses a machine that is gone, and with it its lock. Seconds.
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
}

export interface SessionOptions {
  /** How it shows in pg_stat_activity. */
  readonly name: string
  /** Milliseconds until the server ends it where a transaction stands still. */
  readonly idleInTransaction: number
}

/** Connects; throws what the driver throws. */
export async function openSession(
  target: Target,
  { name, idleInTransaction }: SessionOptions,
): Promise<Session> {
  const client = new pg.Client({
    host: target.host,
    port: target.port,
    user: target.user,
    database: target.database,
    // Empty where there is none: the driver would ask files and variables by itself.
    password: target.password ?? '',
    ssl: target.tls,
    application_name: name,
    connectionTimeoutMillis: target.connectTimeout * 1000,
    query_timeout: ANSWER_TIMEOUT,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser: typeParser },
    // Not in the types yet.
    ...{ pipeline: true },
  })
  const over = Promise.withResolvers<Error>()
  let isUp = false
  let reason: Error | undefined
  client.on('error', (error) => {
    isUp = false
    reason ??= error
  })
  client.on('end', () => {
    isUp = false
    over.resolve(reason ?? new Error('Connection terminated'))
  })
  await client.connect()
  isUp = true
  const statements = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    const known = statements.get(text)
    if (known !== undefined || statements.size >= STATEMENTS_KEPT) return known
    const fresh = `s${statements.size}`
    statements.set(text, fresh)
    return fresh
  }
  const session: Session = {
    pid: (client as unknown as { processID: number }).processID,
    run: (text, values) => {
      if (values === undefined) return client.query(text)
      const named = nameOf(text)
      return client.query({
        text,
        values: values.map(encoded),
        ...(named === undefined ? {} : { name: named }),
      })
    },
    onNotified: (callback) => void client.on('notification', ({ channel }) => callback(channel)),
    ended: over.promise,
    isUp: () => isUp,
    end: async () => {
      isUp = false
      await client.end().catch(() => {})
    },
  }
  try {
    await session.run(
      Object.entries({
        ...SERVER_SETTINGS,
        idle_in_transaction_session_timeout: idleInTransaction,
        client_min_messages: 'warning',
      })
        .map(([key, value]) => `set ${key} = '${value}'`)
        .join('; '),
    )
    return session
  } catch (thrown) {
    await session.end()
    throw thrown
  }
}

/** Prepared statements kept; more only where texts are built from many combinations of columns. */
const STATEMENTS_KEPT = 300

const encoded = (value: unknown): unknown => {
  if (typeof value === 'string') return encodeText(value)
  return Array.isArray(value) ? value.map(encoded) : value
}

export const quoted = (identifier: string): string => pg.escapeIdentifier(identifier)

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Page } from '../../core/page.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { Log } from '../../runtime/log.ts'
import { PACKAGE_ROOT } from '../../runtime/package-root.ts'
import type { Listener } from './listener.ts'
import { readRecord, writeRecord, type WebRecord } from './record.ts'
import { createSessions, type Sessions } from './sessions.ts'

export interface ServedPage extends Page {
  /**
   * `api`: the daemon’s HTTP surface, from now on. Serves the page again where it is on by
   * configuration, or somebody had it open.
   */
  resume(api: FastifyInstance): Promise<void>
  close(): Promise<void>
}

export interface PageDeps {
  /** Path of the record. */
  readonly file: string
  /** `[web]` of the configuration. */
  readonly config: () => { readonly port?: number | undefined; readonly hosts: readonly string[] }
  readonly clock: () => number
  readonly log: Log
}

const FILES = join(PACKAGE_ROOT, 'dist', 'web')

/** Nothing of it is loaded, and no port is open, until somebody asks for it. */
export function createPage(deps: PageDeps): ServedPage {
  const { file, config, clock, log } = deps
  let api: FastifyInstance | undefined
  let served: { listener: Listener; sessions: Sessions } | undefined
  let serving: Promise<unknown> = Promise.resolve()
  let writing: Promise<void> = Promise.resolve()

  /** One after the other: what was written last is what is. */
  const keep = (kept: () => WebRecord): Promise<void> => {
    writing = writing
      .then(() => writeRecord(file, kept()))
      .catch((thrown: unknown) => {
        log.warn({ err: thrown, file }, 'who has the page open can’t be kept')
      })
    return writing
  }

  const serve = async (before: WebRecord, wanted: number | undefined) => {
    if (api === undefined) throw new Error('the daemon does not serve HTTP yet')
    await requireBuilt()
    const sessions = createSessions({
      clock,
      before: before.sessions,
      changed: () => void keep(() => ({ port: listener.port, sessions: sessions.kept() })),
    })
    const { listen } = await import('./listener.ts')
    const ports = wanted === undefined ? [config().port, before.port, 0] : [wanted]
    const found = await listen(
      { sessions, api, files: FILES, hosts: () => config().hosts, kept: () => writing, log },
      [...new Set(ports)].filter((port) => port !== undefined && port !== null),
    )
    if (found === undefined) throw taken(wanted)
    const listener = found
    served = { listener, sessions }
    await keep(() => ({ port: listener.port, sessions: sessions.kept() }))
    log.info({ port: listener.port }, 'the page is served')
    return served
  }

  /** As asked for: on another port than before, those who have it open there lose it. */
  const serveAt = async (port: number | undefined) => {
    if (served !== undefined && (port === undefined || port === served.listener.port)) return served
    const before = await readRecord(file)
    const earlier = served
    const now = await serve(before, port)
    await earlier?.listener.close()
    return now
  }

  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = serving.then(work, work)
    serving = result.catch(() => {})
    return result
  }

  return {
    open: ({ port, readOnly }) =>
      inTurn(async () => {
        const { listener, sessions } = await serveAt(port)
        const { token, expiresAt } = sessions.link({ readOnly })
        return {
          url: `http://127.0.0.1:${listener.port}/open?token=${token}`,
          expires_at: new Date(expiresAt).toISOString(),
        }
      }),
    resume: (surface) =>
      inTurn(async () => {
        api = surface
        const before = await readRecord(file)
        const isOpen = before.sessions.some(({ expiresAt }) => expiresAt > clock())
        if (config().port === undefined && !isOpen) return
        await serve(before, undefined).catch((thrown: unknown) => {
          log.error({ err: thrown }, 'the page can’t be served')
        })
      }),
    close: () =>
      inTurn(async () => {
        await served?.listener.close()
        served = undefined
        await writing
      }),
  }
}

async function requireBuilt(): Promise<void> {
  const index = join(FILES, 'index.html')
  const isThere = await stat(index).then(
    () => true,
    () => false,
  )
  if (!isThere)
    throw new ExomonadError(
      'NOT_AVAILABLE',
      `The page’s files are not there (${index}). Install exomonad again, or run \`npm run build\` in its sources.`,
    )
}

const taken = (port: number | undefined): ExomonadError =>
  new ExomonadError(
    'NOT_AVAILABLE',
    `Port ${port ?? 'for the page'} can’t be listened on: another program has it, or it needs more rights. Leave out --port, or choose another.`,
    { field: 'port', ...(port === undefined ? {} : { found: port }) },
  )

import type { Server } from 'node:http'
import { createServer } from '../../../packages/subagents/src/node-http.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { Poller } from '../../pull-watch/poller.ts'
import type { Log } from '../../runtime/log.ts'
import { createWebhookHandler } from '../../surfaces/http/webhook.ts'
import type { WebhookHints } from '../../surfaces/http/webhook-hints.ts'

export interface Webhook {
  /** Where they are taken; null where the port could not be had. */
  readonly url: string | null
  close(): Promise<void>
}

/**
 * A large run of checks sends hundreds: of all that comes within this time after a look, one look
 * is made. Milliseconds.
 */
const PACE = 5_000

/**
 * Listens for GitHub’s webhooks, on a port of their own. They only make the poller look sooner;
 * what they say is not believed, and those of other repositories count for nothing. A port that is
 * taken is logged, and polling goes on without. CONFIG_INVALID without a secret.
 */
export async function openWebhook(options: {
  readonly port: number
  readonly host: string
  readonly secret: string
  /** The forge’s identity: `github.com/1296269`, with GitHub’s number of the repository. */
  readonly identity: () => Promise<string>
  readonly poller: Pick<Poller, 'hint' | 'hintAt'>
  readonly log: Log
  /** Default 5 s. */
  readonly pace?: number
}): Promise<Webhook> {
  const { port, host, secret, identity, poller, log, pace = PACE } = options
  if (secret.trim() === '') {
    throw new ExomonadError(
      'CONFIG_INVALID',
      'forge.github.webhook_port is set, but there is no secret to distinguish GitHub’s webhooks from anybody’s. Name a file with it: forge.github.webhook_secret_file.',
    )
  }
  const pending: WebhookHints[] = []
  let timer: NodeJS.Timeout | undefined

  const passOn = async (hints: readonly WebhookHints[]): Promise<void> => {
    const name = await identity()
    const ours = hints.filter(({ repositoryId }) => name.endsWith(`/${repositoryId}`))
    for (const number of new Set(ours.flatMap(({ numbers }) => numbers))) poller.hint(number)
    poller.hintAt({
      branches: ours.flatMap(({ branches }) => branches),
      shas: ours.flatMap(({ shas }) => shas),
    })
  }
  const flush = (): void => {
    timer = undefined
    if (pending.length === 0) return
    const hints = pending.splice(0)
    // While GitHub does not say who it is there is nothing to look at either.
    passOn(hints).catch((error: unknown) =>
      log.debug({ err: error }, 'webhooks could not be made use of'),
    )
    timer = setTimeout(flush, pace)
  }
  const handle = createWebhookHandler({
    secret,
    log,
    onHints: (hints) => {
      pending.push(hints)
      if (timer === undefined) flush()
    },
  })
  const server = createServer(
    { requestTimeout: 30_000, headersTimeout: 10_000 },
    (request, response) => {
      handle(request, response).catch((error: unknown) => {
        log.debug({ err: error }, 'a webhook broke off')
        response.destroy()
      })
    },
  )
  const url = await listen(server, { port, host }).catch((error: unknown) => {
    log.error(
      { err: error, host, port },
      'webhooks can’t be listened for; pull requests are polled all the same',
    )
    return null
  })
  if (url !== null) log.info({ url }, 'webhooks are taken')
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        clearTimeout(timer)
        pending.length = 0
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const listen = (server: Server, where: { port: number; host: string }): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.off('error', reject)
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : where.port
      resolve(`http://${where.host.includes(':') ? `[${where.host}]` : where.host}:${port}/`)
    })
  })

import type { IncomingMessage, ServerResponse } from 'node:http'
import { verify } from '@octokit/webhooks-methods'
import type { Log } from '../../runtime/log.ts'
import { webhookHints, type WebhookHints } from './webhook-hints.ts'
import { parseJson } from '../../domain/formats/parse-json.ts'

/** GitHub sends nothing larger. Bytes. */
const BODY_LIMIT = 25 * 1024 * 1024

/**
 * Returns GitHub’s webhooks. A signature (HMAC-SHA-256 of the body,
 * https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries) that is wrong
 * or missing: 401, and nothing of the body is looked at. Else 202 at once, and what it speaks of is
 * handed on. Nothing of it is believed, so that one that is sent again does no harm.
 */
export function createWebhookHandler({
  secret,
  onHints,
  log,
}: {
  readonly secret: string
  readonly onHints: (hints: WebhookHints) => void
  readonly log: Log
}) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = (status: number, words: string): void => {
      response
        .writeHead(status, {
          'content-type': 'text/plain; charset=utf-8',
          ...(status < 400 ? {} : { connection: 'close' }),
        })
        .end(`${words}\n`)
    }
    if (request.method !== 'POST')
      return answer(405, 'Webhooks of GitHub are taken here, with POST.')
    const signature = headerOf(request, 'x-hub-signature-256')
    const event = headerOf(request, 'x-github-event')
    if (signature === null) return answer(401, 'No signature. Set the secret of the webhook.')
    const body = await bodyOf(request)
    if (body === null) return answer(413, 'That is more than GitHub sends.')
    if (body === '' || !(await verify(secret, body, signature))) {
      log.warn({ event }, 'a webhook with a wrong signature was refused')
      return answer(401, 'The signature is not that of the configured secret.')
    }
    const payload = payloadOf(body, request.headers['content-type'] ?? '')
    if (payload === undefined || event === null) return answer(400, 'That is no webhook of GitHub.')
    answer(202, 'Thank you.')
    const hints = webhookHints(event, payload)
    log.debug(
      { event, delivery: headerOf(request, 'x-github-delivery'), ...hints },
      'a webhook came',
    )
    if (hints !== undefined) onHints(hints)
  }
}

const headerOf = (request: IncomingMessage, name: string): string | null => {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}

/** Null where it is too large; what comes after that is not read. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT) return null
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > BODY_LIMIT) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * GitHub sends JSON, or a form with it, as the webhook is set up. Undefined where there is none.
 */
function payloadOf(body: string, contentType: string): unknown {
  try {
    const text = contentType.startsWith('application/x-www-form-urlencoded')
      ? new URLSearchParams(body).get('payload')
      : body
    return text === null ? undefined : parseJson(text)
  } catch {
    return undefined
  }
}

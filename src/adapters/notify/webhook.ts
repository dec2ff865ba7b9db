import { discord } from './presets/discord.ts'
import { json } from './presets/json.ts'
import { ntfy } from './presets/ntfy.ts'
import type { Preset } from './presets/preset.ts'
import { slack } from './presets/slack.ts'
import { TIMEOUT, type Answer, type NotifyTarget } from './target.ts'

const PRESETS = { json, slack, discord, ntfy } satisfies Record<string, Preset>

/** Of an answer’s text so much is read. Bytes. */
const READ = 2000
/** Of that so much is said. Characters. */
const SAID = 200

/**
 * Posts to an address that is a secret: neither it nor what the answer repeats of it is said, only
 * the host. Redirects are not followed: they would take the words elsewhere.
 */
export function createWebhookTarget(deps: {
  readonly preset: keyof typeof PRESETS
  /** Throws, in words for a person, where there is no address to be had. */
  readonly readUrl: () => Promise<URL>
  /** Milliseconds. */
  readonly timeout?: number
}): NotifyTarget {
  const { timeout = TIMEOUT } = deps
  return {
    async send(notice, signal) {
      let url: URL
      try {
        url = await deps.readUrl()
      } catch (error) {
        return { ok: false, reason: (error as Error).message, again: false }
      }
      const limit = AbortSignal.timeout(timeout)
      try {
        const post = PRESETS[deps.preset](notice, url)
        const response = await fetch(post.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': notice.id },
          body: JSON.stringify(post.json),
          redirect: 'manual',
          signal: AbortSignal.any([signal, limit]),
        })
        const text = withoutAddress(await beginning(response), url)
        return answerOf(response, text, url.host)
      } catch (error) {
        const reason = limit.aborted
          ? `no answer within ${timeout / 1000} s`
          : withoutAddress(reasonOf(error), url)
        return { ok: false, reason: `${url.host}: ${reason}`, again: true }
      }
    },
  }
}

function answerOf({ status, headers }: Response, text: string, host: string): Answer {
  const said = `${host} answered ${status}${text === '' ? '' : `: ${text}`}`
  if (status >= 200 && status < 300) return { ok: true, said }
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return {
    ok: false,
    reason: said,
    again: status >= 500 || status === 429 || status === 408,
    ...(seconds > 0 ? { after: seconds * 1000 } : {}),
  }
}

/** The beginning of an answer’s text as one line; the rest is not waited for. */
async function beginning(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (text.length < READ) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, SAID)
}

/** fetch says why in its cause, and the address nowhere but where it can’t be read. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  return cause instanceof Error
    ? cause.message || String((cause as NodeJS.ErrnoException).code)
    : message
}

/** Services repeat parts of it, such as a topic that is the secret. */
function withoutAddress(text: string, url: URL): string {
  const whole = [url.href, `${url.pathname}${url.search}`, url.pathname, url.search, url.password]
  const segments = url.pathname.split('/')
  const parts = [
    segments.at(-1) ?? '',
    ...segments.filter((segment) => segment.length > 7),
    ...url.searchParams.values(),
    url.username,
  ]
  return [...whole, ...parts.flatMap((part) => [part, decoded(part)])]
    .filter((part) => part.length > 3)
    .reduce((cleaned, part) => cleaned.replaceAll(part, '[redacted]'), text)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** No answer of a forge’s API takes longer. Milliseconds. */
const TIMEOUT = 30_000
/** More is no answer to anything asked here. Bytes. */
const MAX_BYTES = 32 * 1024 * 1024
const MAX_REDIRECTS = 5

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * Named so that Octokit doesn’t send it again: whoever waited 30 s doesn’t want to wait a minute
 * and a half.
 */
export const final = (message: string): Error =>
  Object.assign(new Error(message), { name: 'AbortError' })

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

async function send(url: string, init: RequestInit): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT)
  const signal = init.signal == null ? timeout : AbortSignal.any([init.signal, timeout])
  try {
    return await fetch(url, { ...init, redirect: 'manual', signal })
  } catch (error) {
    if (timeout.aborted) throw final(`no answer within ${TIMEOUT / 1000} s`)
    throw error
  }
}

async function* chunks(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw (error as Error).name === 'TimeoutError'
          ? final(`the answer did not end within ${TIMEOUT / 1000} s`)
          : error
      })
      if (done) return
      yield value as Uint8Array
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

async function readAll(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of chunks(response)) {
    size += part.length
    if (size > MAX_BYTES) throw final(`an answer of more than ${MAX_BYTES / 1024 / 1024} MB`)
    parts.push(part)
  }
  return joined(parts, size)
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Where a redirect leads; undefined where the answer is none. */
function target(url: string, response: Response): URL | undefined {
  const location = response.headers.get('location')
  if (!isRedirect(response.status) || location === null) return undefined
  return URL.canParse(location, url) ? new URL(location, url) : undefined
}

/**
 * fetch for a forge’s API: with a time limit and a bound on the answer’s size. Renamed repositories
 * answer with redirects, which are followed with method and token on the same host alone. Proxies
 * are Node’s own business (NODE_USE_ENV_PROXY=1 with HTTPS_PROXY).
 */
export const apiFetch: Fetch = async (url, init) => {
  let at = url
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await send(at, init)
    const next = target(at, response)
    if (next === undefined) {
      const bytes = await readAll(response)
      const empty = [204, 205, 304].includes(response.status)
      return new Response(empty ? null : bytes, {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
      })
    }
    await response.body?.cancel()
    if (next.origin !== new URL(url).origin)
      throw final(`it redirects to another host (${next.host}), which is not given the token`)
    at = next.href
  }
  throw final('it redirects in a circle')
}

/**
 * The same for texts that are kept elsewhere, such as logs: other hosts are asked without the
 * token, and only the end is kept.
 */
export const tailFetch =
  (bytes: number): Fetch =>
  async (url, init) => {
    let at = url
    let api: Response | undefined
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const elsewhere = new URL(at).origin !== new URL(url).origin
      const response = await send(
        at,
        elsewhere ? { method: 'GET', signal: init.signal ?? null } : init,
      )
      if (!elsewhere) api = response
      const next = target(at, response)
      if (next !== undefined) {
        await response.body?.cancel()
        at = next.href
        continue
      }
      if (!response.ok && !elsewhere) {
        return new Response(await readAll(response), {
          status: response.status,
          statusText: response.statusText,
          headers: response.headers,
        })
      }
      if (!response.ok && response.status !== 404 && response.status !== 410) {
        await response.body?.cancel()
        // The storage’s refusal says nothing of the token: an old link, or a network that doesn’t
        // let it through.
        throw final(`${new URL(at).host}, where the text is kept, answers ${response.status}`)
      }
      const text = new TextDecoder().decode(await readTail(response, bytes))
      const headers = new Headers({ 'content-type': 'text/plain; charset=utf-8' })
      for (const [name, value] of api?.headers ?? [])
        if (name.startsWith('x-ratelimit-')) headers.set(name, value)
      return new Response(text, { status: response.ok ? 200 : response.status, headers })
    }
    throw final('it redirects in a circle')
  }

async function readTail(response: Response, bytes: number): Promise<Uint8Array> {
  let parts: Uint8Array[] = []
  let size = 0
  for await (const part of chunks(response)) {
    parts.push(part)
    size += part.length
    while (parts.length > 1 && size - (parts[0]?.length ?? 0) >= bytes)
      size -= parts.shift()?.length ?? 0
  }
  const tail = joined(parts, size)
  parts = []
  const end = tail.subarray(Math.max(0, tail.length - bytes))
  // Not in the middle of a character.
  let start = 0
  while (size > bytes && start < 3 && ((end[start] ?? 0) & 0xc0) === 0x80) start++
  return end.subarray(start)
}

import { ApiError } from './errors.ts'

/**
 * One exchange with the daemon that serves the page. Throws ApiError with what it answered, and
 * DAEMON_UNAVAILABLE where it does not.
 */
export async function request<Result>(
  path: string,
  {
    body,
    signal,
    headers = {},
  }: {
    /** JSON of a POST; without, it is a GET. */
    readonly body?: unknown
    readonly signal?: AbortSignal | undefined
    readonly headers?: Readonly<Record<string, string>>
  } = {},
): Promise<Result> {
  let response: Response
  let text: string
  try {
    response = await fetch(path, {
      ...(body === undefined
        ? { headers }
        : {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers },
            body: JSON.stringify(body),
          }),
      signal: signal ?? null,
    })
    text = await response.text()
  } catch (thrown) {
    signal?.throwIfAborted()
    throw new ApiError('DAEMON_UNAVAILABLE', 'The daemon does not answer.', {
      cause: String(thrown),
    })
  }
  const answer = parse(text)
  if (response.ok && answer !== undefined) return answer as Result
  const { error, code, ...facts } = (answer ?? {}) as Partial<Record<string, unknown>>
  throw new ApiError(
    (typeof code === 'string' ? code : 'INTERNAL') as ApiError['code'],
    typeof error === 'string'
      ? error
      : `What answered (${response.status}) is not what the daemon says. Load the page again.`,
    facts,
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

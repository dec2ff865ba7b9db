/** A host that doesn’t answer within this is taken for none. Milliseconds. */
const TIMEOUT = 5000

/** Whether an API is GitHub’s. Asked without a token: it is not shown to a host that may be anybody’s. */
export const answersAsGithub = (apiUrl: string): Promise<boolean> =>
  fetch(`${apiUrl}/meta`, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT) }).then(
    async (response) => {
      await response.body?.cancel()
      return response.headers.has('x-github-request-id')
    },
    () => false,
  )

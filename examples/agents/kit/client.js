import { readFileSync } from 'node:fs'

/** Without what else an import of this loads, a whole HTTP client among it. */
const { request } = process.getBuiltinModule('node:http')

/** A tool refused: `code` says why, `facts` is the whole answer. */
export class ToolError extends Error {
  constructor(name, answer) {
    super(`${name}: ${answer.error ?? 'no answer'}`)
    this.code = answer.code
    this.facts = answer
  }
}

/** The daemon went away in the middle of a call: whether it was done is not known. */
export class CutOff extends Error {}

/** How long a daemon that restarts may be away: tries, and milliseconds between two. */
const MOST_TRIES = 300
const PAUSE = 200
/** Times in a row that a call may be cut off. */
const MOST_CUTS = 5
const BROKEN = new Set(['ECONNRESET', 'EPIPE'])
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/**
 * What an agent says to the daemon, over HTTP on its Unix socket. `tool` returns the tool's result
 * or throws ToolError or CutOff. `hook` fails open: a daemon that is down never holds an agent.
 */
export function createClient({ socket, token, authFile }) {
  const bearer = token || (authFile ? readFileSync(authFile, 'utf8').trim() : '')

  async function post(path, body) {
    // A daemon that restarts is away for a moment; its agents go on.
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(path, JSON.stringify(body))
      } catch (error) {
        const away = error.code === 'ECONNREFUSED' || error.code === 'ENOENT'
        if (!away || attempt === MOST_TRIES) throw error
        await pause(PAUSE)
      }
    }
  }

  const once = (path, body) =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }
      const sent = request({ socketPath: socket, path, method: 'POST', headers }, (response) => {
        const chunks = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          try {
            resolve({ status: response.statusCode ?? 0, body: text === '' ? {} : JSON.parse(text) })
          } catch (error) {
            reject(error)
          }
        })
        response.on('aborted', () => reject(new CutOff('the daemon went away while it answered')))
      })
      sent.on('error', (error) =>
        reject(
          BROKEN.has(error.code) ? new CutOff(`the daemon went away: ${error.message}`) : error,
        ),
      )
      sent.end(body)
    })

  return {
    async tool(name, input = {}) {
      const { status, body } = await post(`/v1/tools/${name}`, input)
      if (status >= 400) throw new ToolError(name, body)
      return body
    },
    async hook(event, facts = {}) {
      for (let attempt = 1; ; attempt++) {
        try {
          const { status, body } = await post(`/v1/hooks/${event}`, facts)
          return status < 400
            ? body
            : { decision: 'allow', note: `hook ${event}: ${body.error ?? status}` }
        } catch (error) {
          // What a hook reports may be sent twice.
          if (!(error instanceof CutOff) || attempt === MOST_CUTS)
            return { decision: 'allow', note: `hook ${event}: ${error.message}` }
          await pause(PAUSE)
        }
      }
    },
  }
}

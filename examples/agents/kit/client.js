import { readFileSync } from 'node:fs'
import { request } from 'node:http'

/** A tool refused: `code` says why, `facts` is the whole answer. */
export class ToolError extends Error {
  constructor(name, answer) {
    super(`${name}: ${answer.error ?? 'no answer'}`)
    this.code = answer.code
    this.facts = answer
  }
}

/**
 * What an agent says to the daemon, over HTTP on its Unix socket.
 * `tool` answers the tool's result or throws ToolError. `hook` fails open: a daemon that is down never holds an agent.
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
        if (!away || attempt === 50) throw error
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    }
  }

  const once = (path, body) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
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
      })
      sent.on('error', reject)
      sent.end(body)
    })

  return {
    async tool(name, input = {}) {
      const { status, body } = await post(`/v1/tools/${name}`, input)
      if (status >= 400) throw new ToolError(name, body)
      return body
    },
    async hook(event, facts = {}) {
      try {
        const { status, body } = await post(`/v1/hooks/${event}`, facts)
        return status < 400 ? body : { decision: 'allow', note: `hook ${event}: ${body.error ?? status}` }
      } catch (error) {
        return { decision: 'allow', note: `hook ${event}: ${error.message}` }
      }
    },
  }
}

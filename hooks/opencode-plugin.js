// Runs inside OpenCode, which has no hooks that run commands: reports to `sh program.sh EVENT` what
// happens, and gives the reason not to stop back as a prompt. Whatever goes wrong here must neither
// hold OpenCode nor be seen in it.
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import process from 'node:process'

/** Longest that one report waits for the one before it, milliseconds. */
const REPORT_LIMIT = 3000

/**
 * Options: `hook` (path of program.sh), `worktree`, `unset` (variables that were for OpenCode’s own
 * start only), `allow` (permissions that are granted without a question, `NAME` or
 * `NAME(PATTERN)`).
 */
export const ExomonadPlugin = async (
  { directory, serverUrl },
  { hook, worktree, unset = {}, allow = [] } = {},
) => {
  for (const [name, value] of Object.entries(unset))
    if (process.env[name] === value) delete process.env[name]
  // Its server may open other folders as well, such as that of the agent whose conversation this
  // one takes over.
  if (!process.env.EXOMONAD_SOCKET || !isSame(directory, worktree)) return {}

  const children = new Set()
  const toolOf = new Map()
  let active = false
  let aborted = false
  let failure = null
  let held = null
  let again = false
  let agent

  let before = Promise.resolve()
  /** In the order of what happened; returns what was answered, '' for nothing. */
  const report = (event, body) => {
    const answer = before.then(() => run(hook, event, JSON.stringify(body)))
    before = Promise.race([answer, later(REPORT_LIMIT)])
    return answer
  }
  const post = (path, body) =>
    fetch(new URL(`${path}?directory=${encodeURIComponent(directory)}`, serverUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: authorization() },
      body: JSON.stringify(body),
    })

  const stopped = async (sessionID) => {
    const wasAgain = again
    again = false
    if (aborted) return report('session.aborted', { sessionID })
    if (failure !== null) return report('session.error', { sessionID, message: failure })
    const answer = parse(await report('session.idle', { sessionID, again: wasAgain }))
    if (answer.decision !== 'block' || typeof answer.reason !== 'string') return
    held = answer.reason
    await post(`/session/${sessionID}/prompt_async`, {
      parts: [{ type: 'text', text: held }],
      ...(agent && { agent }),
    })
  }

  const asked = async ({ id, permission, patterns = [], metadata = {} }) => {
    toolOf.set(id, permission)
    if (permission.startsWith('exomonad_') || isAllowed(allow, permission, patterns)) {
      const answer = await post(`/permission/${id}/reply`, { reply: 'once' })
      if (answer.ok) return
    }
    const detail = typeof metadata.command === 'string' ? metadata.command : patterns.join(', ')
    await report('permission.asked', { id, tool: permission, detail })
  }

  const on = {
    'session.created': ({ info }) => {
      if (info?.parentID) children.add(info.id)
    },
    'session.status': ({ sessionID, status }) => {
      if (!children.has(sessionID) && status?.type === 'busy' && !active)
        [active, aborted, failure] = [true, false, null]
    },
    'session.error': ({ sessionID, error }) => {
      if (children.has(sessionID)) return
      if (error?.name === 'MessageAbortedError') aborted = true
      else failure = String(error?.data?.message ?? error?.name ?? 'an error')
    },
    'session.idle': ({ sessionID }) => {
      if (children.has(sessionID) || !active) return
      active = false
      return stopped(sessionID)
    },
    'permission.asked': asked,
    'permission.replied': ({ requestID }) =>
      report('permission.replied', { id: requestID, tool: toolOf.get(requestID) ?? '' }),
    'question.asked': ({ questions = [] }) =>
      report('question.asked', { question: String(questions[0]?.question ?? '') }),
    'question.replied': () => report('question.replied', {}),
    'question.rejected': () => report('question.replied', {}),
  }

  quietly(() => report('plugin.started', {}))
  return {
    event: async ({ event }) => quietly(() => on[event?.type]?.(event.properties ?? {})),
    'chat.message': async ({ sessionID }, { message, parts }) =>
      quietly(() => {
        if (children.has(sessionID)) return
        agent = message?.agent
        const prompt = parts
          .flatMap((part) => (part.type === 'text' && !part.synthetic ? [part.text] : []))
          .join('\n')
        again = prompt === held
        if (again) held = null
        else return report('chat.message', { sessionID, prompt })
      }),
    'tool.execute.before': async ({ tool, sessionID }) =>
      quietly(() => report('tool.execute.before', { tool, sessionID })),
    'tool.execute.after': async ({ tool, sessionID }) =>
      quietly(() =>
        report('tool.execute.after', {
          tool,
          sessionID,
          ...(children.has(sessionID) && { nested: true }),
        }),
      ),
  }
}

/** Begins the work and lets OpenCode go on. */
function quietly(work) {
  Promise.resolve()
    .then(work)
    .catch(() => {})
}

function run(hook, event, input) {
  return new Promise((resolve) => {
    const child = spawn('sh', [hook, event], { stdio: ['pipe', 'pipe', 'ignore'] })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stdin.on('error', () => {})
    child.on('error', () => resolve(''))
    child.on('close', () => resolve(output))
    child.stdin.end(input)
  })
}

const later = (milliseconds) =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref?.()
  })

function parse(text) {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

function isSame(one, other) {
  try {
    return realpathSync(one) === realpathSync(other)
  } catch {
    return one === other
  }
}

/** What it asks is allowed where a rule names the permission, and each of its patterns. */
function isAllowed(rules, permission, patterns) {
  const own = rules.flatMap((rule) => {
    const [, name, pattern = '*'] = /^([^()]+?)(?:\((.*)\))?$/s.exec(rule) ?? []
    return name === permission
      ? [new RegExp(`^${pattern.split('*').map(escape).join('[\\s\\S]*')}$`)]
      : []
  })
  return (
    own.length > 0 &&
    patterns.length > 0 &&
    patterns.every((pattern) => own.some((rule) => rule.test(pattern)))
  )
}

const escape = (text) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

function authorization() {
  const { OPENCODE_SERVER_USERNAME: name = 'opencode', OPENCODE_SERVER_PASSWORD: password = '' } =
    process.env
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}

import type { HookDialect, HookFact, HookOutcome } from '../hook-dialect.ts'

type Body = Readonly<Record<string, unknown>>

const text = (body: Body, key: string): string => (typeof body[key] === 'string' ? body[key] : '')

/** Beyond this length a tool call’s input says nothing more to a person. Characters. */
const LONGEST = 500
const detail = (body: Body): { detail?: string } => {
  const said = text(body, 'detail')
  return said === '' ? {} : { detail: said.length > LONGEST ? `${said.slice(0, LONGEST)}…` : said }
}

function read(event: string, body: Body): HookFact | null {
  switch (event) {
    case 'session-start': {
      const sessionId = text(body, 'sessionId')
      return { kind: 'session-start', ...(sessionId === '' ? {} : { sessionId }) }
    }
    case 'prompt':
      return { kind: 'prompt', prompt: text(body, 'prompt') }
    case 'tool-start':
      return { kind: 'tool-start', tool: text(body, 'tool'), ...detail(body) }
    case 'tool-end': {
      const status = text(body, 'status')
      return {
        kind: 'tool-end',
        tool: text(body, 'tool'),
        ...detail(body),
        ...(status === '' ? {} : { status }),
      }
    }
    case 'permission':
      return { kind: 'permission', tool: text(body, 'tool'), detail: text(body, 'detail') }
    case 'stop':
      return { kind: 'stop', again: body['again'] === true }
    case 'interrupted':
      return { kind: 'interrupted' }
    case 'waiting':
      return { kind: 'waiting', reason: text(body, 'reason') || 'it waits for a person' }
    case 'session-end':
      return { kind: 'session-end', reason: text(body, 'reason') || 'its session ended' }
    default:
      return null
  }
}

/**
 * Text for the model can only be a prompt: what waits goes there, and a reason not to stop is the
 * next one.
 */
function answer(event: string, outcome: HookOutcome): Record<string, unknown> | null {
  if (outcome.kind === 'block' && event === 'stop')
    return { decision: 'block', reason: outcome.reason }
  if (outcome.kind === 'permission' && event === 'permission') {
    return {
      decision: outcome.decision,
      ...(outcome.reason === undefined ? {} : { reason: outcome.reason }),
    }
  }
  return null
}

/**
 * What the detached host says of its sessions: the words are exomonad’s own, whatever agent it is.
 */
export const acpHooks: HookDialect = { read, answer, carries: () => false }

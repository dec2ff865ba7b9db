import type { HookDialect } from '../hook-dialect.ts'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const session = (body: Readonly<Record<string, unknown>>) =>
  text(body['sessionID']) === '' ? {} : { sessionId: text(body['sessionID']) }

/**
 * OpenCode has no hooks of its own that run commands: hooks/opencode-plugin.js, in its process,
 * reports and is answered in these words.
 */
export const openCodeHooks: HookDialect = {
  read: (event, body) => {
    switch (event) {
      case 'plugin.started':
        return { kind: 'session-start' }
      case 'chat.message':
        return { kind: 'prompt', prompt: text(body['prompt']), ...session(body) }
      case 'tool.execute.before':
        return { kind: 'tool-start', tool: text(body['tool']) }
      case 'tool.execute.after':
        return {
          kind: 'tool-end',
          tool: text(body['tool']),
          ...(body['nested'] === true && { nested: true }),
        }
      case 'permission.asked':
        return {
          kind: 'permission',
          tool: text(body['tool']),
          detail: text(body['detail']),
          ...(text(body['id']) !== '' && { id: text(body['id']) }),
        }
      // It is off the table, and the tool goes on or was refused.
      case 'permission.replied':
        return {
          kind: 'tool-end',
          tool: text(body['tool']),
          ...(text(body['id']) !== '' && { settles: { id: text(body['id']) } }),
        }
      case 'question.asked':
        return {
          kind: 'waiting',
          reason: `it asks in its terminal: ${text(body['question'])}`.slice(0, 200),
        }
      case 'question.replied':
        return { kind: 'tool-end', tool: 'question' }
      case 'session.idle':
        return { kind: 'stop', again: body['again'] === true, ...session(body) }
      case 'session.aborted':
        return { kind: 'interrupted' }
      case 'session.error':
        return {
          kind: 'waiting',
          reason: `its turn failed: ${text(body['message'])}`.slice(0, 200),
        }
      default:
        return null
    }
  },
  answer: (event, outcome) =>
    event === 'session.idle' && outcome.kind === 'block'
      ? { decision: 'block', reason: outcome.reason }
      : null,
  // What comes mid-turn goes by its own channel, which needs no tool call to carry it.
  carries: () => false,
}

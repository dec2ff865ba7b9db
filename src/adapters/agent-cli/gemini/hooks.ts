import type { HookDialect, HookFact } from '../hook-dialect.ts'

/**
 * The hooks that are set up. PreCompress is not: 0.61 runs it before every request, compressed or
 * not.
 */
export const GEMINI_EVENTS = [
  'SessionStart',
  'BeforeAgent',
  'BeforeTool',
  'AfterTool',
  'Notification',
  'AfterAgent',
  'SessionEnd',
] as const

/**
 * How a reason not to stop begins. It comes back as a prompt (BeforeAgent), also where a person
 * broke the turn off and the model gets none of it: so that is no proof that messages in it
 * arrived, which the conversation gives instead.
 */
const HELD = 'Before you stop (exomonad):\n'
/**
 * What the program calls the answer of a turn that had none: it was broken off, or the model could
 * not be asked. To hold it would be in vain.
 */
const NOTHING_SAID = '[no response text]'

type Body = Readonly<Record<string, unknown>>

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function sessionOf(body: Body): { sessionId?: string; transcript?: string } {
  const sessionId = text(body['session_id'])
  if (sessionId === '') return {}
  const transcript = text(body['transcript_path'])
  return { sessionId, ...(transcript === '' ? {} : { transcript }) }
}

/** What the dialog asks about, in one line. */
function askedFor(body: Body): string {
  const details = body['details'] as Body | null | undefined
  const what = [
    details?.['title'],
    details?.['command'] ?? details?.['filePath'] ?? details?.['toolName'],
  ]
    .map(text)
    .filter((part) => part !== '')
  return `asks in its terminal: ${what.length > 0 ? what.join(': ') : text(body['message']) || 'may it use a tool?'}`
}

function read(event: string, body: Body): HookFact | null {
  switch (event) {
    case 'SessionStart': {
      const { transcript, ...session } = sessionOf(body)
      // Of a session that is taken up again it names a file that it then leaves; the first prompt
      // names the right one.
      return {
        kind: 'session-start',
        ...session,
        ...(transcript === undefined || body['source'] === 'resume' ? {} : { transcript }),
      }
    }
    case 'BeforeAgent':
      return text(body['prompt']).startsWith(HELD)
        ? null
        : { kind: 'prompt', prompt: text(body['prompt']), ...sessionOf(body) }
    case 'BeforeTool':
      return { kind: 'tool-start', tool: text(body['tool_name']) }
    case 'AfterTool':
      return { kind: 'tool-end', tool: text(body['tool_name']) }
    case 'Notification':
      return body['notification_type'] === 'ToolPermission'
        ? { kind: 'waiting', reason: askedFor(body) }
        : null
    case 'AfterAgent':
      return body['prompt_response'] === NOTHING_SAID
        ? { kind: 'interrupted' }
        : { kind: 'stop', again: body['stop_hook_active'] === true, ...sessionOf(body) }
    case 'SessionEnd':
      // /clear begins a new session in the same program.
      return body['reason'] === 'clear'
        ? null
        : { kind: 'session-end', reason: text(body['reason']) || 'exit' }
    default:
      return null
  }
}

const carries = (event: string): boolean => event === 'BeforeAgent' || event === 'AfterTool'

/**
 * Gemini CLI’s hooks (its docs/hooks/reference.md). It asks before a tool runs and takes no answer
 * from outside.
 */
export const geminiHooks: HookDialect = {
  read,
  carries,
  answer: (event, outcome) => {
    if (outcome.kind === 'context' && carries(event))
      return { hookSpecificOutput: { hookEventName: event, additionalContext: outcome.text } }
    if (outcome.kind === 'block' && event === 'AfterAgent')
      return { decision: 'block', reason: `${HELD}${outcome.reason}` }
    return null
  },
}

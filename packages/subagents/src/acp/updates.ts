import type { AcpTool, AcpToolStatus, AcpUpdate } from './acp.ts'

/**
 * What agents say, read leniently: of several versions of the protocol, and of agents that keep to
 * none of them. Pure and total.
 */

/**
 * Of what a call is called, and of its input in short: both go into the daemon’s record.
 * Characters.
 */
const LONGEST_WORDS = 2000
/** Of a tool’s result. Characters. */
const LONGEST_OUTPUT = 1_000_000

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const inShort = (text: string | null): string | null =>
  text !== null && text.length > LONGEST_WORDS ? `${text.slice(0, LONGEST_WORDS - 1)}…` : text
const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0

/** `params.update` of a `session/update`. */
export function readUpdate(raw: unknown): AcpUpdate {
  const update = fieldsOf(raw)
  const name = textOr(update['sessionUpdate']) ?? 'unknown'
  switch (name) {
    case 'agent_message_chunk':
      return { kind: 'message', text: blockText(update['content']) }
    case 'agent_thought_chunk':
      return { kind: 'thought', text: blockText(update['content']) }
    case 'user_message_chunk':
      return { kind: 'user', text: blockText(update['content']) }
    case 'tool_call':
    case 'tool_call_update': {
      const tool = readTool(update)
      return tool.id === ''
        ? { kind: 'other', name }
        : { kind: 'tool', first: name === 'tool_call', tool }
    }
    case 'plan':
      return {
        kind: 'plan',
        entries: listOf(update['entries']).map((entry) => ({
          content: textOr(fieldsOf(entry)['content']) ?? '',
          status: textOr(fieldsOf(entry)['status']) ?? 'pending',
        })),
      }
    case 'available_commands_update':
      return {
        kind: 'commands',
        names: listOf(update['availableCommands']).flatMap(
          (command) => textOr(fieldsOf(command)['name']) ?? [],
        ),
      }
    case 'current_mode_update':
      return { kind: 'mode', id: textOr(update['currentModeId']) ?? '' }
    case 'usage_update':
      return { kind: 'usage', used: count(update['used']), size: count(update['size']) }
    case 'notice':
      return {
        kind: 'notice',
        text: [textOr(update['title']), textOr(update['description'])]
          .filter((part) => part !== null && part !== '')
          .join(': '),
      }
    default:
      return { kind: 'other', name }
  }
}

const STATUSES: ReadonlySet<string> = new Set<AcpToolStatus>([
  'pending',
  'in_progress',
  'completed',
  'failed',
])

/** A tool call as it is announced, updated or asked permission for. */
export function readTool(raw: unknown): AcpTool {
  const call = fieldsOf(raw)
  const status = textOr(call['status'])
  return {
    id: textOr(call['toolCallId']) ?? '',
    title: inShort(textOr(call['title'])),
    kind: textOr(call['kind']),
    status: status !== null && STATUSES.has(status) ? (status as AcpToolStatus) : null,
    detail: detailOf(call),
    output: outputOf(call),
  }
}

/** Text of a content block; of what is no text, what it is. */
function blockText(raw: unknown): string {
  const block = fieldsOf(raw)
  switch (block['type']) {
    case 'text':
      return textOr(block['text']) ?? ''
    case 'resource_link':
      return textOr(block['uri']) ?? ''
    case 'resource':
      return (
        textOr(fieldsOf(block['resource'])['text']) ??
        textOr(fieldsOf(block['resource'])['uri']) ??
        ''
      )
    case 'image':
    case 'audio':
      return `[${block['type']}]`
    default:
      return ''
  }
}

/** What agents call the one field that says most to a person. */
const DETAIL_FIELDS = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'path',
  'abs_path',
  'absolute_path',
  'pattern',
  'query',
  'url',
] as const

function detailOf(call: Fields): string | null {
  const input = call['rawInput']
  const detail =
    typeof input === 'string'
      ? input
      : (detailIn(fieldsOf(input)) ?? located(call) ?? jsonOf(input))
  if (detail === null || detail === '') return null
  return inShort(detail)
}

function detailIn(input: Fields): string | null {
  for (const name of DETAIL_FIELDS) {
    const value = input[name]
    if (typeof value === 'string' && value !== '') return value
    if (Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string'))
      return value.join(' ')
  }
  return null
}

const located = (call: Fields): string | null =>
  textOr(fieldsOf(listOf(call['locations'])[0])['path'])

const jsonOf = (value: unknown): string | null =>
  Object.keys(fieldsOf(value)).length === 0 ? null : JSON.stringify(value)

function outputOf(call: Fields): string | null {
  const parts = listOf(call['content']).flatMap((raw) => {
    const part = fieldsOf(raw)
    if (part['type'] === 'content') return [blockText(part['content'])]
    if (part['type'] === 'diff') return [`changed ${textOr(part['path']) ?? ''}`]
    return []
  })
  const raw = call['rawOutput']
  if (parts.length === 0 && raw !== undefined && raw !== null)
    parts.push(
      typeof raw === 'string' ? raw : (textOr(fieldsOf(raw)['output']) ?? JSON.stringify(raw)),
    )
  const text = parts.filter((part) => part !== '').join('\n')
  if (text === '') return null
  return text.length > LONGEST_OUTPUT ? text.slice(-LONGEST_OUTPUT) : text
}

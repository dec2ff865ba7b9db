import { promptLines } from '../../domain/formats/session-log.ts'
import type { AcpUpdate } from '../../../packages/subagents/src/acp/acp.ts'
import type { Call, Report } from './rounds.ts'

/**
 * How a session reads for a person who follows it: text as it streams, and what happens between on
 * lines of its own.
 */
export interface Rendering {
  prompt(text: string): void
  update(update: AcpUpdate): void
  tool(report: Report): void
  asks(call: Call): void
  answered(call: Call, decision: 'allow' | 'deny' | 'cancelled', reason: string | null): void
  /** A line about the turn or the session. */
  note(text: string): void
}

/** Of what belongs to a tool call. Characters. */
const LONGEST = 200

/** The first line, shortened. */
function brief(text: string): string {
  const trimmed = text.trim()
  const end = trimmed.indexOf('\n')
  const line = end === -1 ? trimmed : trimmed.slice(0, end).trimEnd()
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : end === -1 ? line : `${line} …`
}

export function createRendering(write: (text: string) => void): Rendering {
  let atLineStart = true
  let streaming: 'message' | 'thought' | null = null
  let plan = ''

  const put = (text: string): void => {
    if (text === '') return
    write(text)
    atLineStart = text.endsWith('\n')
  }
  const line = (text: string): void => {
    streaming = null
    put(`${atLineStart ? '' : '\n'}${text}\n`)
  }
  /** Detail that only says again what the title says is left out. */
  const titled = ({ title, detail }: Call): string =>
    detail === null || title.includes(detail) ? brief(title) : `${brief(title)} (${brief(detail)})`

  return {
    prompt: (text) => line(promptLines(text)),
    update: (update) => {
      switch (update.kind) {
        case 'message':
          if (streaming !== 'message' && !atLineStart) put('\n')
          streaming = 'message'
          return put(update.text)
        case 'thought':
          // What it thinks is long and rarely of use: only that it does is shown.
          if (streaming !== 'thought') line('✻ thinking')
          streaming = 'thought'
          return
        case 'plan': {
          const text = update.entries
            .map(
              ({ content, status }) =>
                `${status === 'completed' ? '☒' : status === 'in_progress' ? '▸' : '☐'} ${brief(content)}`,
            )
            .join('\n')
          if (text !== plan && text !== '') line(text)
          plan = text
          return
        }
        case 'mode':
          return line(`· mode ${update.id}`)
        case 'notice':
          return line(`· ${brief(update.text)}`)
        case 'tool':
        case 'user':
        case 'commands':
        case 'usage':
        case 'other':
          return
      }
    },
    tool: (report) => {
      if (report.kind === 'started') return line(`⏺ ${titled(report.call)}`)
      const result = report.output === null ? '' : `: ${brief(report.output)}`
      line(`  ⎿ ${report.status}${result}`)
    },
    asks: (call) =>
      line(
        `? permission for ${titled(call)}: waits for a person (\`exomonad approve\` or \`exomonad deny\`)`,
      ),
    answered: (call, decision, reason) => {
      const words = { allow: 'allowed', deny: 'denied', cancelled: 'cancelled' }[decision]
      line(
        `? ${words}: ${brief(call.title)}${reason === null || reason === '' ? '' : ` (${brief(reason)})`}`,
      )
    },
    note: (text) => line(`── ${text}`),
  }
}

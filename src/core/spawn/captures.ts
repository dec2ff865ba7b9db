import type { StoreTransaction } from '../../adapters/store/store.ts'
import type { ScrollbackKind } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Captures } from './agent-forks.ts'
import type { Deps } from '../deps.ts'
import { findAgent, requireAlive } from '../agents/directory.ts'
import { openCapture, openCaptureOf } from './open-capture.ts'
import type { Scrollback } from '../panes/scrollback.ts'

/**
 * Bytes of UTF-8 that one capture may have: it becomes a prompt, which some programs take as an
 * argument (Linux allows 128 KiB for one).
 */
const MOST = 100_000
/** Each is an entry of its own, and what is added at once is written at once. */
const MOST_LINES = 2000

/**
 * What a person writes for a child to be. The agent that they look at meanwhile never learns of it.
 */
export function createCaptures({
  store,
  clock,
  scrollback,
}: Pick<Deps, 'store' | 'clock'> & { scrollback: Pick<Scrollback, 'lineNow'> }): Captures {
  const append = (
    tx: StoreTransaction,
    agentId: AgentId,
    kind: ScrollbackKind,
    text: string,
    line: number,
  ) => tx.scrollback.append({ agentId, kind, text, at: clock(), line })

  return {
    add: async ({ agent: { id } }, { begin, text, once }) => {
      const line = await scrollback.lineNow(id)
      const more = text === undefined ? [] : linesOf(text)
      return store.transaction(async (tx) => {
        const agent = await findAgent(tx.agents, id)
        requireAlive(agent, 'capture for a child of')
        const open = await openCaptureOf(tx, agent)
        if (open === null && !begin) throw noneOpen(agent.name, id)
        const lines = [...(open ?? []), ...more]
        const size = Buffer.byteLength(lines.join('\n'))
        if (size > MOST || lines.length > MOST_LINES) {
          throw new ExomonadError(
            'INVALID_ARG',
            `The capture would have ${lines.length} lines and ${size} bytes; ${MOST_LINES} and ${MOST} are the most. Nothing of this was added: put long text into a file and name it.`,
            { field: 'text', lines: lines.length, size, most_lines: MOST_LINES, limit: MOST },
          )
        }
        if (open === null) await append(tx, id, 'capture-begin', '', line)
        for (const one of more) await append(tx, id, 'capture', one, line)
        const result = { agent_id: id, lines: lines.length }
        await once?.mark(tx, result)
        return result
      })
    },

    cancel: async ({ agent: { id, name } }) => {
      const line = await scrollback.lineNow(id)
      return store.transaction(async (tx) => {
        const open = await openCaptureOf(tx, { id, name })
        if (open === null) throw noneOpen(name, id)
        await append(tx, id, 'capture-cancel', '', line)
        return { agent_id: id, lines: open.length }
      })
    },

    scrollback: async (address) => {
      const { id, task } = await findAgent(store.agents, address)
      const entries = await store.scrollback.list(id)
      return {
        agent_id: id,
        task,
        entries: entries.map(({ seq, kind, text, at, line }) => ({ seq, kind, text, at, line })),
        capture_lines: openCapture(entries)?.lines.length ?? null,
      }
    },
  }
}

/**
 * As they were written; the line feed at the end of what a file or a pipe gave begins no further
 * one.
 */
const linesOf = (text: string): string[] =>
  text.toWellFormed().replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n')

const noneOpen = (name: string, id: AgentId): ExomonadError =>
  new ExomonadError(
    'INVALID_ARG',
    `No capture is open for a child of ${name}. \`exomonad capture start\` (in the console /capture) opens one.`,
    { agent: id },
  )

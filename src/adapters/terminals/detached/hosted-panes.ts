import { addToTrace } from '../../../pane-trace.ts'
import { randomBytes } from 'node:crypto'
import { asPaneId, type AgentId, type PaneId } from '../../../ids.ts'
import { awaitEnd } from '../../../processes/deadline.ts'
import { createHostedTerminal, type HostedTerminal } from './hosted-terminal.ts'
import type { HostedPane, Verbs } from './protocol.ts'
import { createViewer, type Viewer } from './viewer.ts'

interface Kept {
  readonly paneId: PaneId
  readonly agentId: AgentId
  readonly openId: string
  readonly terminal: HostedTerminal
  readonly viewers: Map<Viewer, { lastInputAt: number | null; onLeft: () => void }>
  name: string
  pasted: string | null
  entered: string | null
  endedAt: number | null
}

export interface Viewing {
  input(text: string): void
  resize(columns: number, rows: number): void
  stop(): void
}

export interface HostedPanes {
  readonly size: number
  open(options: Verbs['open']['takes']): Verbs['open']['gives']
  list(): HostedPane[]
  type(options: Verbs['type']['takes']): Promise<Verbs['type']['gives']>
  capture(options: Verbs['capture']['takes']): Promise<Verbs['capture']['gives']>
  rename(options: Verbs['rename']['takes']): boolean
  settle(options: Verbs['settle']['takes']): Promise<boolean>
  remove(paneId: PaneId): boolean
  /** Undefined where there is no such pane. `onLeft` is called when it goes. */
  view(options: Verbs['view']['takes'] & { onFrame: (bytes: string, title: string) => void; onLeft: () => void }): Viewing | undefined
}

const SETTLE_LIMIT = 1000

/** The terminals of a host, dead ones included until they are removed. Ids are random: one from before a restart names nobody. */
export function createHostedPanes({ onChange, now }: { onChange: () => void; now: () => number }): HostedPanes {
  const panes = new Map<PaneId, Kept>()

  const describe = ({ paneId, agentId, name, terminal, viewers, pasted, entered, endedAt }: Kept): HostedPane => ({
    paneId,
    agentId,
    name,
    title: terminal.title,
    pid: terminal.pid,
    dead: terminal.ended !== undefined,
    exitCode: terminal.ended?.exitCode ?? null,
    exitSignal: terminal.ended?.exitSignal ?? null,
    endedAt,
    humanActiveAt: latest([...viewers.values()].flatMap(({ lastInputAt }) => lastInputAt ?? [])),
    pasted,
    entered,
  })

  return {
    get size() {
      return panes.size
    },
    open: ({ openId, agentId, name, cwd, env, argv, columns, rows }) => {
      const again = [...panes.values()].find((kept) => kept.openId === openId)
      if (again !== undefined) return { paneId: again.paneId, pid: again.terminal.pid }
      const viewers: Kept['viewers'] = new Map()
      const refresh = () => {
        for (const viewer of viewers.keys()) viewer.refresh()
      }
      const terminal = createHostedTerminal({ argv, cwd, env, columns, rows, onOutput: refresh })
      const paneId = asPaneId(`p-${randomBytes(4).toString('hex')}`)
      const kept: Kept = { paneId, agentId, openId, terminal, viewers, name, pasted: null, entered: null, endedAt: null }
      panes.set(paneId, kept)
      void terminal.end.then(() => {
        kept.endedAt = now()
        refresh()
        onChange()
      })
      return { paneId, pid: terminal.pid }
    },
    list: () => [...panes.values()].map(describe),
    type: async ({ paneId, text, paste, key }) => {
      const kept = panes.get(paneId)
      if (kept === undefined) return { kind: 'gone' }
      const result = await kept.terminal.type(text, { paste })
      if (result.kind === 'typed' && key !== undefined) {
        const trace = paste ? 'pasted' : 'entered'
        kept[trace] = addToTrace(kept[trace], key)
      }
      return result
    },
    capture: async ({ paneId, lines, styled = false }) => {
      const kept = panes.get(paneId)
      return kept === undefined ? null : { text: styled ? await kept.terminal.captureStyled() : await kept.terminal.capture(lines) }
    },
    rename: ({ paneId, name }) => {
      const kept = panes.get(paneId)
      if (kept !== undefined) kept.name = name
      for (const viewer of kept?.viewers.keys() ?? []) viewer.refresh()
      return kept !== undefined
    },
    settle: async ({ paneId }) => {
      const kept = panes.get(paneId)
      if (kept !== undefined) await awaitEnd(kept.terminal.end, SETTLE_LIMIT)
      return kept?.terminal.ended !== undefined
    },
    remove: (paneId) => {
      const kept = panes.get(paneId)
      if (kept === undefined) return false
      panes.delete(paneId)
      for (const { onLeft } of kept.viewers.values()) onLeft()
      kept.terminal.dispose()
      onChange()
      return true
    },
    view: ({ paneId, columns, rows, unattended = false, onFrame, onLeft }) => {
      const kept = panes.get(paneId)
      if (kept === undefined) return undefined
      const { terminal, viewers } = kept
      const title = () => {
        const { ended } = terminal
        return ended === undefined ? kept.name : `${kept.name} ended (${ended.exitSignal ?? `exit code ${String(ended.exitCode)}`})`
      }
      const viewer = createViewer({ screen: terminal.screen, columns, rows, onFrame: (bytes) => onFrame(bytes, title()) })
      const person: { lastInputAt: number | null; onLeft: () => void } = { lastInputAt: unattended ? null : now(), onLeft }
      viewers.set(viewer, person)
      return {
        input: (text) => {
          person.lastInputAt = now()
          void terminal.type(text, { paste: false })
        },
        resize: (newColumns, newRows) => viewer.resize(newColumns, newRows),
        stop: () => {
          viewer.close()
          viewers.delete(viewer)
        },
      }
    },
  }
}

const latest = (times: readonly number[]): number | null => (times.length === 0 ? null : Math.max(...times))

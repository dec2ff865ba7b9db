import { leaderOf, QUIET, sizeFor, type Looking, type Size } from '../size-policy.ts'
import type { HostedTerminal } from './hosted-terminal.ts'
import type { FrameSize, Verbs } from './protocol.ts'
import { createViewer } from './viewer.ts'

export interface Viewing {
  input(text: string): void
  resize(columns: number, rows: number): void
  stop(): void
}

export interface Viewers {
  /** When somebody who looks typed last (ms since the epoch); null where nobody looks. */
  readonly activeAt: number | null
  /** Something on the screen changed. */
  refresh(): void
  /** `onLeft` is called when the terminal goes. */
  view(
    options: Verbs['view']['takes'] & {
      onFrame: (bytes: string, title: string, size: FrameSize) => void
      isBehind: () => boolean
      onLeft: () => void
    },
  ): Viewing
  /** The terminal goes. */
  leave(): void
}

/**
 * Those who look at a terminal, which follows their size (size-policy.ts) while they do. `title`:
 * what it is called now.
 */
export function createViewers({
  terminal,
  title,
  now,
}: {
  terminal: HostedTerminal
  title: () => string
  now: () => number
}): Viewers {
  const own: Size = terminal.size
  const viewers = new Map<
    ReturnType<typeof createViewer>,
    { looking: Looking; lastInputAt: number | null; onLeft: () => void }
  >()
  let count = 0
  let timer: NodeJS.Timeout | undefined

  const refresh = () => {
    for (const viewer of viewers.keys()) viewer.refresh()
  }
  const everybody = () => [...viewers.values()].map(({ looking }) => looking)
  const follow = async () => {
    const { columns, rows } = sizeFor(everybody(), own)
    await terminal.resize(columns, rows)
    refresh()
  }
  const followSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void follow(), QUIET)
  }

  return {
    get activeAt() {
      const times = [...viewers.values()].flatMap(({ lastInputAt }) => lastInputAt ?? [])
      return times.length === 0 ? null : Math.max(...times)
    },
    refresh,
    view: ({ columns, rows, readOnly = false, embedded = false, whole = false, ...calls }) => {
      const { onFrame, isBehind, onLeft } = calls
      const viewer = createViewer({
        terminal,
        columns,
        rows,
        mouse: !readOnly,
        whole,
        isBehind,
        onFrame: (bytes) => {
          const leads = leaderOf(everybody())
          onFrame(bytes, title(), {
            ...terminal.size,
            leads: leads === undefined ? null : leads === person.looking ? 'this' : 'other',
          })
        },
      })
      const looking: Looking = {
        columns,
        rows,
        readOnly,
        embedded,
        typed: null,
        since: (count += 1),
      }
      // A part of somebody's screen shows that nobody looks until something is typed there.
      const person: { looking: Looking; lastInputAt: number | null; onLeft: () => void } = {
        looking,
        lastInputAt: embedded ? null : now(),
        onLeft,
      }
      viewers.set(viewer, person)
      followSoon()
      return {
        input: (text) => {
          if (readOnly) return
          person.lastInputAt = now()
          const leads = person.looking.typed === count
          person.looking = { ...person.looking, typed: leads ? count : (count += 1) }
          if (!leads) {
            followSoon()
            refresh()
          }
          void terminal.type(text, { paste: false })
        },
        resize: (newColumns, newRows) => {
          viewer.resize(newColumns, newRows)
          person.looking = { ...person.looking, columns: newColumns, rows: newRows }
          followSoon()
        },
        stop: () => {
          viewer.close()
          if (viewers.delete(viewer)) followSoon()
        },
      }
    },
    leave: () => {
      for (const { onLeft } of [...viewers.values()]) onLeft()
      clearTimeout(timer)
    },
  }
}

import { readTrace } from '../../../pane-trace.ts'
import { z } from 'zod'
import { asPaneId, type PaneId } from '../../../ids.ts'
import type { Pane } from '../holder.ts'
import { isForeground, isRunning } from '../../../processes/processes.ts'
import { signalNames } from '../../../processes/signal-names.ts'
import type { PaneRecord, Records } from './records.ts'
import { parseJson } from '../../../parse-json.ts'

const entrySchema = z.object({
  id: z.number(),
  is_plugin: z.boolean(),
  title: z.string(),
  exited: z.boolean(),
  exit_status: z.number().nullable(),
  terminal_command: z.string().nullable(),
  pane_content_columns: z.number(),
  pane_content_rows: z.number(),
  tab_id: z.number(),
  tab_name: z.string(),
})

/** A pane of ours as Zellij lists it, and our record of it. */
export interface Listed {
  readonly paneId: PaneId
  readonly tabId: number
  readonly tabName: string
  readonly title: string
  readonly columns: number
  readonly rows: number
  /** The pane's own process is gone, which outlives the program: somebody killed it. */
  readonly exited: boolean
  readonly exitStatus: number | null
  readonly record: PaneRecord
}

export const isPaneId = (paneId: PaneId): boolean => /^terminal_\d+$/.test(paneId)

export type Entry = z.infer<typeof entrySchema>

/** The terminals that `list-panes --json` printed; undefined where it printed something else. */
export function parseEntries(listing: string): Entry[] | undefined {
  const said = z.array(entrySchema).min(1).safeParse(jsonIn(listing))
  return said.success ? said.data.filter(({ is_plugin: isPlugin }) => !isPlugin) : undefined
}

function jsonIn(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Panes that we have no record of are left out: people open some of their own. */
export async function withRecords(entries: readonly Entry[], records: Records): Promise<Listed[]> {
  const found = entries.map(async (entry): Promise<Listed | undefined> => {
    const key = entry.terminal_command === null ? undefined : records.keyIn(entry.terminal_command)
    const record = key === undefined ? undefined : await records.read(key)
    if (record === undefined) return undefined
    return {
      paneId: asPaneId(`terminal_${String(entry.id)}`),
      tabId: entry.tab_id,
      tabName: entry.tab_name,
      // Of a pane that was given no name it is what the program says; until it says something, the command.
      title: entry.title === entry.terminal_command ? '' : entry.title,
      columns: entry.pane_content_columns,
      rows: entry.pane_content_rows,
      exited: entry.exited,
      exitStatus: entry.exit_status,
      record,
    }
  })
  return (await Promise.all(found)).filter((pane) => pane !== undefined)
}

/** Size of the first pane of all, whose tab has the keeper's. */
export function homeSize(entries: readonly Entry[]): { columns: number; rows: number } | undefined {
  const home = entries.find(({ id }) => id === HOME_PANE)
  return home && { columns: home.pane_content_columns, rows: home.pane_content_rows }
}

/** Number of the pane that the session begins with. */
export const HOME_PANE = 0

/** A shell tells a signal as 128 and its number: a program that exits with such a code of its own can't be told from one. */
function endOf({ record: { ended }, exited, exitStatus }: Listed): Pick<Pane, 'exitCode' | 'exitSignal'> {
  if (ended === null) return { exitCode: exited ? exitStatus : null, exitSignal: exited && exitStatus === null ? 'SIGKILL' : null }
  const signal = ended > 128 ? signalNames.get(ended - 128) : undefined
  return signal === undefined ? { exitCode: ended, exitSignal: null } : { exitCode: null, exitSignal: signal }
}

/** `activeAt`: when a person typed into it. */
export async function describePane(pane: Listed, activeAt: number | null): Promise<Pane> {
  const { record } = pane
  const dead = record.ended !== null || pane.exited || (record.pid !== null && !(await isRunning(record.pid)))
  return {
    paneId: pane.paneId,
    agentId: record.agentId,
    pid: record.pid ?? 0,
    name: record.name,
    title: record.framed ? undefined : pane.title === '' ? null : pane.title,
    dead,
    ...endOf(pane),
    // Zellij's modes are its clients': what is written to a pane reaches its program in all of them.
    inMode: false,
    foreground: dead || record.pid === null ? null : await isForeground(record.pid),
    humanActiveAt: activeAt,
    pasted: record.pasting === null ? readTrace(record.pasted) : undefined,
    entered: record.entering === null ? readTrace(record.entered) : undefined,
  }
}

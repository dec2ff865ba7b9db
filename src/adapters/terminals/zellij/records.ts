import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { AgentId } from '../../../ids.ts'
import { isRunning } from '../../../processes/processes.ts'
import { parseJson } from '../../../parse-json.ts'

/** What Zellij can't keep of a pane: whose it is, and what was typed into it. The process ids and ends are written by hooks/hold-pane.sh. */
export interface PaneRecord {
  readonly key: string
  readonly agentId: AgentId
  readonly name: string
  /** The pane was given a name, behind which Zellij hides what its program calls itself. */
  readonly framed: boolean
  /** Key of the last paste; `pasting` while one is under way, of which a crash leaves unknown how far it came. The same for Enter. */
  readonly pasted: string | null
  readonly pasting: string | null
  readonly entered: string | null
  readonly entering: string | null
  /** Null until the program has started. */
  readonly pid: number | null
  /** As the shell tells it; null while it runs. */
  readonly ended: number | null
}

export interface Records {
  /** Absolute path of the folder, which exists. */
  folder(): Promise<string>
  create(pane: Pick<PaneRecord, 'agentId' | 'name'>): Promise<string>
  /** Beginning of the names of a record's files, for hooks/hold-pane.sh. */
  pathOf(key: string): string
  /** Key of the record whose path stands in a command; undefined where none does. */
  keyIn(command: string): string | undefined
  read(key: string): Promise<PaneRecord | undefined>
  note(key: string, patch: Partial<Pick<PaneRecord, 'name' | 'framed' | 'pasted' | 'pasting' | 'entered' | 'entering'>>): Promise<void>
  remove(key: string): Promise<void>
  /** Keys of all records. */
  keys(): Promise<string[]>
  /** Removes those that are not among `known` and that nothing is to come of: leftovers of panes that went while nobody looked. */
  forget(known: ReadonlySet<string>): Promise<void>
}

const schema = z.object({
  agentId: z.string(),
  name: z.string(),
  framed: z.boolean(),
  pasted: z.string().nullable(),
  pasting: z.string().nullable(),
  entered: z.string().nullable(),
  entering: z.string().nullable(),
})
type Kept = z.infer<typeof schema>

/** So old, a record without a process is not of a pane that is being opened. Milliseconds. */
const ABANDONED = 60_000

/** Records that are read at the same time: there may be more panes than a process may open files. */
const READ_AT_ONCE = 16

/** Runs so many at the same time; the others wait for their turn. */
function atMost(limit: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    running += 1
    try {
      return await work()
    } finally {
      running -= 1
      waiting.shift()?.()
    }
  }
}

export function createRecords(path: string): Records {
  /** Changes are made one at a time for each: one that read before another wrote would take that back. */
  const lastChange = new Map<string, Promise<unknown>>()
  const pathOf = (key: string): string => join(path, key)
  const numberIn = async (file: string): Promise<number | null> => {
    const text = await readFile(file, 'utf8').catch(() => '')
    return /^\d+\s*$/.test(text) ? Number(text) : null
  }
  const kept = async (key: string): Promise<Kept | undefined> => {
    const text = await readFile(`${pathOf(key)}.json`, 'utf8').catch(() => undefined)
    return text === undefined ? undefined : schema.parse(parseJson(text))
  }
  const keep = async (key: string, record: Kept): Promise<void> => {
    const draft = `${pathOf(key)}.json~${randomBytes(4).toString('hex')}`
    await writeFile(draft, JSON.stringify(record), { mode: 0o600 })
    await rename(draft, `${pathOf(key)}.json`)
  }
  const names = (): Promise<string[]> => readdir(path).catch(() => [])
  const filesOf = async (key: string): Promise<string[]> => (await names()).filter((name) => name.startsWith(`${key}.`)).map((name) => join(path, name))
  const limited = atMost(READ_AT_ONCE)
  const read: Records['read'] = async (key) => {
    const [record, pid, ended] = await limited(() => Promise.all([kept(key), numberIn(`${pathOf(key)}.pid`), numberIn(`${pathOf(key)}.ended`)]))
    return record === undefined ? undefined : { ...record, key, agentId: record.agentId as AgentId, pid, ended }
  }
  const remove: Records['remove'] = async (key) => {
    // First the record itself: what would still start finds none then (hooks/hold-pane.sh).
    await rm(`${pathOf(key)}.json`, { force: true })
    await Promise.all((await filesOf(key)).map((file) => rm(file, { force: true, recursive: true })))
  }
  const isLeftOver = async (key: string): Promise<boolean> => {
    const record = await read(key)
    if (record !== undefined && record.ended !== null) return true
    if (record !== undefined && record.pid !== null) return !(await isRunning(record.pid))
    const times = await Promise.all((await filesOf(key)).map(async (file) => (await stat(file).catch(() => undefined))?.mtimeMs ?? 0))
    return Date.now() - Math.max(0, ...times) > ABANDONED
  }

  return {
    folder: async () => {
      await mkdir(path, { recursive: true, mode: 0o700 })
      return path
    },
    create: async ({ agentId, name }) => {
      const key = randomBytes(8).toString('hex')
      await mkdir(path, { recursive: true, mode: 0o700 })
      await keep(key, { agentId, name, framed: false, pasted: null, pasting: null, entered: null, entering: null })
      return key
    },
    pathOf,
    keyIn: (command) => {
      // Somebody may look at a record in a pane of their own.
      const start = `/hold-pane.sh ${path}/`
      const at = command.indexOf(start)
      return at < 0 ? undefined : /^[0-9a-f]{16}(?= )/.exec(command.slice(at + start.length))?.[0]
    },
    read,
    note: (key, patch) => {
      const changed = (lastChange.get(key) ?? Promise.resolve()).then(async () => {
        const record = await kept(key)
        if (record !== undefined) await keep(key, { ...record, ...patch })
      })
      const settled = changed.catch(() => undefined)
      lastChange.set(key, settled)
      void settled.then(() => lastChange.get(key) === settled && lastChange.delete(key))
      return changed
    },
    remove,
    keys: async () => (await names()).flatMap((name) => /^([0-9a-f]{16})\.json$/.exec(name)?.[1] ?? []),
    forget: async (known) => {
      const found = new Set((await names()).flatMap((name) => /^[0-9a-f]{16}(?=\.)/.exec(name)?.[0] ?? []))
      for (const key of found) if (!known.has(key) && (await isLeftOver(key))) await remove(key)
    },
  }
}

import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { AgentId } from '../../../ids.ts'

/** What Zellij can't keep of a pane: whose it is, and what was typed into it. The process ids and ends are written by hooks/hold-pane.sh. */
export interface PaneRecord {
  readonly key: string
  readonly agentId: AgentId
  readonly name: string
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
  create(pane: { agentId: AgentId; name: string }): Promise<string>
  /** Beginning of the names of a record's files, for hooks/hold-pane.sh. */
  pathOf(key: string): string
  /** Key of the record whose path stands in a command; undefined where none does. */
  keyIn(command: string): string | undefined
  read(key: string): Promise<PaneRecord | undefined>
  note(key: string, patch: Partial<Pick<PaneRecord, 'name' | 'pasted' | 'pasting' | 'entered' | 'entering'>>): Promise<void>
  remove(key: string): Promise<void>
  /** Keys of all records. */
  keys(): Promise<string[]>
}

const schema = z.object({
  agentId: z.string(),
  name: z.string(),
  pasted: z.string().nullable(),
  pasting: z.string().nullable(),
  entered: z.string().nullable(),
  entering: z.string().nullable(),
})
type Kept = z.infer<typeof schema>

export function createRecords(path: string): Records {
  const pathOf = (key: string): string => join(path, key)
  const numberIn = async (file: string): Promise<number | null> => {
    const text = await readFile(file, 'utf8').catch(() => '')
    return /^\d+\s*$/.test(text) ? Number(text) : null
  }
  const kept = async (key: string): Promise<Kept | undefined> => {
    const text = await readFile(`${pathOf(key)}.json`, 'utf8').catch(() => undefined)
    return text === undefined ? undefined : schema.parse(JSON.parse(text))
  }
  const keep = async (key: string, record: Kept): Promise<void> => {
    const draft = `${pathOf(key)}.json~${randomBytes(4).toString('hex')}`
    await writeFile(draft, JSON.stringify(record), { mode: 0o600 })
    await rename(draft, `${pathOf(key)}.json`)
  }

  return {
    folder: async () => {
      await mkdir(path, { recursive: true, mode: 0o700 })
      return path
    },
    create: async ({ agentId, name }) => {
      const key = randomBytes(8).toString('hex')
      await mkdir(path, { recursive: true, mode: 0o700 })
      await keep(key, { agentId, name, pasted: null, pasting: null, entered: null, entering: null })
      return key
    },
    pathOf,
    keyIn: (command) => {
      const at = command.indexOf(`${path}/`)
      return at < 0 ? undefined : /^[0-9a-f]{16}/.exec(command.slice(at + path.length + 1))?.[0]
    },
    read: async (key) => {
      const [record, pid, ended] = await Promise.all([kept(key), numberIn(`${pathOf(key)}.pid`), numberIn(`${pathOf(key)}.ended`)])
      return record === undefined ? undefined : { ...record, key, agentId: record.agentId as AgentId, pid, ended }
    },
    note: async (key, patch) => {
      const record = await kept(key)
      if (record !== undefined) await keep(key, { ...record, ...patch })
    },
    remove: async (key) => {
      await Promise.all(
        ['.json', '.json~', '.pid', '.pid~', '.ended', '.ended~', '.started'].map((ending) => rm(pathOf(key) + ending, { force: true, recursive: true })),
      )
    },
    keys: async () => (await readdir(path).catch(() => [])).flatMap((name) => /^([0-9a-f]{16})\.json$/.exec(name)?.[1] ?? []),
  }
}

import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../domain/formats/parse-json.ts'
import type { AgentId } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/formats/resource-limits.ts'

const limit = z.enum(LIMITS)
const count = z.object({
  seen: z.number(),
  seenAt: z.number(),
  told: z.number(),
  toldAt: z.number(),
})
const group = z.object({
  /** Absolute; empty for a slice that the manager has not made yet. */
  path: z.string(),
  version: z.union([z.literal(1), z.literal(2)]),
  holds: z.array(limit),
  slice: z.string().optional(),
  scope: z.object({ runtime: z.string(), property: z.string() }).optional(),
})

/**
 * What an agent is held to and how, on disk before anything of it is made: whoever comes after a
 * crash finds all there is, wherever it is itself.
 */
const recordSchema = z.object({
  bounds: z.partialRecord(limit, z.object({ value: z.number(), key: z.string() })),
  groups: z.array(group),
  ofProcess: z.array(limit),
  /** Of an earlier start, with processes in them still. */
  former: z.array(group),
  /** What was reported of the counts, of the group that was made as `made`. */
  noted: z.object({
    made: z.string(),
    memory: count.optional(),
    processes: count.optional(),
  }),
})
export type LimitRecord = z.output<typeof recordSchema>

/** One file for each agent that is held to anything. */
export function createRecords(folder: string) {
  const file = (id: AgentId): string => join(folder, `${id}.json`)
  return {
    list: async (): Promise<AgentId[]> =>
      (await readdir(folder).catch(() => []))
        .filter((name) => name.endsWith('.json'))
        .map((name) => name.slice(0, -'.json'.length) as AgentId),
    has: (id: AgentId): Promise<boolean> =>
      access(file(id)).then(
        () => true,
        () => false,
      ),
    /** Undefined where there is none, or none that can be read. */
    read: async (id: AgentId): Promise<LimitRecord | undefined> => {
      const text = await readFile(file(id), 'utf8').catch(() => undefined)
      if (text === undefined) return undefined
      try {
        return recordSchema.parse(parseJson(text))
      } catch {
        return undefined
      }
    },
    write: async (id: AgentId, record: LimitRecord): Promise<void> => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(`${file(id)}.new`, JSON.stringify(record), { mode: 0o600 })
      await rename(`${file(id)}.new`, file(id))
    },
    remove: (id: AgentId): Promise<void> => rm(file(id), { force: true }),
  }
}

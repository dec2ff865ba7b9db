import { readFile, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { parseJson } from '../../domain/formats/parse-json.ts'
import type { KeptSession } from './sessions.ts'

/** Where the page was last served, and who had it open. */
export interface WebRecord {
  readonly port: number | null
  readonly sessions: readonly KeptSession[]
}

const record = z.object({
  port: z.number().int().min(1).max(65_535).nullable(),
  sessions: z.array(
    z
      .object({
        resume: z.string(),
        // Not in records of before.
        link: z.string().optional(),
        readOnly: z.boolean(),
        expiresAt: z.number(),
      })
      .transform((session) => ({ ...session, link: session.link ?? session.resume })),
  ),
})

const NONE: WebRecord = { port: null, sessions: [] }

/** Nothing where there is none, or it can’t be read: a page is opened anew then. */
export async function readRecord(file: string): Promise<WebRecord> {
  const text = await readFile(file, 'utf8').catch(() => '')
  try {
    return record.parse(parseJson(text))
  } catch {
    return NONE
  }
}

/** Whole or not at all, for this user alone. */
export async function writeRecord(file: string, kept: WebRecord): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(kept)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

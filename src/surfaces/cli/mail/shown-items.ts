import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../../domain/formats/parse-json.ts'
import type { CliContext } from '../context.ts'
import { locateRepository } from '../locate.ts'

const shownSchema = z.array(z.string())

/** Null where it can’t be found out: numbers are those of now then. */
async function fileOf({ options, environment, host }: CliContext): Promise<string | null> {
  const located = await locateRepository(options().cwd, environment, host).catch(() => null)
  return located === null ? null : join(located.paths.state, 'inbox-shown.json')
}

/**
 * Keeps which items a person was shown, by their numbers: what they type next means those, also
 * where something before them was settled meanwhile. `ids`: in the order of their numbers.
 */
export async function rememberShown(context: CliContext, ids: readonly string[]): Promise<void> {
  const file = await fileOf(context)
  if (file !== null) await writeFile(file, JSON.stringify(ids), { mode: 0o600 }).catch(() => {})
}

/** The id of the item that had this number when items were shown last; the number where none were. */
export async function idShownAs(context: CliContext, called: string): Promise<string> {
  if (!/^\d+$/.test(called)) return called
  const file = await fileOf(context)
  const text = file === null ? '[]' : await readFile(file, 'utf8').catch(() => '[]')
  const shown = shownSchema.safeParse(parsed(text))
  return (shown.success ? shown.data[Number(called) - 1] : undefined) ?? called
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return []
  }
}

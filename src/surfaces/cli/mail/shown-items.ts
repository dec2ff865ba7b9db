import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { shownElsewhereFile } from '../../../config/user-state.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'
import type { CliContext } from '../context.ts'
import { locateRepository } from '../locate.ts'

/** Ids in the order of their numbers; null where that one was not shown. */
const shownSchema = z.array(z.string().nullable())

/** Null where it can’t be found out: numbers are those of now then. */
async function fileOf({
  options,
  environment,
  host,
  elsewhere,
}: CliContext): Promise<string | null> {
  if (elsewhere !== null) return shownElsewhereFile(environment, elsewhere.target.name)
  const located = await locateRepository(options().cwd, environment, host).catch(() => null)
  return located === null ? null : join(located.paths.state, 'inbox-shown.json')
}

/**
 * Keeps which items a person was shown, by their numbers: what they type next means those, also
 * where something before them was settled meanwhile. `whole`: these are all there are.
 */
export async function rememberShown(
  context: CliContext,
  items: readonly { readonly number: number; readonly id: string }[],
  { whole }: { readonly whole: boolean },
): Promise<void> {
  const file = await fileOf(context)
  if (file === null) return
  const shown = whole ? [] : await readShown(file)
  for (const { number, id } of items) shown[number - 1] = id
  await writeFile(file, JSON.stringify([...shown]), { mode: 0o600 }).catch(() => {})
}

/** The id of the item that had this number when it was shown last; the number where none had. */
export async function idShownAs(context: CliContext, called: string): Promise<string> {
  if (!/^\d+$/.test(called)) return called
  const file = await fileOf(context)
  const shown = file === null ? [] : await readShown(file)
  return shown[Number(called) - 1] ?? called
}

async function readShown(file: string): Promise<(string | null)[]> {
  const text = await readFile(file, 'utf8').catch(() => '[]')
  try {
    return shownSchema.parse(parseJson(text))
  } catch {
    return []
  }
}

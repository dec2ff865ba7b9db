import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isRunning } from '../../../processes/processes.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

const recordSchema = z.object({ agentId: z.string(), name: z.string() })

export interface LeftInZellij extends z.infer<typeof recordSchema> {
  readonly pid: number
}

/**
 * Agents whose programs still run in the session of a version that had them in Zellij, by the
 * records that it kept of them. `stateDir`: of the repository.
 */
export async function leftInZellij(stateDir: string): Promise<LeftInZellij[]> {
  const folder = join(stateDir, 'zellij', 'panes')
  const read = (file: string): Promise<string> =>
    readFile(join(folder, file), 'utf8').catch(() => '')
  const keys = (await readdir(folder).catch(() => []))
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
  const found = keys.map(async (key): Promise<LeftInZellij[]> => {
    const pid = Number(await read(`${key}.pid`))
    const record = recordSchema.safeParse(parsed(await read(`${key}.json`)))
    return record.success && pid > 0 && (await isRunning(pid)) ? [{ ...record.data, pid }] : []
  })
  return (await Promise.all(found)).flat()
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

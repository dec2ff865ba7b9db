import { realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Environment } from '../../../config/environment.ts'
import { findOwned } from '../../../config/repository-records.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'
import { readText, requestOverSocket } from '../../socket-http.ts'
import { findRepository } from '../../../config/find-repository.ts'

/** As the `attention` tool gives it. */
interface Attention {
  readonly working: number
  readonly items: number
}

/** A prompt does not wait for a daemon that is busy. Milliseconds. */
const PATIENCE = 500

/**
 * For the prompt of a shell: asks the daemon of the repository around a folder. Null where there is
 * none, where it does not answer in a moment, and in agents; starts nothing, runs nothing, and
 * never throws. It reads no more than it must, and loads none of what other commands need.
 */
export async function readAttention(
  cwd: string,
  environment: Environment,
): Promise<Attention | null> {
  try {
    if (environment.agentId !== null || environment.token !== null) return null
    const found = await findRepository(cwd)
    if (found === undefined) return null
    const owned = await findOwned(environment, found.commonDir)
    // Without a daemon nobody is asked. In what exomonad made for agents nobody is the owner.
    if (owned === null || owned.record.pid === null) return null
    const { record, token } = owned
    if (`${await realpath(cwd)}${sep}`.startsWith(join(record.home, '.exomonad', sep))) return null
    const response = await requestOverSocket({
      socket: record.socket,
      method: 'POST',
      path: '/v1/tools/attention',
      headers: { authorization: `Bearer ${token}` },
      body: '{}',
      timeout: PATIENCE,
    })
    const answer = parseJson(await readText(response)) as Partial<Attention>
    const { working, items } = answer
    return typeof working === 'number' && typeof items === 'number' ? { working, items } : null
  } catch {
    return null
  }
}

/** `exo 3 ◐ 1 !`: agents at work, and items that need the person; what is 0 is left out. */
export const attentionWords = ({ working, items }: Attention): string =>
  ['exo', ...(working > 0 ? [`${working} ◐`] : []), ...(items > 0 ? [`${items} !`] : [])].join(' ')

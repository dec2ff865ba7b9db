import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '../config/environment.ts'
import { userStateFolder } from '../config/user-state.ts'
import type { Host } from '../surfaces/cli/host.ts'

/** What a report for a bug needs beside what is printed anyway. */
export function createReportHost(environment: Environment): Host['report'] {
  return {
    store: async ({ database }) =>
      (await import('../adapters/store/sqlite/store-facts.ts')).readStoreFacts(database),
    clean: async (text, options) => {
      const { cleanReport } = await import('../daemon/report/clean-report.ts')
      return cleanReport(text, { ...options, environment, tokens: await ownerTokens(environment) })
    },
  }
}

/** Of all repositories of this person. */
async function ownerTokens(environment: Environment): Promise<string[]> {
  const folder = userStateFolder(environment)
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.token'))
  const texts = await Promise.all(
    names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')),
  )
  return texts.map((text) => text.trim())
}

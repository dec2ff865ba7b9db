import { createHash } from 'node:crypto'
import { ExomonadError } from '../../../domain/errors.ts'
import type { RunSettings } from './check-runs.ts'
import type { LocalForgeOptions } from './options.ts'

/** What pull requests are checked with, as configured now. */
export interface CheckConfig {
  /**
   * Undefined where nothing is checked. `hash` of the command: under another one a head is checked
   * anew.
   */
  readonly settings: () => Promise<Configured | undefined>
  /** The same of what merges come to. */
  readonly results: () => Promise<Configured | undefined>
  /** Why configured commands must not run here; null where they may. */
  readonly distrust: () => Promise<string | null>
}

interface Configured {
  readonly settings: RunSettings
  readonly hash: string
}

const hashOf = (argv: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(argv)).digest('hex').slice(0, 16)

export function createCheckConfig({
  ci,
  trusted,
}: Pick<LocalForgeOptions, 'ci' | 'trusted'>): CheckConfig {
  return {
    settings: async () => {
      const { argv, ...rest } = await ci()
      return argv === undefined ? undefined : { settings: { ...rest, argv }, hash: hashOf(argv) }
    },
    results: async () => {
      const { argv: own, parallel, results = {}, ...rest } = await ci()
      const argv = results.argv ?? own
      return argv === undefined
        ? undefined
        : {
            settings: { ...rest, argv, parallel: results.parallel ?? parallel },
            hash: hashOf(argv),
          }
    },
    distrust: async () => {
      try {
        await trusted()
        return null
      } catch (error) {
        if (error instanceof ExomonadError && error.code === 'UNTRUSTED_CONFIG')
          return error.message
        throw error
      }
    },
  }
}

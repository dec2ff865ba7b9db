import type { Config } from '../../../config/schema.ts'
import type { Paths } from '../../../runtime/paths.ts'
import type { CliContext } from '../context.ts'

/**
 * Where the store is, as the configuration says; where that can’t be read, as it was when a daemon
 * read it last.
 */
export async function storeConfig(
  { host }: Pick<CliContext, 'host'>,
  { configFile, keptConfigFile }: Pick<Paths, 'configFile' | 'keptConfigFile'>,
): Promise<Config['store']> {
  for (const file of [configFile, keptConfigFile]) {
    const config = await host.loadConfig(file).catch(() => undefined)
    if (config !== undefined) return config.store
  }
  return { kind: 'sqlite' }
}

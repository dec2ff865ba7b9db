import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CliContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import type { Workspace } from './workspace.ts'

export type DemoStore = 'sqlite' | 'postgres'

/** What is to be taken away of a database at the end. */
export interface DemoSchema {
  readonly address: string
  readonly schema: string
}

/** A schema of the demo’s own, in the database that EXOMONAD_STORE_URL names; null on SQLite. */
export function chooseSchema(
  { environment }: Pick<CliContext, 'environment'>,
  store: DemoStore,
): DemoSchema | null {
  if (store === 'sqlite') return null
  const address = environment.variables['EXOMONAD_STORE_URL']
  if (address === undefined || address === '')
    throw new UsageError(
      '--store postgres needs a database: set EXOMONAD_STORE_URL to its address. docs/postgres.md makes one in three commands.',
    )
  return { address, schema: `exomonad_demo_${randomBytes(4).toString('hex')}` }
}

/** The demo’s tables of the configuration. The demo has a home of its own: nothing of yours is in it. */
export async function setUpStore(
  { host }: Pick<CliContext, 'host'>,
  { environment }: Pick<Workspace, 'environment'>,
  chosen: DemoSchema | null,
): Promise<string> {
  if (chosen === null) return ''
  const file = join(environment.home, 'store-url')
  await writeFile(file, `${await host.store.postgres.spell(chosen.address)}\n`, { mode: 0o600 })
  return `[store]\nkind = "postgres"\nurl_file = ${JSON.stringify(file)}\nschema = "${chosen.schema}"\n`
}

import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { secretFilePath } from '../../adapters/forge/secret-file.ts'
import type { PostgresStoreOptions } from '../../adapters/store/postgres/open.ts'
import type { Environment } from '../../config/environment.ts'
import type { Config } from '../../config/schema.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { repositoryHash, type Paths } from '../../runtime/paths.ts'

export type PostgresPlace = Pick<PostgresStoreOptions, 'target' | 'schema' | 'tree'>

/**
 * The database and schema of this repository’s tree, by configuration and environment, or by an
 * address that was given. CONFIG_INVALID where nothing says which, or what says it can’t be read.
 */
export async function postgresPlace(
  store: Config['store'],
  { environment, paths, url }: { environment: Environment; paths: Paths; url?: string },
): Promise<PostgresPlace> {
  const text = url ?? (await readAddress(store, environment, paths))
  const { parseConninfo } = await import('../../adapters/store/postgres/conninfo.ts')
  return {
    target: parseConninfo(text, environment.variables, environment.home),
    schema: store.schema ?? `exomonad_${repositoryHash(paths.commonDir)}`,
    tree: {
      id: await treeId(paths),
      home: paths.home,
      host: hostname(),
      pid: process.pid,
    },
  }
}

async function readAddress(
  { url_file: written }: Config['store'],
  { variables, home }: Environment,
  paths: Paths,
): Promise<string> {
  const given = variables['EXOMONAD_STORE_URL']
  if (given !== undefined && given !== '') return given
  if (written === undefined)
    throw new ExomonadError(
      'CONFIG_INVALID',
      '[store] kind is "postgres", and nothing says which database: name a file with its address in [store] url_file, or set EXOMONAD_STORE_URL before the daemon starts.',
      { field: 'store.url_file' },
    )
  const file = secretFilePath(written, { userHome: home, home: paths.home })
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ExomonadError(
      'CONFIG_INVALID',
      `${file}, which [store] url_file names, ${error.code === 'ENOENT' ? 'is not there' : `can’t be read (${error.code ?? error.message})`}. Write the address of the database into it, readable by you alone (mode 600).`,
      { file },
    )
  })
}

/** What the tree is known by in a database, wherever the repository is moved to. */
async function treeId({ state }: Paths): Promise<string> {
  const file = join(state, 'tree-id')
  await writeFile(file, `${randomUUID()}\n`, { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  return (await readFile(file, 'utf8')).trim()
}

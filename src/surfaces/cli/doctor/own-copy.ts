import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CliContext } from '../context.ts'
import type { LocatedRepository } from '../locate.ts'
import type { Diagnosis } from './diagnosis.ts'

/** Below this nobody cares. Bytes. */
const WORTH_IT = 20_000_000

/** The local forge’s repository, where one of before holds all of history a second time. */
export async function diagnoseOwnCopy(
  { host }: CliContext,
  { paths }: LocatedRepository,
): Promise<Diagnosis[]> {
  const objects = join(paths.origin, 'objects')
  const borrows = await stat(join(objects, 'info', 'alternates')).catch(() => null)
  const bytes = borrows === null ? await sizeOfPacks(join(objects, 'pack')) : 0
  if (bytes < WORTH_IT) return []
  return [
    {
      subject: 'objects',
      status: 'note',
      found: `the local forge’s repository holds a copy of the history, ${megabytes(bytes)}`,
      fix: 'exomonad doctor --fix has it borrow what this repository has',
      repair: async () => {
        const git = await host.git(paths.commonDir)
        if (!(await git.slimBorrower(paths.origin))) return 'it can’t borrow where it lies'
        const left = await sizeOfPacks(join(objects, 'pack'))
        return `${megabytes(bytes - left)} of the local forge’s repository are borrowed now`
      },
    },
  ]
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`

async function sizeOfPacks(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const sizes = names.map((name) => stat(join(folder, name)).then(({ size }) => size))
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

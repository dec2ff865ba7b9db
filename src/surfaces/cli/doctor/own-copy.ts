import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CliContext } from '../context.ts'
import { SLIMMING_FILE } from '../../../runtime/paths.ts'
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
  const isThere = (path: string): Promise<boolean> =>
    stat(path).then(
      () => true,
      () => false,
    )
  const isCutOff = await isThere(join(paths.origin, SLIMMING_FILE))
  const borrows = await isThere(join(objects, 'info', 'alternates'))
  const bytes = borrows && !isCutOff ? 0 : await sizeOfPacks(join(objects, 'pack'))
  if (bytes < WORTH_IT && !isCutOff) return []
  return [
    {
      subject: 'objects',
      status: 'note',
      found: `the local forge’s repository holds a copy of the history, ${megabytes(bytes)}`,
      fix: isCutOff
        ? 'exomonad doctor --fix was cut off while it took that out; run it again'
        : 'exomonad doctor --fix has it borrow what this repository has',
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

import { chmod } from 'node:fs/promises'
import type { CliContext } from '../context.ts'
import type { Diagnosis } from './diagnosis.ts'

/** Nobody else may read it. */
export async function secretFile(
  context: CliContext,
  file: string | null,
  subject: string,
): Promise<Diagnosis[]> {
  const mode = file === null ? null : await context.host.github.openToOthers(file)
  if (file === null || mode === null) return []
  const repair = async (): Promise<string> => {
    await chmod(file, 0o600)
    return `${file} is 600 now`
  }
  return [
    {
      subject,
      status: 'problem',
      found: `others may use ${file} (mode ${mode})`,
      fix: `chmod 600 ${file}`,
      repair,
    },
  ]
}

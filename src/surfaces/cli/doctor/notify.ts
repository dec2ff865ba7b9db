import { stat } from 'node:fs/promises'
import type { Config } from '../../../config/schema.ts'
import type { CliContext } from '../context.ts'
import type { LocatedRepository } from '../locate.ts'
import type { Diagnosis } from './diagnosis.ts'
import { secretFile } from './secret-file.ts'

/** The files with addresses of webhooks: there, and nobody else’s to read. Nothing is sent. */
export async function diagnoseNotify(
  context: CliContext,
  config: Config | null,
  { paths: { home } }: LocatedRepository,
): Promise<Diagnosis[]> {
  const findings = Object.entries(config?.notify.targets ?? {}).map(
    async ([name, { url_file: written }]): Promise<Diagnosis[]> => {
      if (written === undefined) return []
      const file = await context.host.github.secretFile(written, home)
      const isThere = await stat(file).then(
        () => true,
        () => false,
      )
      if (isThere) return secretFile(context, file, 'notify')
      return [
        {
          subject: 'notify',
          status: 'problem',
          found: `${file}, which notify.targets.${name}.url_file names, is not there`,
          fix: 'Write the address of the webhook into it, readable by you alone (mode 600)',
        },
      ]
    },
  )
  return (await Promise.all(findings)).flat()
}

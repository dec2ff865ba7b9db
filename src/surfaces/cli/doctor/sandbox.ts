import type { Config } from '../../../config/schema.ts'
import { checkTrust } from '../../../config/trust.ts'
import type { CliContext } from '../context.ts'
import { trustSubject } from '../init/initialize.ts'
import type { LocatedRepository } from '../locate.ts'
import type { Diagnosis } from './diagnosis.ts'

/** Where agents are to be confined: whether that can be kept, and which of their programs start. */
export async function diagnoseSandbox(
  context: CliContext,
  config: Config | null,
  { paths }: LocatedRepository,
): Promise<Diagnosis[]> {
  const names = config === null ? [] : confinedPrograms(config)
  if (config === null || names.length === 0) return []
  const subject = 'sandbox'
  // What a repository brought names programs that nobody has looked at yet.
  const { trusted } = await checkTrust(
    trustSubject(paths, context.environment, context.host),
  ).catch(() => ({ trusted: false }))
  if (!trusted)
    return [{ subject, status: 'note', found: 'not tried: the configuration is not trusted' }]
  // Others than agent CLIs need not know --version.
  const known = names.filter((name) => config.agents[name]?.adapter !== 'command')
  const programs = known.map((name) => config.agents[name]?.command[0] ?? name)
  const trial = await context.host.trySandbox(programs)
  if (trial.missing !== null) {
    const { reason, fix } = trial.missing
    return [{ subject, status: 'problem', found: reason, fix }]
  }
  return [
    { subject, status: 'ok', found: `agents of ${names.join(', ')} are confined` },
    ...known.map((name, index): Diagnosis => {
      const version = trial.programs[index]?.version ?? null
      return version === null
        ? {
            subject: `sandbox ${name}`,
            status: 'problem',
            found: `${programs[index]} does not start in it`,
            fix: 'Name the folders it needs in [sandbox] read',
          }
        : { subject: `sandbox ${name}`, status: 'ok', found: `starts in it: ${version}` }
    }),
  ]
}

/** NAMEs of [agents.NAME] whose agents are confined, by a role or by themselves. */
function confinedPrograms({ roles, agents }: Config): string[] {
  const all = Object.values(roles)
  return Object.keys(agents).filter((name) => {
    const running = all.filter(({ agent }) => agent === name)
    const own = agents[name]?.sandbox ?? 'off'
    return running.some(({ sandbox }) => sandbox !== 'off' || own !== 'off')
  })
}

import { acpFor } from '../../../adapters/agent-cli/known.ts'
import { acpCliName } from '../../../domain/acp-names.ts'
import type { Config } from '../../../config/schema.ts'
import { checkTrust } from '../../../config/trust.ts'
import {
  chosenPrograms,
  lookAtPrograms,
  programsOf,
  type AgentProgram,
} from '../init/agent-programs.ts'
import type { CliContext } from '../context.ts'
import type { Diagnosis } from './diagnosis.ts'
import { trustSubject } from '../init/initialize.ts'
import type { LocatedRepository } from '../locate.ts'

/**
 * Which program runs each role, and of each agent CLI that is configured or on this machine: where,
 * which version, what would hold it up.
 */
export async function diagnoseAgents(
  context: CliContext,
  config: Config | null,
  { paths }: LocatedRepository,
): Promise<Diagnosis[]> {
  if (config === null) return []
  // What a repository brought names programs that nobody has looked at yet: they are not started,
  // not even for their version.
  const trusted = await checkTrust(trustSubject(paths, context.environment, context.host)).then(
    (trust) => trust.trusted,
    () => false,
  )
  const programs = await programsOf(context, config, paths.home, trusted)
  const chosen = chosenPrograms(config)
  return [
    ...rolesOf(config, programs),
    ...programs.flatMap((program) => diagnosisOf(program, chosen.includes(program.name))),
  ]
}

/** The same outside of a repository: of the agent CLIs exomonad knows, those that are here. */
export async function diagnoseKnownAgents(context: CliContext): Promise<Diagnosis[]> {
  const { agents } = await context.host.loadConfig('/dev/null')
  const programs = await lookAtPrograms(context, agents, {
    names: Object.keys(agents),
    home: context.options().cwd,
    run: true,
  })
  return programs
    .filter(({ path }) => path !== null)
    .flatMap((program) => diagnosisOf(program, false))
}

function rolesOf(config: Config, programs: readonly AgentProgram[]): Diagnosis[] {
  return [...new Set(['tl', 'dev', ...Object.keys(config.roles)])].map((role): Diagnosis => {
    const subject = `role ${role}`
    const { agent, permissions, runtime } = config.roles[role] ?? {}
    const acp = agent === undefined || runtime !== 'acp' ? undefined : acpFor(config, agent)
    const name = acp === undefined ? agent : acpCliName(acp)
    const program = programs.find((one) => one.name === name)
    if (name === undefined || program === undefined) {
      const found = programs.find(
        ({ path, adapter }) => path !== null && adapter !== 'command' && adapter !== 'acp',
      )
      const fix = `Set [roles.${role}] agent = "${found?.name ?? 'NAME'}"${found === undefined ? ' and [agents.NAME]' : ''} in the configuration`
      return { subject, status: 'warning', found: 'no agent program', fix }
    }
    const policy =
      permissions === undefined || permissions.policy === 'off'
        ? ''
        : `; permissions: ${permissions.policy}`
    if (program.missing !== null)
      return { subject, status: 'problem', found: `${name} is not found`, fix: program.missing }
    return { subject, status: 'ok', found: `${name}${policy}` }
  })
}

/** One that no role runs is no problem, whatever it lacks. */
function diagnosisOf(program: AgentProgram, chosen: boolean): Diagnosis[] {
  const subject = `agent ${program.name}`
  if (program.missing !== null) return [{ subject, status: 'warning', found: program.missing }]
  const place: Diagnosis = { subject, status: 'ok', found: program.path ?? '' }
  return [
    place,
    ...program.findings.map(({ status, found, fix, repair }): Diagnosis => ({
      subject,
      status: status === 'ok' || chosen ? status : 'note',
      found,
      ...(fix === undefined ? {} : { fix }),
      ...(repair === undefined || !chosen ? {} : { repair: repair, asks: true }),
    })),
  ]
}

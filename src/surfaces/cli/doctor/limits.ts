import type { LimitsFound } from '../../../adapters/limits/limits.ts'
import type { Config } from '../../../config/schema.ts'
import { LIMITS, type LimitName } from '../../../domain/formats/resource-limits.ts'
import type { CliContext } from '../context.ts'
import type { LocatedRepository } from '../locate.ts'
import type { Diagnosis } from './diagnosis.ts'

const WORDS: Readonly<Record<LimitName, string>> = {
  memory: 'memory',
  processes: 'processes',
  cpu_weight: 'CPU weight',
}

/** Where agents are to be held to limits: by what each can be here, and what is not kept. */
export async function diagnoseLimits(
  context: CliContext,
  config: Config | null,
  { paths }: LocatedRepository,
): Promise<Diagnosis[]> {
  const wanted = config === null ? [] : configured(config)
  if (wanted.length === 0) return []
  return describeLimits(wanted, await context.host.tryLimits(paths))
}

export const describeLimits = (
  wanted: readonly LimitName[],
  { of, partly, reasons }: LimitsFound,
): Diagnosis[] =>
  wanted.map((limit): Diagnosis => {
    const subject = `limit of ${WORDS[limit]}`
    const why = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`
    const whole = of[limit]
    if (whole !== undefined) return { subject, status: 'ok', found: `held by ${whole}` }
    const fix = 'Start the daemon in a control group of its own: docs/security.md, “Limits”'
    const part = partly[limit]
    return part === undefined
      ? { subject, status: 'problem', found: `can’t be kept here${why}`, fix }
      : { subject, status: 'warning', found: `${part}${why}`, fix }
  })

const configured = ({ roles, agents, acp }: Config): LimitName[] =>
  LIMITS.filter((limit) =>
    [roles, agents, acp].some((table) =>
      Object.values(table).some(({ limits }) => limits?.[limit] !== undefined),
    ),
  )

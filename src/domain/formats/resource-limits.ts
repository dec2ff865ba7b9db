/** What one agent may use of the machine, with all that it starts. */
export const LIMITS = ['memory', 'processes', 'cpu_weight'] as const
export type LimitName = (typeof LIMITS)[number]

/** Memory: bytes. Processes: threads count as well. CPU weight: 1–10000, everybody else has 100. */
export interface Bound {
  readonly value: number
  /** What to change in the configuration, such as `roles.dev.limits.memory`. */
  readonly key: string
}

export type Bounds = Readonly<Partial<Record<LimitName, Bound>>>

const UNITS: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti']
const SIZE = /^(\d+(?:\.\d+)?)\s*(Ki|Mi|Gi|Ti)?B$/

/** Bytes of `4GiB`, `512 MiB`, `1.5GiB`; undefined for anything else. */
export function parseSize(text: string): number | undefined {
  const [, number, unit = ''] = SIZE.exec(text.trim()) ?? []
  if (number === undefined) return undefined
  return Math.floor(Number(number) * 1024 ** UNITS.indexOf(unit))
}

/** `4 GiB`, `1.5 GiB`: in the largest unit that it is at least one of. */
export function sizeText(bytes: number): string {
  const power = UNITS.findLastIndex((_, index) => index === 0 || bytes >= 1024 ** index)
  return `${Number((bytes / 1024 ** power).toFixed(2))} ${UNITS[power]}B`
}

/** `its memory limit of 4 GiB`, without the “its”. */
export function boundText(limit: LimitName, value: number): string {
  switch (limit) {
    case 'memory':
      return `memory limit of ${sizeText(value)}`
    case 'processes':
      return `limit of ${value} processes`
    case 'cpu_weight':
      return `CPU weight of ${value}`
  }
}

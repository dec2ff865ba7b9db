import { UNITS } from '../../../packages/subagents/src/terminal/duration.ts'

export { shortDuration } from '../../../packages/subagents/src/terminal/duration.ts'

/** Seconds from text such as `90`, `90s`, `15m`, `2h`, `1d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([smhd]?)$/.exec(text.trim())
  if (match === null) return undefined
  const size = UNITS.find(([, letter]) => letter === (match[2] || 's'))?.[0] ?? 1
  return Number(match[1]) * size
}

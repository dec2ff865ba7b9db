export { plural } from '../../../packages/subagents/src/terminal/plural.ts'

/** A count in at most five characters: `812`, `12k`, `3.4M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(count)
  if (count < 999_500) return scaled(count / 1000, 'k')
  return scaled(count / 1_000_000, 'M')
}

const scaled = (value: number, letter: string): string =>
  `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${letter}`

/** USD in at most six characters: `$0.42`, `$42`, `$1.2k`. */
export function shortMoney(usd: number): string {
  return usd < 9.995 ? `$${usd.toFixed(2)}` : `$${shortCount(Math.round(usd))}`
}

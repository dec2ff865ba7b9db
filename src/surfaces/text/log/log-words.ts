import { printableLine } from '../printable.ts'
import { plural, shortCount, shortMoney } from '../quantity.ts'
import type { LogSummary } from './summary.ts'

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `Thu 26 Nov`, in local time. */
export const dayOf = (at: number): string => {
  const date = new Date(at)
  return `${DAYS[date.getDay()]} ${date.getDate()} ${MONTHS[date.getMonth()]}`
}

/** `14:03`, in local time. */
export const minuteOf = (at: number): string => {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
}

/** `1h 12m`, `3m`, `20s`: what was long is said to the minute. */
export function spanWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  if (minutes === 0) return `${Math.floor(seconds)}s`
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return `${minutes}m`
  return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}m`
}

/** How long agents waited for the person. */
export function waitedWords({ seconds, count, open }: LogSummary['waited_for_you']): string {
  if (count === 0) return '0'
  const now = open === 0 ? '' : `, ${open} of them still (exomonad inbox)`
  return `${spanWords(seconds)} in ${plural(count, 'wait')}${now}`
}

/** What was used up. */
export function spentWords(spent: LogSummary['spent']): string {
  const { agents, tokens, cost_usd: cost, unpriced_models: unpriced, others } = spent
  const beside =
    others === 0 ? '' : `${plural(others, 'agent')} from before worked too, how much is not known`
  if (tokens === 0) return beside === '' ? 'nothing' : beside
  const money =
    cost === null
      ? ''
      : `, ${shortMoney(cost)}${unpriced.length > 0 ? ` and ${unpriced.map(printableLine).join(', ')} without a price` : ''}`
  return `${shortCount(tokens)} tokens${money} by ${plural(agents, 'agent')} started since${beside === '' ? '' : `; ${beside}`}`
}

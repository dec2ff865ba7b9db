const RULE = /^every (?:(day|week)|(\d+) days) at (\d\d):(\d\d)$/

/**
 * The first `count` times of a rule such as "every 2 days at 09:30", in minutes from midnight of
 * the first day. Throws RangeError for other rules.
 */
export function occurrences(rule: string, count: number): number[] {
  const [, word, number, hours, minutes] = RULE.exec(rule) ?? []
  const days = word === 'week' ? 7 : word === 'day' ? 1 : Number(number)
  const time = Number(hours) * 60 + Number(minutes)
  if (!(days > 0 && Number(hours) < 24 && Number(minutes) < 60)) {
    throw new RangeError(`"${rule}" is not a rule: write it as "every 2 days at 09:30".`)
  }
  return Array.from({ length: count }, (_, index) => index * days * 1440 + time)
}

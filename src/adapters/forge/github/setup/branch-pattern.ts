/**
 * Whether a branch passes a `branches` filter of GitHub Actions. Patterns count in order: each that
 * matches decides, and one that begins with `!` takes out what earlier ones let in (GitHub docs,
 * “Workflow syntax: filter pattern cheat sheet”).
 */
export function passesFilter(patterns: readonly string[], branch: string): boolean {
  let passes = false
  for (const pattern of patterns) {
    const against = pattern.startsWith('!')
    if (passes === against && matchesPattern(against ? pattern.slice(1) : pattern, branch))
      passes = !against
  }
  return passes
}

/** A branch name as a pattern that matches it alone. */
export const escapePattern = (branch: string): string =>
  branch.replaceAll(/[*?+[\]!\\]/g, String.raw`\$&`)

/**
 * `*`: anything but a slash; `**`: anything; `?` and `+`: none or one, one or more of the character
 * before; `[…]`: one of these; `\`: as it is.
 */
export function matchesPattern(pattern: string, branch: string): boolean {
  // Slashes between nothing and nothing are none: `**/x` is `x` as well.
  if (pattern.startsWith('**/') && matchesPattern(pattern.slice(3), branch)) return true
  const steps = stepsOf(pattern)
  // All places in the pattern at once, so that no pattern takes long.
  let places = reachable(steps, [0])
  for (const char of branch) {
    places = reachable(
      steps,
      [...places].flatMap((place) => {
        const step = steps[place]
        return step === undefined || !step.takes(char)
          ? []
          : step.many
            ? [place, place + 1]
            : [place + 1]
      }),
    )
  }
  return places.has(steps.length)
}

interface Step {
  readonly takes: (char: string) => boolean
  readonly optional: boolean
  readonly many: boolean
}

function reachable(steps: readonly Step[], from: readonly number[]): Set<number> {
  const places = new Set(from)
  // A set goes on with what is added to it on the way.
  for (const place of places) if (steps[place]?.optional === true) places.add(place + 1)
  return places
}

function stepsOf(pattern: string): readonly Step[] {
  const steps: Step[] = []
  for (const [token, modifier = ''] of pattern.matchAll(
    /(?:\\.|\[[A-Za-z0-9_./-]+\]|\*\*?|.)([?+])?/gsu,
  )) {
    const body = modifier === '' ? token : token.slice(0, -1)
    if (body.startsWith('*'))
      steps.push({ takes: (char) => body === '**' || char !== '/', optional: true, many: true })
    else steps.push({ takes: takerOf(body), optional: modifier === '?', many: modifier === '+' })
  }
  return steps
}

function takerOf(body: string): Step['takes'] {
  if (!/^(?:\\|\[.)/su.test(body) || body === '\\') return (char) => char === body
  if (body.startsWith('\\')) return (char) => char === body.slice(1)
  const ranges = Array.from(
    body.slice(1, -1).matchAll(/(.)-(.)|(.)/g),
    ([, from, to, one = '']) => [from ?? one, to ?? one] as const,
  )
  return (char) => ranges.some(([from, to]) => from <= char && char <= to)
}

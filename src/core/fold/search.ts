/** `undefined`: it could not be found out. */
export type Probe = (index: number) => Promise<'green' | 'red' | undefined>

/** Where to look between a green and a red one, evenly: at most `probes` places. */
export function probePoints(green: number, red: number, probes: number): number[] {
  const inside = red - green - 1
  const count = Math.min(inside, Math.max(probes, 1))
  return [
    ...new Set(
      Array.from(
        { length: count },
        (_, index) => green + Math.round(((index + 1) * (inside + 1)) / (count + 1)),
      ),
    ),
  ]
}

/**
 * The first red one of a row whose beginning is green and whose end is red, with so many probes at
 * the same time. Undefined where a probe could not be had. Where they do not agree (red, and green
 * again later) the last green one counts: what is behind it is looked at.
 */
export async function firstRed(options: {
  readonly green: number
  readonly red: number
  readonly probes: () => number
  readonly probe: Probe
}): Promise<{ readonly green: number; readonly red: number } | undefined> {
  let { green, red } = options
  while (red - green > 1) {
    const points = probePoints(green, red, options.probes())
    const results = await Promise.all(
      points.map(async (point) => ({ point, result: await options.probe(point) })),
    )
    if (results.some(({ result }) => result === undefined)) return undefined
    green = Math.max(
      green,
      ...results.flatMap(({ point, result }) => (result === 'green' ? [point] : [])),
    )
    const lowest = green
    red = Math.min(
      red,
      ...results.flatMap(({ point, result }) =>
        result === 'red' && point > lowest ? [point] : [],
      ),
    )
  }
  return { green, red }
}

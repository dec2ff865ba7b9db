/** When somebody looked at the page, as their browser remembers. Milliseconds since the epoch. */
interface Visit {
  /** The last sign of them. */
  readonly seen: number
  /** The end of the visit before this one; null for the first. */
  readonly before: number | null
}

const KEY = 'exomonad.here'
/** Away for longer, it is another visit. Milliseconds. */
const APART = 10 * 60_000
/** Between two signs. Milliseconds. */
const EVERY = 60_000

/** `text`: what was remembered. */
export function visitAt(text: string | null, now: number): Visit {
  const [seen, before] = (text ?? '').split(' ').map(Number)
  if (seen === undefined || !(seen > 0)) return { seen: now, before: null }
  if (now - seen > APART) return { seen: now, before: seen }
  return { seen: now, before: before === undefined || !(before > 0) ? null : before }
}

const read = (): Visit => visitAt(localStorage.getItem(KEY), Date.now())

/** When the person was here before this visit; null where they never were. */
export const lastHere = (): number | null => read().before

/** Remembers that somebody is here, whenever they do something. */
export function rememberVisits(): void {
  let last = 0
  const sign = () => {
    const now = Date.now()
    if (now - last < EVERY) return
    last = now
    const { seen, before } = read()
    localStorage.setItem(KEY, `${seen} ${before ?? 0}`)
  }
  sign()
  for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel'])
    document.addEventListener(type, sign, { passive: true })
}

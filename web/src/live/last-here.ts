import { keptForAll } from '../parts/storage.ts'
import { visitAt, type Visit } from './visits.ts'

const KEY = 'exomonad.here'
/** Between two signs. Milliseconds. */
const EVERY = 60_000

const read = (): Visit => visitAt(keptForAll.get(KEY), Date.now())

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
    keptForAll.set(KEY, `${seen} ${before ?? 0}`)
  }
  sign()
  for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel'])
    document.addEventListener(type, sign, { passive: true })
}

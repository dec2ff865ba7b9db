import { useSyncExternalStore } from 'react'

/** What the clocks may differ by without a word: less is the way there and back. Milliseconds. */
const ALIKE = 3000
let ahead = 0

/** `daemon`: what the daemon’s clock says now: another machine may have another. */
export function setClock(daemon: number): void {
  const difference = daemon - Date.now()
  ahead = Math.abs(difference) > ALIKE ? difference : 0
  now = daemonNow()
}

/** A time by this browser’s clock, by the daemon’s. Milliseconds since the epoch. */
export const daemonTime = (own: number): number => own + ahead

/** Milliseconds since the epoch by the daemon’s clock, as all times are that it tells. */
export const daemonNow = (): number => daemonTime(Date.now())

/** The same, each second anew, in one clock for the whole page. */
let now = Date.now()
let timer: number | undefined
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= window.setInterval(() => {
    now = daemonNow()
    for (const each of listeners) each()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

export const useNow = (): number => useSyncExternalStore(subscribe, () => now)

import { watch } from 'node:fs'
import { countFiles, countsOf, type Group } from './groups.ts'

/** The kernel reports nothing of version 1: it is read. Milliseconds. */
const READ_EVERY = 2_000

/** Calls when counts of these groups may have changed. Returns how to stop; it ends with them. */
export function watchCounts(groups: readonly Group[], listener: () => void): () => void {
  const stops = groups.map((group) =>
    group.version === 1 ? readAgain(group, listener) : watchFiles(group, listener),
  )
  return () => {
    for (const stop of stops) stop()
  }
}

function watchFiles(group: Group, listener: () => void): () => void {
  const watchers = countFiles(group).flatMap((file) => {
    try {
      const one = watch(file, { persistent: false }, listener)
      one.on('error', () => one.close())
      return [one]
    } catch {
      return []
    }
  })
  return () => {
    for (const one of watchers) one.close()
  }
}

function readAgain(group: Group, listener: () => void): () => void {
  if (countFiles(group).length === 0) return () => {}
  let before = 0
  const timer = setInterval(() => {
    void countsOf(group).then((found) => {
      const now = Object.values(found?.counts ?? {}).reduce((sum, one) => sum + one, 0)
      if (now !== before) listener()
      before = now
    })
  }, READ_EVERY)
  timer.unref()
  return () => clearInterval(timer)
}

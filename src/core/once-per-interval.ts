/**
 * Work per key, at most once per interval (milliseconds) and never twice at a time. A request
 * during the interval, or while the work is under way, is served once more afterwards: whatever was
 * asked for last has been done after it was asked for.
 */
export function createPaced<Key>({
  interval,
  share = 1,
  run,
  failed,
}: {
  interval: number
  /** Of the time that it may be at work (0–1): work that takes long is done less often. */
  share?: number
  run: (key: Key) => Promise<void>
  failed: (thrown: unknown, key: Key) => void
}): { request: (key: Key) => void; stop: () => Promise<void> } {
  interface Slot {
    again: boolean
    timer: NodeJS.Timeout | undefined
    work: Promise<void> | undefined
  }
  const slots = new Map<Key, Slot>()
  let stopped = false

  const begin = (key: Key, slot: Slot): void => {
    slot.again = false
    slot.timer = undefined
    const begun = performance.now()
    slot.work = run(key)
      .catch((thrown: unknown) => failed(thrown, key))
      .then(() => {
        slot.work = undefined
        if (stopped) return
        const took = performance.now() - begun
        slot.timer = setTimeout(
          () => (slot.again ? begin(key, slot) : void slots.delete(key)),
          Math.max(interval, took / share - took),
        )
        // What is asked for at the end of a program’s life is read when the next one starts.
        slot.timer.unref()
      })
  }

  return {
    request: (key) => {
      if (stopped) return
      const slot = slots.get(key)
      if (slot !== undefined) {
        slot.again = true
        return
      }
      const fresh: Slot = { again: false, timer: undefined, work: undefined }
      slots.set(key, fresh)
      begin(key, fresh)
    },
    stop: async () => {
      stopped = true
      for (const slot of slots.values()) clearTimeout(slot.timer)
      await Promise.all(
        [...slots.values()].flatMap((slot) => (slot.work === undefined ? [] : [slot.work])),
      )
      slots.clear()
    },
  }
}

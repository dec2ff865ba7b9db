/**
 * What the browser keeps for the page. It may be set to keep nothing, where even a look at it
 * throws, or have no room left: then it is kept as long as the page is open, and nobody notices more.
 */
export interface Keeper {
  get(key: string): string | null
  set(key: string, value: string): void
  remove(key: string): void
}

/** For all tabs of this origin (`localStorage`). */
export const keptForAll = createKeeper(() => localStorage)
/** For this tab (`sessionStorage`). */
export const keptForTab = createKeeper(() => sessionStorage)

/** `storage`: looked up each time, as that is what throws. */
export function createKeeper(storage: () => Storage): Keeper {
  /** What could not be written. */
  const held = new Map<string, string>()
  return {
    get: (key) => {
      const value = held.get(key)
      if (value !== undefined) return value
      try {
        return storage().getItem(key)
      } catch {
        return null
      }
    },
    set: (key, value) => {
      try {
        storage().setItem(key, value)
        held.delete(key)
      } catch {
        held.set(key, value)
      }
    },
    remove: (key) => {
      held.delete(key)
      try {
        storage().removeItem(key)
      } catch {
        // Nothing was kept either.
      }
    },
  }
}

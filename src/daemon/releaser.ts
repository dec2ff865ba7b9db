import type { Log } from '../runtime/log.ts'

/** Closes what was opened, in reverse order; one that fails doesn’t keep the others open. */
export interface Releaser {
  add(what: string, close: () => unknown): void
  all(log?: Log): Promise<void>
}

export function createReleaser(): Releaser {
  const opened: { what: string; close: () => unknown }[] = []
  return {
    add: (what, close) => {
      opened.push({ what, close })
    },
    all: async (log) => {
      for (let next = opened.pop(); next !== undefined; next = opened.pop()) {
        try {
          await next.close()
        } catch (thrown) {
          log?.error({ err: thrown, what: next.what }, 'closing failed')
        }
      }
    },
  }
}

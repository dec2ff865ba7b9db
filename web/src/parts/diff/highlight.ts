import type { DiffRow } from '../../../../src/surfaces/text/diff/diff-rows.ts'
import type { FileDiff, Hunk } from '../../../../src/surfaces/text/diff/file-diffs.ts'
import type { Token } from './highlighter.ts'
import { languageOf, type Language } from './languages.ts'

/** Rows of a hunk; a longer one, a bundle or a lock file, stays plain. */
const LARGEST = 5000
/** Lines at a time: between two the page has the thread. */
const CHUNK = 120

const done = new WeakMap<DiffRow, readonly Token[]>()
const asked = new WeakSet<Hunk>()
const queue: { hunk: Hunk; language: Language }[] = []
const listeners = new Set<() => void>()
let version = 0
let isRunning = false

/** Tokens of a row that are known already. */
export const tokensOf = (row: DiffRow): readonly Token[] => done.get(row) ?? NONE
const NONE: readonly Token[] = []

/** For `useSyncExternalStore`: another number when more rows have tokens. */
export const highlighted = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
  get: () => version,
}

/** Has the rows of a hunk told apart, soon. */
export function highlight(file: FileDiff, hunk: Hunk): void {
  if (asked.has(hunk) || hunk.rows.length > LARGEST) return
  asked.add(hunk)
  const language = languageOf(file.path)
  if (language === undefined) return
  queue.push({ hunk, language })
  if (!isRunning) void run()
}

async function run(): Promise<void> {
  isRunning = true
  try {
    const { tokenize } = await import('./highlighter.ts')
    // What was asked for last is what is looked at.
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const { hunk, language } = next
      for (const side of ['new', 'old'] as const) {
        const rows = hunk.rows.filter(({ kind }) => kind === side || kind === 'context')
        if (side === 'old' && !rows.some(({ kind }) => kind === 'old')) continue
        let state: Awaited<ReturnType<typeof tokenize>>['state']
        for (let at = 0; at < rows.length; at += CHUNK) {
          const chunk = rows.slice(at, at + CHUNK)
          const result = await tokenize(chunk.map(({ text }) => text).join('\n'), language, state)
          state = result.state
          chunk.forEach((row, index) => {
            const tokens = result.lines[index]
            if (tokens !== undefined && (side === 'new' || row.kind === 'old'))
              done.set(row, tokens)
          })
          version += 1
          for (const listener of listeners) listener()
          await new Promise((resolve) => setTimeout(resolve))
        }
      }
    }
  } catch (thrown) {
    // Plain text is as good as it gets then.
    console.warn('no syntax colours:', thrown)
  } finally {
    isRunning = false
  }
}

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'exomonad-pipes-'
/** Pipes have names for as long as they are made. Milliseconds. */
const LEFT_BEHIND = 60_000
let sweptIn: string | undefined

/**
 * A folder in which pipes have their names until they are open, for the caller to remove. What
 * processes that were killed in that moment left there goes with the first of this one.
 */
export function makePipesFolder(): string {
  const place = tmpdir()
  if (sweptIn !== place) sweep(place)
  sweptIn = place
  return mkdtempSync(join(place, PREFIX))
}

function sweep(place: string): void {
  const names = readdirSync(place).filter((name) => name.startsWith(PREFIX))
  for (const path of names.map((name) => join(place, name))) {
    try {
      if (Date.now() - statSync(path).mtimeMs > LEFT_BEHIND)
        rmSync(path, { recursive: true, force: true })
    } catch {
      // Gone meanwhile, or another user’s.
    }
  }
}

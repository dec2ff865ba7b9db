/**
 * Secrets in text: tokens by the shapes that their issuers gave them, by a revealing name in front
 * of them, by value and by hash. Pure.
 */
import { hash } from 'node:crypto'
import { NAMED, SHAPES, type Shape } from './shapes.ts'

/** What is known of secrets beside their shapes. */
export interface KnownSecrets {
  /** In clear; shorter ones than 8 characters would redact ordinary words. */
  readonly values: () => readonly string[]
  /** SHA-256, hex, of tokens that are not kept: those of agents. */
  readonly hasHash: (hash: string) => boolean
  /** Whether words that look random go as well, whatever they are. */
  readonly entropy: () => boolean
}

const NOTHING_KNOWN: KnownSecrets = { values: () => [], hasHash: () => false, entropy: () => false }

/**
 * As exomonad makes tokens (core/launch.ts): 32 bytes in hex, here in either case and among other
 * hex, such as behind `%3D`.
 */
const LENGTH = 64
const HEX = /[0-9a-fA-F]{64,}/g
/** Places within runs that are tried in one text; the beginning and end of every run are. */
const TRIES = 20_000

function redactOwn(text: string, known: KnownSecrets): string {
  let tries = TRIES
  return text.replace(HEX, (run) => {
    const lower = run.toLowerCase()
    const last = run.length - LENGTH
    let out = ''
    let kept = 0
    for (let at = 0; at <= last; at++) {
      if (at !== 0 && at !== last && tries-- <= 0) {
        at = Math.max(at, last - 1)
        continue
      }
      if (!known.hasHash(hash('sha256', lower.slice(at, at + LENGTH)))) continue
      out += run.slice(kept, at) + REDACTED
      kept = at + LENGTH
      at = kept - 1
    }
    return kept === 0 ? run : out + run.slice(kept)
  })
}

/**
 * Words as random as a token: both cases and a digit, and 4.3 bits a character, which names of code
 * of that length stay below. Not hex of one case: every commit would be one.
 */
const WORDS =
  /(?<![A-Za-z0-9_+=-])(?=[A-Za-z0-9_+=-]*[a-z])(?=[A-Za-z0-9_+=-]*[A-Z])(?=[A-Za-z0-9_+=-]*\d)[A-Za-z0-9_+=-]{32,}/g
const RANDOM = 4.3

/** Shannon’s, of the characters of this text. Bits a character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce(
    (sum, count) => sum - (count / text.length) * Math.log2(count / text.length),
    0,
  )
}

export const REDACTED = '[redacted]'

/**
 * Replaces what is known to be secret and whatever looks like a token. Idempotent: until nothing
 * more is found.
 */
export function redact(text: string, known: KnownSecrets = NOTHING_KNOWN): string {
  // Nothing shorter is a secret: most of what is stored is states, names and numbers.
  if (text.length < 8) return text
  let out = text
  for (const secret of known.values())
    if (secret.length >= 8 && !REDACTED.includes(secret)) out = out.replaceAll(secret, REDACTED)
  if (out.length < 16) return out
  for (;;) {
    const before = out
    out = redactOwn(out, known)
    for (const shape of SHAPES) out = redactShape(out, shape)
    for (const shape of NAMED) out = redactShape(out, shape)
    if (known.entropy())
      out = out.replace(WORDS, (word) => (entropyOf(word) >= RANDOM ? REDACTED : word))
    if (out === before) return out
  }
}

function redactShape(text: string, { find, holds, needs }: Shape): string {
  if (needs !== undefined && !text.includes(needs)) return text
  return text.replace(find, (whole: string, group: unknown) => {
    // Without a group the second is the offset.
    const stays = typeof group === 'string' ? group : ''
    return holds(whole.slice(stays.length)) ? stays + REDACTED : whole
  })
}

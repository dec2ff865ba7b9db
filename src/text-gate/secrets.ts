/** Secrets in text: tokens by the shapes that their issuers gave them, by a telling name in front of them, by value and by hash. Pure. */
import { createHash } from 'node:crypto'

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

/** As secret scanners know them (prefix, alphabet, least length). Order matters only where one contains another. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/g,
  // Forges
  /\bgh[oprsu]_[A-Za-z0-9]{16,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bgl(?:pat|ptt|dt|rt|soat|cbt|ft|imt|agent|oas)-[A-Za-z0-9_.-]{16,}/g,
  /\bATBB[A-Za-z0-9]{24,}/g,
  /\bATATT3[A-Za-z0-9_=-]{40,}/g,
  // Models
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\bgsk_[A-Za-z0-9]{32,}/g,
  /\bhf_[A-Za-z0-9]{30,}/g,
  /\bpplx-[A-Za-z0-9]{32,}/g,
  /\br8_[A-Za-z0-9]{32,}/g,
  /\bxai-[A-Za-z0-9]{40,}/g,
  // Clouds
  /\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b/g,
  /\bAIza[0-9A-Za-z_-]{35}/g,
  /\bya29\.[0-9A-Za-z_-]{20,}/g,
  /\bGOCSPX-[0-9A-Za-z_-]{20,}/g,
  /\bdo[opr]_v1_[a-f0-9]{32,}/g,
  /\b[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}/g,
  /\bhv[bs]\.[A-Za-z0-9_-]{20,}/g,
  /\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}/g,
  /\bdapi[a-f0-9]{32}(?:-\d)?/g,
  /\bfm[12]_[A-Za-z0-9+/=]{40,}/g,
  /\bsbp_[a-f0-9]{40}/g,
  /\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}/g,
  /\bpul-[a-f0-9]{40}/g,
  /\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,}/g,
  /\bAGE-SECRET-KEY-1[0-9A-Z]{50,}/g,
  // Packages
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bpypi-[A-Za-z0-9_-]{32,}/g,
  /\brubygems_[a-f0-9]{40,}/g,
  /\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}/g,
  /\bcio[A-Za-z0-9]{32}\b/g,
  /\bAKCp[A-Za-z0-9]{40,}/g,
  // Services
  /\bxox[a-z]-[A-Za-z0-9-]{10,}/g,
  /\bxapp-\d-[A-Za-z0-9-]{20,}/g,
  /\bhooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{20,}/g,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /\bwhsec_[A-Za-z0-9+/=]{24,}/g,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
  /\bkey-[a-f0-9]{32}\b/g,
  /\bSK[a-f0-9]{32}\b/g,
  /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/g,
  /\bsq0(?:atp|csp)-[A-Za-z0-9_-]{22,}/g,
  /\b\d{8,10}:AA[A-Za-z0-9_-]{32,}/g,
  /\b[MNO][A-Za-z\d_-]{23,}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,}/g,
  /\blin_(?:api|oauth)_[A-Za-z0-9]{32,}/g,
  /\bntn_[A-Za-z0-9]{40,}/g,
  /\bNRAK-[A-Z0-9]{27}/g,
  /\bgl(?:c|sa)_[A-Za-z0-9_+/=]{32,}/g,
  /\bPMAK-[a-f0-9-]{40,}/g,
  /\bsntry[su]_[A-Za-z0-9_+/=]{40,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
]

/** Long values after a telling name; the name stays. Needs digits and letters, so that code such as `token = readTokenFromFile` stays. */
const NAMED: readonly RegExp[] = [
  /\b(bearer[^\S\n]+)(?=[^\s"']*\d)[A-Za-z0-9._~+/-]{12,}=*/gi,
  /((?:token|secret|passwd|password|api[_-]?key)["']?[^\S\n]*[=:][^\S\n]*["']?)(?:[0-9a-f]{32,}|(?=[A-Za-z0-9_+/-]*\d)(?=[A-Za-z0-9_+/-]*[A-Za-z])[A-Za-z0-9_+/-]{32,}={0,2})/gi,
  // A password in an address: `https://user:PASSWORD@host`.
  /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>]{0,100}:)[^\s/:@"'<>]{6,}(?=@[\w[])/gi,
]

/** As exomonad makes tokens (core/launch.ts): 32 bytes in hex. */
const OWN_SHAPE = /(?<![0-9a-fA-F])[0-9a-f]{64}(?![0-9a-fA-F])/g
const isOwn = (known: KnownSecrets, candidate: string): boolean => known.hasHash(createHash('sha256').update(candidate).digest('hex'))

/**
 * Words as random as a token: both cases and a digit, and 4.3 bits a character, which names of code of that length stay below. Not hex of one
 * case: every commit would be one.
 */
const WORDS = /(?<![A-Za-z0-9_+=-])(?=[A-Za-z0-9_+=-]*[a-z])(?=[A-Za-z0-9_+=-]*[A-Z])(?=[A-Za-z0-9_+=-]*\d)[A-Za-z0-9_+=-]{32,}/g
const RANDOM = 4.3

/** Shannon’s, of the characters of this text. Bits a character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0)
}

export const REDACTED = '[redacted]'

/** Replaces what is known to be secret and whatever looks like a token. Idempotent. */
export function redact(text: string, known: KnownSecrets = NOTHING_KNOWN): string {
  // Nothing shorter is a secret: most of what is stored is states, names and numbers.
  if (text.length < 8) return text
  let out = text
  for (const secret of known.values()) if (secret.length >= 8) out = out.replaceAll(secret, REDACTED)
  if (out.length < 16) return out
  for (const shape of SHAPES) out = out.replace(shape, REDACTED)
  for (const shape of NAMED) out = out.replace(shape, `$1${REDACTED}`)
  out = out.replace(OWN_SHAPE, (candidate) => (isOwn(known, candidate) ? REDACTED : candidate))
  return known.entropy() ? out.replace(WORDS, (word) => (entropyOf(word) >= RANDOM ? REDACTED : word)) : out
}

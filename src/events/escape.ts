/**
 * Text from outside (reviews, comments, branch names, logs, other agents) on its way into an agent’s terminal. Pure.
 *
 * - Control characters, escape sequences and invisible or reordering characters go: a comment must not end the bracketed paste and type.
 * - `@name` becomes `@ name`, because some agent CLIs put the file of that name in its place. A space is readable, keeps the word
 *   findable and is understood by none of them; a backslash means something different to each.
 * - Lines after the first begin with `│ `: none can pose as a message of ours or start a command (`/`, `!`, `#`). The first follows the tag.
 * - Secrets, known and by their shape, become `[redacted]`.
 */

/** Introducers with their terminator; unterminated ones lose the introducer only, so that nothing swallows the rest of a text. */
// oxlint-disable-next-line no-control-regex -- control characters are what this removes
const STRINGS = /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u001b\u0007\u009c]{0,4096}(?:\u0007|\u009c|\u001b\\)/g
// oxlint-disable-next-line no-control-regex -- the same
const SEQUENCES = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-Z\\-~]/g
// oxlint-disable-next-line no-control-regex -- C0 without the line feed, DEL, C1
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g
/** Marks that reorder, hide or break text: bidi controls, zero-width space, word joiner, BOM, soft hyphen, fillers, tag characters. */
const INVISIBLE = /\u034f|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu

/** Only what a terminal shows and nothing that it obeys; line ends are `\n`, tabs two spaces. Idempotent. */
export function stripControls(text: string): string {
  return text
    .toWellFormed()
    .replace(STRINGS, '')
    .replace(SEQUENCES, '')
    .replace(/\r\n?|[\u0085\u2028\u2029\u000b\u000c]/g, '\n')
    .replaceAll('\t', '  ')
    .replace(CONTROLS, '')
    .replace(INVISIBLE, '')
}

const SECRET_SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\bgh[oprsu]_[A-Za-z0-9]{16,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[0-9A-Za-z_-]{35}/g,
  /\bxox[a-z]-[A-Za-z0-9-]{10,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
]
/** Long values after a telling name; the name stays. Needs digits and letters, so that code such as `token = readTokenFromFile` stays. */
const NAMED_SECRETS: readonly RegExp[] = [
  /\b(bearer\s+)(?=[^\s"']*\d)[A-Za-z0-9._~+/-]{12,}=*/gi,
  /((?:token|secret|passwd|password|api[_-]?key)["']?\s*[=:]\s*["']?)(?:[0-9a-f]{32,}|(?=[A-Za-z0-9_+/-]*\d)(?=[A-Za-z0-9_+/-]*[A-Za-z])[A-Za-z0-9_+/-]{32,}={0,2})/gi,
]

/** Replaces these values and whatever looks like a token. */
export function redact(text: string, known: readonly string[] = []): string {
  let out = text
  for (const secret of known) if (secret.length >= 8) out = out.replaceAll(secret, '[redacted]')
  for (const shape of SECRET_SHAPES) out = out.replace(shape, '[redacted]')
  for (const shape of NAMED_SECRETS) out = out.replace(shape, '$1[redacted]')
  return out
}

export interface Cap {
  /** Characters. */
  readonly max: number
  /** Which end is kept: of a log the last lines tell what went wrong. */
  readonly keep: 'start' | 'end'
  /** Where the whole can be read, as words that follow “the whole:”. */
  readonly whole: string
}

export function cap(text: string, { max, keep, whole }: Cap): string {
  if (text.length <= max) return text
  const cut = `[… ${text.length - max} more characters; the whole: ${whole}]`
  return keep === 'start' ? `${text.slice(0, max).toWellFormed()}\n${cut}` : `${cut}\n${text.slice(-max).toWellFormed()}`
}

const FENCE = '│ '

/** A value from outside, safe to stand behind a tag. */
export function escapeUntrusted(text: string, options: { cap: Cap; secrets?: readonly string[] }): string {
  const readable = redact(stripControls(text).trim(), options.secrets)
  return cap(readable, options.cap)
    .replace(/@(?=[^\s@])/g, '@ ')
    .replaceAll('\n', `\n${FENCE}`)
}

/** A whole message: no line of it starts a command of an agent CLI, whatever a template made of the values. */
export function guardMessage(text: string): string {
  return stripControls(text)
    .trim()
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^(?=[^\S\n]*[/!#])/gm, FENCE)
}

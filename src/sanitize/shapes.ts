/**
 * Shapes of tokens, as their issuers and secret scanners know them (prefix, alphabet, least
 * length), and revealing names in front of any other. Linear by construction: no part without a
 * bound is followed by what could fail, unless it can’t begin anew within the same run. What a
 * pattern can’t say so is asked of what was found (`holds`). Pure.
 */
export interface Shape {
  /** Global. The first group, if any, stays. */
  readonly find: RegExp
  /** Whether what was found (without the group) is one. */
  readonly holds: (found: string) => boolean
  /**
   * A text without this has none. Looked for first where a pattern begins with what is everywhere:
   * that alone cost half of a look.
   */
  readonly needs?: string
}

const hasBoth = (text: string): boolean => /\d/.test(text) && /[A-Za-z]/.test(text)
const hasSegment = (text: string, least: number): boolean =>
  text.split(/[^A-Za-z0-9]/).some((part) => part.length >= least && hasBoth(part))
/**
 * No words with hyphens or underscores, numbered or not: both cases and a digit, or a long part
 * with digits in it.
 */
const scrambled = (text: string): boolean =>
  hasBoth(text) && ((/[a-z]/.test(text) && /[A-Z]/.test(text)) || hasSegment(text, 16))

/** What stands for a value that is put there later. */
const isPlaceholder = (text: string): boolean =>
  /^(?:\$\{|\{\{|\$\(|\$[A-Za-z_]\w*$|%[A-Za-z_]\w*%$|\*+$)/.test(text)

/** Not within a word, unless what is in front is an escape: `%3D`, `\n`. */
const START = String.raw`(?:(?<![A-Za-z0-9_])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))`
const shapes = (holds: Shape['holds'], patterns: readonly RegExp[]): Shape[] =>
  patterns.map(({ source }) => ({ find: new RegExp(START + source, 'g'), holds }))

/** Order matters only where one contains another. */
export const SHAPES: readonly Shape[] = [
  {
    find: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
    holds: () => true,
  },
  // As long as these are, also behind a letter, such as where a control character between them
  // went.
  { find: /(?:gh[oprsu]|github_pat)_[A-Za-z0-9_]{36,}/g, holds: scrambled },
  ...shapes(() => true, [/eyJ[A-Za-z0-9_-]{8,500}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/]),
  // Alphabets without a separator, or of which no word is made.
  ...shapes(hasBoth, [
    // Forges
    /gh[oprsu]_[A-Za-z0-9]{16,}/,
    /ATBB[A-Za-z0-9]{24,}/,
    /GR1348941[A-Za-z0-9_-]{20,}/,
    // Models
    /sk_[A-Za-z0-9]{40,}/,
    /gsk_[A-Za-z0-9]{32,}/,
    /hf_[A-Za-z0-9]{30,}/,
    /pplx-[A-Za-z0-9]{32,}/,
    /r8_[A-Za-z0-9]{32,}/,
    /xai-[A-Za-z0-9]{40,}/,
    /lsv2_(?:pt|sk)_[A-Za-z0-9_]{32,}/,
    // Clouds
    /(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b/,
    /LTAI[A-Za-z0-9]{12,}/,
    /do[opr]_v1_[a-f0-9]{32,}/,
    /dapi[a-f0-9]{32}(?:-\d)?/,
    /fm[12]_[A-Za-z0-9+/=]{40,}/,
    /sbp_[a-f0-9]{40}/,
    /pul-[a-f0-9]{40}/,
    /dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,}/,
    /dt0[a-z]\d\d\.[A-Za-z0-9]{16,}\.[A-Za-z0-9]{32,}/,
    /v1\.0-[A-Fa-f0-9]{20,}-[A-Fa-f0-9]{32,}/,
    /AGE-SECRET-KEY-1[0-9A-Z]{50,}/,
    /nf[bcopu]_[A-Za-z0-9]{32,}/,
    // Packages
    /npm_[A-Za-z0-9]{30,}/,
    /rubygems_[a-f0-9]{40,}/,
    /cio[A-Za-z0-9]{32}\b/,
    /AKCp[A-Za-z0-9]{40,}/,
    /pnu_[A-Za-z0-9]{32,}/,
    // Services
    /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{20,}/,
    /discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/[A-Za-z0-9_-]{30,}/,
    /webhook\.office\.com\/webhookb2\/[A-Za-z0-9@/-]{30,}/,
    /outlook\.office(?:365)?\.com\/webhook\/[A-Za-z0-9@/-]{30,}/,
    /[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/,
    /whsec_[A-Za-z0-9+/=]{24,}/,
    /key-[a-f0-9]{32}\b/,
    /SK[a-f0-9]{32}\b/,
    /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/,
    /lin_(?:api|oauth)_[A-Za-z0-9]{32,}/,
    /ntn_[A-Za-z0-9]{40,}/,
    /NRAK-[A-Z0-9]{27}/,
    /PMAK-[a-f0-9-]{40,}/,
    /pat[A-Za-z0-9]{14}\.[A-Za-z0-9]{40,}/,
    /sq[apu]_[A-Za-z0-9]{32,}/,
    /sg[ps]_(?:[a-f0-9]{16}_|local_)?[A-Za-z0-9]{32,}/,
    /EAA[A-Z][A-Za-z0-9]{30,}/,
    /ph[crsx]_[A-Za-z0-9]{32,}/,
  ]),
  // Alphabets of which identifiers could be made as well.
  ...shapes(scrambled, [
    /github_pat_[A-Za-z0-9_]{20,}/,
    /gl(?:pat|ptt|dt|rt|rtr|soat|cbt|ft|ffct|imt|agent|oas)-[A-Za-z0-9_.-]{16,}/,
    /ATATT3[A-Za-z0-9_=-]{40,}/,
    /sk-(?:ant|proj|or|svcacct|admin|lf)-[A-Za-z0-9_-]{16,}/,
    /AIza[0-9A-Za-z_-]{35}/,
    /ya29\.[0-9A-Za-z_-]{20,}/,
    /1\/\/0[A-Za-z0-9_-]{30,}/,
    /GOCSPX-[0-9A-Za-z_-]{20,}/,
    /[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}/,
    /hv[bs]\.[A-Za-z0-9_-]{20,}/,
    /pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}/,
    /HRKU-[A-Za-z0-9_-]{32,}/,
    /pypi-[A-Za-z0-9_-]{32,}/,
    /dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}/,
    /xapp-\d-[A-Za-z0-9-]{20,}/,
    /SG\.[A-Za-z0-9_-]{16,80}\.[A-Za-z0-9_-]{16,}/,
    /sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}/,
    /\d{8,10}:AA[A-Za-z0-9_-]{32,}/,
    /[MNO][A-Za-z\d_-]{23,30}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,}/,
    /gl(?:c|sa)_[A-Za-z0-9_+/=]{32,}/,
    /sntry[su]_[A-Za-z0-9_+/=]{40,}/,
    /secret_[A-Za-z0-9]{32,}/,
    /pcsk_[A-Za-z0-9_]{32,}/,
    /fig(?:d|oh?|or|uh?)_[A-Za-z0-9_-]{32,}/,
    /x(?:key|smtp)sib-[A-Za-z0-9-]{32,}/,
  ]),
  ...shapes(hasBoth, [/[0-9a-f]{32}-us\d{1,2}\b/]).map((shape) => ({ ...shape, needs: '-us' })),
  ...shapes(scrambled, [/[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}/]).map((shape) => ({
    ...shape,
    needs: '.atlasv1.',
  })),
  ...shapes(hasBoth, [/xox[a-z]-[A-Za-z0-9-]{10,}/]),
  // Of the others that begin like this only those with one long part: `sk-` begins names of
  // branches and of styles as well.
  ...shapes((found) => hasSegment(found, 20), [/sk-[A-Za-z0-9_-]{20,}/]),
]

/** Of which the value is a cursor or a sum. */
const HARMLESS =
  '(?<!(?:cache|page|next|continuation|sync|commit|tree|build|version|revision)[_-]?)'
const NAME =
  `(?:${HARMLESS}token|secret|passwd|password|passphrase|api[_-]?key` +
  '|(?:access|account|auth|client|encryption|master|private|secret|shared|signing|storage)[_-]?key|[?&;]sig)'
const QUOTE = String.raw`\\?["']`
const BETWEEN = String.raw`(?:${QUOTE})?[^\S\n]*(?:[=:]|%3[ad])[^\S\n]*`

/** `user:password`, as the scheme Basic has it. */
const isBasic = (text: string): boolean =>
  /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(Buffer.from(text, 'base64').toString())
/** In quotes there may be any character; code that reads one stands in none. */
const isQuotedSecret = (text: string): boolean =>
  !isPlaceholder(text) &&
  !/^https?:/i.test(text) &&
  (scrambled(text) || (hasBoth(text) && /[!#$%^&*()+=|~?@]/.test(text)))

/**
 * Long values after a revealing name; the name stays. Need digits and letters, so that code such as
 * `token = readTokenFromFile` stays.
 */
export const NAMED: readonly Shape[] = [
  {
    find: new RegExp(`(${NAME}${BETWEEN}${QUOTE})[^\\s"'\`\\\\]{16,}`, 'gi'),
    holds: isQuotedSecret,
  },
  {
    find: new RegExp(`(${NAME}${BETWEEN}(?:${QUOTE})?)[A-Za-z0-9_+/%-]{32,}={0,2}`, 'gi'),
    holds: (found) => hasBoth(found) || /^\d+$/.test(found),
  },
  {
    find: /\b(bearer(?:[^\S\n]+|%20))[A-Za-z0-9._~+/-]{12,}={0,2}/gi,
    holds: (found) => /\d/.test(found),
  },
  {
    find: new RegExp(
      `(authorization${BETWEEN}(?:${QUOTE})?(?:basic|bearer|token|bot|apikey)(?:[^\\S\\n]+|%20))[A-Za-z0-9._~+/-]{8,}={0,2}`,
      'gi',
    ),
    holds: (found) => hasBoth(found) || isBasic(found),
  },
  {
    find: new RegExp(`("auth\\\\?"[^\\S\\n]*:[^\\S\\n]*\\\\?")[A-Za-z0-9+/]{8,}={0,2}`, 'g'),
    holds: (found) => isBasic(found) || (found.length >= 16 && scrambled(found)),
  },
  // A password in an address: `https://user:PASSWORD@host`.
  {
    find: /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>]{0,100}:)[^\s/:@"'<>]{6,}(?=@[\w[])/gi,
    holds: (found) => !isPlaceholder(found),
  },
]

const SHAPES = [
  /\b(gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,})/g,
  /\b(bearer|token|basic)\s+[A-Za-z0-9._~+/-]{16,}=*/gi,
]

/**
 * Of an app’s installation, by what its tokens begin with: its account is a bot, and the next one
 * is of the same.
 */
export const isOfApp = (token: string): boolean => token.startsWith('ghs_')

/**
 * Keeps tokens out of words, those in use and what looks like one: servers and proxies echo what
 * they were sent.
 */
export interface Secrets {
  add(secret: string): void
  redact(text: string): string
}

export function createSecrets(): Secrets {
  const known = new Set<string>()
  return {
    add(secret) {
      // Renewed tokens of apps come every hour; the last few are enough.
      if (known.size > 20) known.clear()
      if (secret !== '') known.add(secret)
    },
    redact(text) {
      let clean = text
      for (const secret of known) clean = clean.replaceAll(secret, '[redacted]')
      for (const shape of SHAPES) clean = clean.replace(shape, '[redacted]')
      return clean
    },
  }
}

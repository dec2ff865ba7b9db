import { createHash, randomBytes } from 'node:crypto'

export interface Token {
  readonly secret: string
  readonly hash: string
}

export const hashToken = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex')

export function newToken(): Token {
  const secret = randomBytes(32).toString('hex')
  return { secret, hash: hashToken(secret) }
}

import type { ExomonadError } from '../../domain/errors.ts'

/**
 * Why a pull request could not be read. `denied`: the forge refuses these credentials, so that
 * trying again doesn’t help.
 */
export interface Unreadable {
  readonly unknown: string
  readonly denied?: true
}

export const unreadable = ({ code, message }: ExomonadError): Unreadable => ({
  unknown: message,
  ...(code === 'FORGE_DENIED' ? { denied: true } : {}),
})

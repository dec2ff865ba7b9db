/** Put in by the bundler: a hash of the sources; the sources themselves have none. */
declare const EXOMONAD_BUILD: string | undefined

/** Of what runs without having been built: that may be any. */
export const FROM_SOURCES = 'sources'

/**
 * What tells builds of the same version apart: the same for the command line and the daemon of one
 * installation.
 */
export const BUILD: string = typeof EXOMONAD_BUILD === 'undefined' ? FROM_SOURCES : EXOMONAD_BUILD

/** The version of this exomonad, from its package.json. */
export { readVersion } from '../../packages/subagents/src/own-package.ts'

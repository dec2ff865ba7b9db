/** The version of this exomonad, from its package.json. */
export { readVersion } from '../../packages/subagents/src/own-package.ts'

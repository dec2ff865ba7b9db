import { CutOff, ToolError } from './client.js'

/** Calling these twice would do it twice; who calls them looks first at what came of it. */
const ONCE = new Set(['spawn_subtree', 'spawn_workers', 'question', 'pr_review'])
/**
 * Times that a call is made while the daemon goes away in the middle of it, or the forge can't be
 * reached.
 */
const MOST_TRIES = 60
/** Between two of them, and the longest that the forge may ask to wait. Milliseconds. */
const PAUSE = 500
const LONGEST = 20_000

/**
 * Calls a tool; again where the daemon went away before it answered, or where the forge is to be
 * asked later.
 */
export async function persistently(client, transcript, tool, input) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.tool(tool, input)
    } catch (error) {
      const later = error instanceof ToolError && error.code === 'FORGE_UNAVAILABLE'
      const again = later ? tool !== 'pr_review' : error instanceof CutOff && !ONCE.has(tool)
      if (!again || attempt === MOST_TRIES) throw error
      transcript.say(`${tool} again: ${error.message}`)
      const wait =
        later && error.facts.retry_at ? new Date(error.facts.retry_at).getTime() - Date.now() : 0
      await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(wait, PAUSE), LONGEST)))
    }
  }
}

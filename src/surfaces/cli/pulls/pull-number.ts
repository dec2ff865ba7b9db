import { ExomonadError } from '../../../domain/errors.ts'
import type { Client } from '../../client.ts'

/**
 * The number that a person’s word for a pull request means: `3`, `#3`, its head branch or the end
 * of that, or the name of its agent. PR_NOT_FOUND, AMBIGUOUS_ID.
 */
export async function pullNumber(client: Client, word: string): Promise<number> {
  if (/^#?\d+$/.test(word)) return Number(word.replace('#', ''))
  const { pull_requests: pulls } = await client.call('pr_list', { state: 'all' })
  const exact = pulls.filter((pull) => pull.head_branch === word || pull.agent === word)
  const matching =
    exact.length > 0 ? exact : pulls.filter((pull) => pull.head_branch.endsWith(`.${word}`))
  const open = matching.filter((pull) => pull.state === 'open')
  const found = open.length > 0 ? open : matching.slice(-1)
  const [only] = found
  if (only === undefined)
    throw new ExomonadError(
      'PR_NOT_FOUND',
      `No pull request comes from ${word}. \`exomonad pr list --state all\` shows them.`,
      { found: word },
    )
  if (found.length > 1) {
    const numbers = found.map((pull) => `#${pull.number}`).join(', ')
    throw new ExomonadError(
      'AMBIGUOUS_ID',
      `${word} means several pull requests: ${numbers}. Use the number.`,
      {
        candidates: found.map((pull) => pull.number),
      },
    )
  }
  return only.number
}

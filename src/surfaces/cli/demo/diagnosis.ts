import type { Client } from '../../client.ts'
import { printable } from '../../text/printable.ts'
import { flatten } from './watch.ts'

/**
 * Why it is stuck, as far as it can be seen: who is not idle, and the ends of their terminals.
 * Never throws.
 */
export async function diagnose(client: Client): Promise<string[]> {
  try {
    const agents = flatten((await client.call('tree', {})).root)
    const lines = agents.map(
      ({ name, state, state_reason: reason, pr, undelivered, open_questions: questions }) =>
        `  ${name}: ${state}${reason === null ? '' : ` (${reason})`}${pr === null ? '' : `, #${pr.number} ${pr.state}, checks ${pr.checks}, review ${pr.review}, ${pr.mergeable}`}, ${undelivered} undelivered, ${questions} open questions`,
    )
    for (const agent of agents)
      lines.push(`  ── terminal of ${agent.name}`, ...(await lastLines(client, agent.id)))
    return lines
  } catch (error) {
    return [`  the daemon does not say: ${error instanceof Error ? error.message : String(error)}`]
  }
}

async function lastLines(client: Client, agent: string): Promise<string[]> {
  try {
    const { text } = await client.call('screen', { agent, lines: 60 })
    return printable(text)
      .trimEnd()
      .split('\n')
      .slice(-12)
      .map((line) => `    ${line}`)
  } catch (error) {
    return [`    ${error instanceof Error ? error.message : String(error)}`]
  }
}

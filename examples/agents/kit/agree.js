import { ToolError } from './client.js'

/** Looks at what is foretold, and milliseconds between two. */
const MOST_LOOKS = 40
const PAUSE = 250
/** Seconds that the other one’s mail is waited for. */
const PATIENCE = 30

/**
 * Two who write the same file find out while they write it, and agree by mail before either files:
 * who gives way sees it on the radar, writes, and takes its own part back when it is answered; the
 * other one answers. `shares`: `with`, its own `work`, what to `say`, and `gives_way`, what to do
 * about the file then.
 */
export async function agree({ agent, shares, workshop }) {
  workshop.apply(shares.work)
  if (shares.gives_way === undefined) {
    if (await heard(agent, shares)) await tell(agent, shares)
    return
  }
  // Without a word where the other one is through already.
  if ((await foretold(agent, shares)) && (await tell(agent, shares))) await heard(agent, shares)
  workshop.apply(shares.gives_way)
}

async function foretold(agent, { with: other }) {
  agent.transcript.tool(`radar ${agent.name}`)
  for (let look = 0; look < MOST_LOOKS; look++) {
    const { pairs } = await agent.look('radar', { a: agent.name })
    const found = pairs.find(({ a, b, status }) => status === 'conflict' && [a, b].includes(other))
    if (found !== undefined) {
      agent.transcript.say(`would conflict with ${other} in ${found.files.join(', ')}`)
      return true
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
  return false
}

async function tell(agent, { with: other, say }) {
  return agent.tool('send', { to: other, message: say }, `${other}: ${say}`).then(
    () => true,
    (error) => {
      if (!(error instanceof ToolError)) throw error
      agent.transcript.say(`${other} can’t be told: ${error.message}`)
      return false
    },
  )
}

async function heard(agent, { with: other }) {
  const { results } = await agent.tool(
    'wait',
    { from_agents: [other], timeout: PATIENCE },
    `for ${other}`,
  )
  const messages = results.filter(({ status }) => status === 'received')
  for (const { name, message } of messages) agent.transcript.say(`mail from ${name}: ${message}`)
  return messages.length > 0
}

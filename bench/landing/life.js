import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { createClient } from '../../examples/agents/kit/client.js'
import { parseMessage } from '../../examples/agents/kit/message.js'
import { openTerminal } from '../../examples/agents/kit/terminal.js'

/** Rounds of one turn that the stop check holds; it lets go by itself before that. */
const MOST_ROUNDS = 10

/**
 * The life of an agent that is measured: a first turn, then one for each message, each ended by the
 * stop check. Every turn that a message or the stop check makes it take is noted in
 * `<LANDING>/<name>.log`, with the tags of what it received.
 *
 * `mind(agent)` gives `begin()`, `receive(item)` for each text of a message, `objected(answer)` for
 * what the stop check has against its end.
 */
export async function life(mind) {
  const env = process.env
  const name = env.EXOMONAD_AGENT_NAME
  const file = (ending) => join(env.LANDING, `${name}.${ending}`)
  const client = createClient({
    socket: env.EXOMONAD_SOCKET,
    token: env.EXOMONAD_TOKEN,
    authFile: env.EXOMONAD_AUTH_FILE,
  })
  const note = (kind, facts) =>
    appendFileSync(file('log'), `${JSON.stringify({ at: Date.now(), kind, ...facts })}\n`)
  const terminal = openTerminal({
    input: process.stdin,
    output: process.stdout,
    onInterrupt: () => process.exit(130),
  })
  for (const signal of ['SIGHUP', 'SIGTERM']) process.on(signal, () => process.exit(0))
  const agent = {
    name,
    note,
    plan: () => JSON.parse(readFileSync(file('json'), 'utf8')),
    tool: (tool, input) => client.tool(tool, input),
  }
  const { begin, receive, objected } = mind(agent)

  const take = async (text, via) => {
    const { items, ids } = parseMessage(text)
    note('turn', { via, tags: items.map(({ tag }) => tag), text })
    if (via === 'stop' && ids.length > 0) await client.tool('ack', { ids })
    if (via === 'message') await client.hook('prompt', { prompt: text })
    for (const item of items) if (item.tag !== '') await receive(item)
  }
  const endTurn = async () => {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      for (let text = terminal.take(); text !== null; text = terminal.take())
        await take(text, 'message')
      const answer = await client.hook('stop')
      if (answer.decision !== 'block') return
      await take(answer.reason, 'stop')
      await objected(answer)
    }
  }

  await client.hook('session-start', {})
  await client.hook('prompt', {})
  await begin()
  await endTurn()
  for (let text = await terminal.next(); text !== null; text = await terminal.next()) {
    await take(text, 'message')
    await endTurn()
  }
  process.exit(0)
}

import { readFileSync } from 'node:fs'
import { createClient } from './client.js'
import { persistently } from './persistently.js'
import { parseMessage } from './message.js'
import { openTerminal } from './terminal.js'
import { createTranscript } from './transcript.js'
import { createWorkshop } from './workshop.js'

/**
 * Times in a row that one turn takes up what the stop check objects to; the check lets go by itself
 * before that.
 */
const MOST_OBJECTIONS = 10

/**
 * The life of a scripted agent: a first turn for its prompt, then one for each message, each ended
 * by the stop check. It sleeps in between and never looks at a clock: everything it does answers a
 * message or an objection.
 *
 * `mind(agent)` gives what it decides: `begin(prompt)`, `receive(item)` for each text of a message,
 * `objected(reason)`, and `settle()` before each end of a turn.
 */
export async function live(mind) {
  const env = process.env
  const [promptFile, materials] = process.argv.slice(2)
  const prompt = readFileSync(promptFile, 'utf8')
  const name = env.EXOMONAD_AGENT_NAME
  const transcript = createTranscript({ output: process.stdout, color: !env.NO_COLOR })
  const client = createClient({
    socket: env.EXOMONAD_SOCKET,
    token: env.EXOMONAD_TOKEN,
    authFile: env.EXOMONAD_AUTH_FILE,
  })
  const leave = (code) => {
    terminal.close()
    process.exit(code)
  }
  const terminal = openTerminal({
    input: process.stdin,
    output: process.stdout,
    onInterrupt: () => leave(130),
  })
  for (const signal of ['SIGHUP', 'SIGTERM']) process.on(signal, () => leave(0))

  const agent = {
    name,
    branch: env.EXOMONAD_BRANCH,
    parent: env.EXOMONAD_PARENT_ID || null,
    worktree: process.cwd(),
    materials,
    transcript,
    workshop: (folder) =>
      createWorkshop({ worktree: process.cwd(), folder, materials, name, transcript, used }),
    /**
     * Calls a tool and shows it; refusals are ToolError, and CutOff where it would not do to call
     * it twice.
     */
    async tool(tool, input, shown = '') {
      transcript.tool(`${tool} ${shown}`)
      return persistently(client, transcript, tool, input)
    },
    look: (tool, input) => persistently(client, transcript, tool, input),
  }
  const reports = []
  const used = (tool) => void reports.push(client.hook('tool', { tool }))
  const { begin, receive, objected, settle } = mind(agent)

  /** Something went wrong that no rule foresees: say so to the parent, go on listening. */
  async function guarded(work) {
    try {
      await work()
    } catch (error) {
      transcript.bad(error.message)
      await agent
        .tool('note', { message: `Stuck: ${error.message}`, stop_reason: true })
        .catch((refused) => transcript.bad(refused.message))
    }
  }

  async function take(text) {
    transcript.received(text)
    // Begins the turn, and confirms the messages whose ids stand in the text.
    await client.hook('prompt', { prompt: text })
    for (const item of parseMessage(text).items) await guarded(() => receive(item))
  }

  async function endTurn() {
    for (let round = 0; round < MOST_OBJECTIONS; round++) {
      for (let text = terminal.take(); text !== null; text = terminal.take()) await take(text)
      await guarded(settle)
      // A report that came after the stop would say that the turn goes on.
      await Promise.all(reports.splice(0))
      const answer = await client.hook('stop')
      if (answer.note) transcript.say(answer.note)
      if (answer.decision !== 'block') break
      transcript.received(answer.reason)
      const ids = answer.reason.match(/\bm-[0-9a-f]{12}\b/g)
      if (ids) await agent.look('ack', { ids })
      await guarded(async () => {
        for (const item of parseMessage(answer.reason).items)
          if (item.tag !== '') await receive(item)
        await objected(answer)
      })
    }
    transcript.idle()
  }

  transcript.title(`${name} · ${env.EXOMONAD_ROLE} · ${agent.branch}`)
  await client.hook('session-start', {})
  await client.hook('prompt', { prompt })
  await guarded(() => begin(prompt))
  await endTurn()
  for (let text = await terminal.next(); text !== null; text = await terminal.next()) {
    await take(text)
    await endTurn()
  }
  leave(0)
}

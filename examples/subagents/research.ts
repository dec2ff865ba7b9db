// node research.ts 'What is in this folder, and what for?' gemini --acp
import { readdir } from 'node:fs/promises'
import process from 'node:process'
import {
  createAcpClient,
  createAgenticLoop,
  createConversation,
  createSubagentProgress,
  createToolRegistry,
  registerSubagentTools,
} from 'exomonad/subagents'

const [task = 'What is in this folder, and what for?', command = 'gemini', ...args] =
  process.argv.slice(2)

// One process of the agent, in which every loop and every subagent has a session of its own.
const acpClient = createAcpClient({ servers: [{ name: 'agent', command, args }] })

// The agent can call these, beside its own tools.
const tools = createToolRegistry()
tools.register(
  {
    name: 'list_files',
    description:
      'Lists what is in a folder, a name per line. Call it rather than guess what files there are.',
    parameters: {
      folder: { type: 'string', description: 'Relative to the project’s folder', required: true },
    },
    category: 'search',
  },
  async ({ folder }, { signal }) => {
    const names = await readdir(String(folder))
    signal.throwIfAborted()
    return names.join('\n')
  },
)

// And these two, which begin loops below this one: two levels deep, with the same tools.
const progress = createSubagentProgress({
  write: (text) => process.stderr.write(text),
  columns: process.stderr.columns,
})
registerSubagentTools(tools, { acpClient, toolRegistry: tools, callbacks: progress, maxDepth: 2 })

const loop = createAgenticLoop({
  acpClient,
  toolRegistry: tools,
  conversation: createConversation(),
  maxTurns: 20,
  systemPrompt: 'Hand what takes much reading to subagents, several at a time where you can.',
})
const stop = new AbortController()
process.once('SIGINT', () => stop.abort(new Error('Stopped.')))
try {
  const { finalText, totalTurns, hitTurnLimit } = await loop.run(task, {}, { signal: stop.signal })
  console.log(finalText)
  console.error(`(${totalTurns} turns${hitTurnLimit ? ', and stopped there' : ''})`)
} finally {
  progress.stop()
  await acpClient.dispose()
}

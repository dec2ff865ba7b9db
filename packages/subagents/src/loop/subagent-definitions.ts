import type { ToolDefinition } from '../tools/tool-types.ts'

/** `defaultMaxTurns` is said in the description. */
export const spawnDefinition = (defaultMaxTurns: number): ToolDefinition => ({
  name: 'subagent_spawn',
  description:
    'Hand a task of several steps to a subagent, which works on it by itself with the tools you have, and wait for its final answer. Choose it where the way to the answer would fill your own context: the subagent begins with an empty conversation, so say in `task` all that it must know.',
  parameters: {
    task: {
      type: 'string',
      description: 'What the subagent is to do, with everything it must know',
      required: true,
    },
    description: {
      type: 'string',
      description: 'What it does, in three to six words, for display',
      required: true,
    },
    maxTurns: {
      type: 'number',
      description: `A whole number: rounds of its model before it is stopped (${defaultMaxTurns} unless given)`,
    },
    systemPrompt: {
      type: 'string',
      description: 'How it is to behave, in place of the usual system prompt',
    },
  },
  category: 'subagent',
})

export const DELEGATE: ToolDefinition = {
  name: 'subagent_delegate',
  description:
    'Ask another agent one question and get one answer. Choose it for what needs no tools of yours and no second step: a summary, a translation, an opinion; `subagent_spawn` is for the rest.',
  parameters: {
    task: {
      type: 'string',
      description: 'The question, with everything needed to answer it',
      required: true,
    },
    description: {
      type: 'string',
      description: 'What is asked, in three to six words, for display',
      required: true,
    },
    serverName: { type: 'string', description: 'The server to ask, if not the usual one' },
    agentId: { type: 'string', description: 'The agent to ask, if not the usual one' },
  },
  category: 'subagent',
}

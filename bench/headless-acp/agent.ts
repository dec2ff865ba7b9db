import { join } from 'node:path'

/** An agent without a model: it does what its prompts say. */
export const AGENT = join(
  import.meta.dirname,
  '..',
  '..',
  'test',
  'fixtures',
  'acp',
  'scripted-agent.ts',
)

import { join } from 'node:path'
import type { PersonalPath } from '../agent-cli.ts'
import { endpoints } from '../network.ts'

/** What the person has set it up with: orders to everyone’s Codex. */
const READ = [
  'AGENTS.md',
  'AGENTS.override.md',
  'config.toml',
  'hooks.json',
  'models.json',
  'plugins',
  'prompts',
  'rules',
  'skills',
]

/** Where a confined Codex has its databases: below the agent’s own folder, readable to us. */
export const ownDatabases = (folder: string): string => join(folder, 'databases')

/**
 * Of a confined Codex: the person’s settings to read, login and conversations to write, everything
 * else its own. Conversations lie together by date, so that it sees those of others.
 */
export const personalOf = (codexHome: string): PersonalPath[] => [
  { path: codexHome, access: 'own' },
  ...READ.map((name): PersonalPath => ({ path: join(codexHome, name), access: 'read' })),
  { path: join(codexHome, 'auth.json'), access: 'write' },
  { path: join(codexHome, 'sessions'), access: 'write', isFolder: true },
]

/**
 * Of a confined Codex: OpenAI’s API, where it logs in, and the endpoint of the person’s own. Other
 * model providers stand in its configuration: they are named in [sandbox] allow_hosts.
 */
export const hostsOf = (variables: Readonly<Record<string, string>>): string[] => [
  'api.openai.com',
  'auth.openai.com',
  'chatgpt.com',
  ...endpoints([variables['OPENAI_BASE_URL'], variables['AZURE_OPENAI_ENDPOINT']]),
]

import { dirname, join } from 'node:path'
import type { PersonalPath } from '../agent-cli.ts'
import { endpoints } from '../network.ts'
import type { ClaudeHome } from './home.ts'

/** What the person has set it up with. Its hooks and servers are run by everyone’s Claude Code. */
const READ = [
  'CLAUDE.md',
  'agents',
  'commands',
  'keybindings.json',
  'output-styles',
  'plugins',
  'rules',
  'settings.json',
  'settings.local.json',
  'skills',
  'themes',
]

/**
 * Of a confined Claude Code: the person’s settings to read, its login and the conversations of its
 * own worktree to write, everything else its own. `transcript`: the conversation it goes on with.
 */
export function personalOf(
  { folder, stateFile }: Pick<ClaudeHome, 'folder' | 'stateFile'>,
  worktree: string,
  transcript: string | null,
): PersonalPath[] {
  const conversations = join(folder, 'projects', projectOf(worktree))
  return [
    { path: folder, access: 'own' },
    { path: stateFile, access: 'copy' },
    ...READ.map((name): PersonalPath => ({ path: join(folder, name), access: 'read' })),
    { path: join(folder, '.credentials.json'), access: 'write' },
    ...(transcript === null ? [] : [{ path: dirname(transcript), access: 'read' as const }]),
    { path: conversations, access: 'write', isFolder: true },
  ]
}

/** Of a confined Claude Code: its API, where it logs in, and the endpoint of the person’s own. */
export const hostsOf = (variable: (name: string) => string | undefined): string[] => [
  'api.anthropic.com',
  'claude.ai',
  'console.anthropic.com',
  'platform.claude.com',
  ...endpoints([variable('ANTHROPIC_BASE_URL')]),
]

/** What it calls the folder of a worktree’s conversations (2.1). */
const projectOf = (worktree: string): string => worktree.replaceAll(/[^A-Za-z0-9]/g, '-')

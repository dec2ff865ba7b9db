import { join } from 'node:path'
import { isObject, readJson, strings, type ClaudeHome, type Json } from './home.ts'

/**
 * MCP servers that the project’s own `.mcp.json` brings and that the person has neither allowed nor
 * refused: Claude Code would ask about them in a dialog before anything else. The answer is kept in
 * the main worktree’s `.claude/settings.local.json`, and holds for all worktrees.
 */
export async function undecidedServers(
  home: ClaudeHome,
  repository: string,
  worktree: string,
): Promise<string[]> {
  const servers = (await readJson(join(worktree, '.mcp.json')))?.['mcpServers']
  if (!isObject(servers)) return []
  const files = [
    join(home.folder, 'settings.json'),
    join(repository, '.claude', 'settings.json'),
    join(repository, '.claude', 'settings.local.json'),
    join(worktree, '.claude', 'settings.json'),
    join(worktree, '.claude', 'settings.local.json'),
  ]
  const settings = (await Promise.all(files.map(readJson))).filter((one) => one !== undefined)
  if (settings.some((one: Json) => one['enableAllProjectMcpServers'] === true)) return []
  const decided = new Set(
    settings.flatMap((one) => [
      ...strings(one['enabledMcpjsonServers']),
      ...strings(one['disabledMcpjsonServers']),
    ]),
  )
  return Object.keys(servers).filter((name) => !decided.has(name))
}

import { describe, expect, it } from 'vitest'
import { decide } from '../../../../src/adapters/acp/permission-choice.ts'
import { readTool } from '../../../../packages/subagents/src/acp/updates.ts'

const asked = (title: string, kind = 'other') =>
  decide({ permission: 'deny', allow: [] }, readTool({ toolCallId: '1', title, kind }))

describe('exomonad’s own tools', () => {
  it.each([
    'mcp__exomonad__spawn_llm_session',
    'note (exomonad MCP Server)',
    'mcp.exomonad.file_pr',
    'exomonad_check_mail',
  ])('are never asked about: %s', (title) => {
    expect(asked(title)).toBe('allow')
  })

  it.each([
    ['execute', 'mcp__exomonad__note; rm -rf /'],
    ['execute', 'rm -rf / # note (exomonad MCP Server)'],
    ['execute', '`exomonad_note` && true'],
    ['other', 'mcp__exomonad__evil__delete'],
    ['other', 'note (exomonad MCP Server) (other MCP Server)'],
    ['other', 'mcp__other__note'],
  ])('are not what only looks like them (%s): %s', (kind, title) => {
    expect(asked(title, kind)).toBe('deny')
  })
})

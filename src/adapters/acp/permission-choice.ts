import type { AcpTool } from '../../../packages/subagents/src/acp/acp.ts'

/**
 * How agents call exomonad’s own tools when they ask about them, whole: Claude, Gemini, Codex,
 * OpenCode. No command of theirs can be called so, nor a tool of a server that is named to look
 * like it.
 */
const OWN = [
  /^mcp__exomonad__[a-z]+(_[a-z]+)*$/,
  /^[a-z]+(_[a-z]+)* \(exomonad MCP Server\)$/,
  /^mcp\.exomonad\.[a-z]+(_[a-z]+)*$/,
  /^exomonad_[a-z]+(_[a-z]+)*$/,
]

/**
 * What a role’s policy says to a tool call. exomonad’s own tools are never asked about: which of
 * them it may call, its role says. Then names and kinds of `allow` go before everything else. Pure.
 */
export function decide(
  policy: { readonly permission: 'allow' | 'deny' | 'ask'; readonly allow: readonly string[] },
  tool: AcpTool,
): 'allow' | 'deny' | 'ask' {
  const title = plain(tool.title ?? '')
  if (OWN.some((pattern) => pattern.test(title))) return 'allow'
  const named = policy.allow.some(
    (entry) =>
      entry !== '' && (entry === tool.kind || (title !== '' && title.startsWith(plain(entry)))),
  )
  return named ? 'allow' : policy.permission
}

/** Some agents put a command in backticks. */
const plain = (title: string): string => title.trim().replace(/^`+/, '')

import type { ACPChatMessage } from './acp-types.ts'

/**
 * A session’s first prompt: how to behave, what was said before, and what is asked. The protocol
 * has no other place for the first two.
 */
export function firstPrompt(
  prompt: string,
  systemPrompt: string | undefined,
  history: readonly ACPChatMessage[] = [],
): string {
  const instructions = [
    systemPrompt,
    ...history.flatMap(({ role, content }) => (role === 'system' ? [content] : [])),
  ].filter((part) => part?.trim())
  const said = history.filter(({ role }) => role !== 'system')
  const before =
    said.length === 0
      ? []
      : [
          `What was said before:\n\n${said.map(({ role, content }) => `[${role}]\n${content}`).join('\n\n')}\n\nWhat is asked now:`,
        ]
  return [...instructions, ...before, prompt].join('\n\n')
}

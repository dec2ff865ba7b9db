/**
 * How prompts stand in the log of a session, and how they are taken out of what its agent is said
 * to have written.
 */

/** Between empty lines, `> ` in front of its first line and two spaces in front of the others. */
export function promptLines(prompt: string): string {
  const lines = prompt.trimEnd().split(/\r\n|\r|\n/)
  return `\n${lines.map((line, index) => `${index === 0 ? '>' : ' '} ${line}`).join('\n')}\n`
}

/** Said before the first prompt, or besides: by exomonad, or on standard error. */
const BESIDES = /^(── |· |\[exomonad\] |\[stderr\] |$)/

/**
 * A log, or its end, without the prompt that it begins with: that is exomonad’s, and its reader
 * wants to know what the agent made of it.
 */
export function withoutFirstPrompt(log: string): string {
  const lines = log.split('\n')
  let from = 0
  // Of an end the beginning may lie in the middle of the prompt.
  if (lines[0]?.startsWith('  ') !== true) while (BESIDES.test(lines[from] ?? '> ')) from += 1
  if (lines[from]?.startsWith('>') !== true && lines[from]?.startsWith('  ') !== true) return log
  let to = from + 1
  while (lines[to]?.startsWith('  ') === true) to += 1
  return [...lines.slice(0, from), ...lines.slice(to)].join('\n').replace(/^\n+/, '')
}

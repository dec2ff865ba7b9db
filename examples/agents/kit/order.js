const FENCE = /^```json\n([\s\S]*?)\n```$/m

/** A prompt that a person can read, with the order for the program in it. */
export const promptFor = (order) =>
  `${order.title}.\n\n${order.task}\n\nThe order, for the scripted agent:\n\n\`\`\`json\n${JSON.stringify(order, null, 1)}\n\`\`\`\n`

/** The order in a prompt; throws where there is none. */
export function orderIn(prompt) {
  const found = FENCE.exec(prompt.replaceAll('\r\n', '\n'))
  if (!found) throw new Error('The prompt holds no order for a scripted agent.')
  return JSON.parse(found[1])
}

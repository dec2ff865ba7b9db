/** Names and first sentences of the tools, loaded only for `exomonad call <tab>`. */
export async function toolNamesForCompletion(): Promise<{ word: string; description: string }[]> {
  const { ALL_TOOLS } = await import('../../tools/all.ts')
  return ALL_TOOLS.map((tool) => ({ word: tool.name, description: tool.description.split(/(?<=\.) /)[0] ?? '' }))
}

/** Names and first sentences of the tools, loaded only for `exomonad call <tab>`. */
export async function toolNamesForCompletion(): Promise<{ word: string; description: string }[]> {
  const [{ ALL_TOOLS }, { summaryOf }] = await Promise.all([
    import('../../../tools/all.ts'),
    import('../../../tools/define.ts'),
  ])
  return ALL_TOOLS.map((tool) => ({ word: tool.name, description: summaryOf(tool) }))
}

/** Where pull requests can live, and what people call it at the beginning of a sentence. */
export const FORGE_NAMES = { local: 'The local forge', github: 'GitHub', gitea: 'Gitea' } as const

export type ForgeKind = keyof typeof FORGE_NAMES

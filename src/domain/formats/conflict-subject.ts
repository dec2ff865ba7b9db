/** What messages about the conflict of two agents are about, whichever of its news they are. */
export const conflictSubjectOf = (pair: string): string => `conflict:${pair}`

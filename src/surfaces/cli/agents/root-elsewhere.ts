/**
 * What is to be said where the root’s worktree is on another branch than the tree grows from; null
 * where it is not.
 */
export function rootElsewhere(
  growsFrom: string,
  checkedOut: string | null,
  worktree: string,
): string | null {
  if (checkedOut === growsFrom) return null
  const back = `Nothing is spawned from it until ${growsFrom} is checked out there again`
  if (checkedOut === null)
    return `${worktree} is on no branch, and the tree grows from ${growsFrom}. ${back}.`
  return `${worktree} is on ${checkedOut}, and the tree grows from ${growsFrom}. ${back}, or \`exomonad root move\` has it grow from ${checkedOut}.`
}

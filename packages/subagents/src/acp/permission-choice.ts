import type { AcpPermission } from './acp.ts'

/** The option that says so, for once before for always; null where none does. */
export function optionFor(
  options: AcpPermission['options'],
  decision: 'allow' | 'deny',
): string | null {
  const kinds =
    decision === 'allow'
      ? (['allow_once', 'allow_always'] as const)
      : (['reject_once', 'reject_always'] as const)
  for (const kind of kinds) {
    const found = options.find((option) => option.kind === kind)
    if (found !== undefined) return found.id
  }
  return null
}

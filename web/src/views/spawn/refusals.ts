import type { ToolResult } from '../../api/call.ts'
import type { ApiError } from '../../api/errors.ts'
import { newSpec, type Draft, type Faults } from './draft.ts'

type SpecError = ToolResult<'spawn'>['errors'][number]

interface Problem {
  readonly field: string
  readonly allowed: string
}

/** What the daemon refused as a whole, at the fields that it names. */
export function faultsOfRefusal({ code, message, facts }: ApiError): Faults {
  if (code === 'DIRTY_WORKTREE') return { allow_dirty: message }
  if (code !== 'INVALID_ARG') return { '': message }
  const problems = Array.isArray(facts['problems']) ? facts['problems'] : [facts]
  const faults: Record<string, string> = {}
  for (const { field, allowed } of problems as Partial<Problem>[])
    if (typeof field === 'string' && field !== '' && typeof allowed === 'string')
      faults[field] = `It must be ${allowed}.`
  return Object.keys(faults).length === 0 ? { '': message } : faults
}

/** What the daemon refused of some specs, each with its index in the draft. */
export function refusedSpecs(
  draft: Draft,
  errors: readonly SpecError[],
): { readonly index: number; readonly error: SpecError }[] {
  const left = new Set(draft.specs.keys())
  return errors.flatMap((error) => {
    const index = [...left].find((at) => nameAt(draft, at) === error.name.trim())
    // One without a name is called by its issue.
    const found = index ?? [...left].find((at) => nameAt(draft, at) === '')
    if (found === undefined) return []
    left.delete(found)
    return [{ index: found, error }]
  })
}

/**
 * The form as it is now, after `sent` of it was asked for: who was spawned leaves it. Who was refused
 * stays, as does what was written meanwhile.
 */
export function afterSpawn(now: Draft, sent: Draft, errors: readonly SpecError[]): Draft {
  const refused = new Set(refusedSpecs(sent, errors).map(({ index }) => index))
  const spawned = new Set(sent.specs.flatMap(({ id }, index) => (refused.has(index) ? [] : [id])))
  const left = now.specs.filter(({ id }) => !spawned.has(id))
  const { asked: _, ...rest } = now
  return { ...rest, specs: left.length === 0 ? [newSpec()] : left }
}

const nameAt = ({ specs }: Draft, at: number): string =>
  String(specs[at]?.values['name'] ?? '').trim()

/** Where on the card of a spec it is said. */
export function faultsOfSpecs(draft: Draft, errors: readonly SpecError[]): Faults {
  const faults: Record<string, string> = {}
  for (const { index, error } of refusedSpecs(draft, errors)) {
    const field = fieldOf(error, draft.specs[index]?.values['branch'])
    faults[`specs[${index}]${field}`] = error.error
  }
  return faults
}

function fieldOf({ code, error }: SpecError, branch: string | boolean | undefined): string {
  switch (code) {
    case 'BRANCH_EXISTS':
      return branch === undefined || branch === '' ? '.name' : '.branch'
    case 'AGENT_CLI_MISSING':
      return error.startsWith('No program is set for the role') ? '.role' : '.agent'
    case 'INVALID_ARG':
      return error.startsWith('There is no branch ') ? '.branch' : ''
    default:
      return ''
  }
}

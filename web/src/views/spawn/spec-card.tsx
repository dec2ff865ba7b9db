import { memo, useState } from 'react'
import { slugify } from '../../../../src/domain/formats/slug.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import type { Faults, SpecDraft } from './draft.ts'
import { Field, type Offer } from './field.tsx'
import type { FormField } from './schema-form.ts'

/** What everybody fills in; the rest is folded away until it is wanted, used or wrong. */
const FIRST = ['name', 'prompt']

interface Props {
  readonly spec: SpecDraft
  readonly index: number
  /** The branch that theirs begins with. */
  readonly base: string
  readonly fields: readonly FormField[]
  readonly faults: Faults
  readonly offers: Readonly<Record<string, Offer>>
  readonly change: (id: string, name: string, value: string | boolean) => void
  /** Missing where it is the only one. */
  readonly remove: ((id: string) => void) | undefined
}

/** One agent that is to be spawned. */
export const SpecCard = memo(function SpecCard({
  spec,
  index,
  base,
  fields,
  faults,
  offers,
  change,
  remove,
}: Props) {
  const { id, values } = spec
  const [isOpen, setOpen] = useState(false)
  const at = `specs[${index}]`
  const faultAt = (name: string) => faults[`${at}.${name}`]
  const more = fields.filter(({ name }) => !FIRST.includes(name))
  const used = more.filter(({ name }) => (values[name] ?? '') !== '')
  const isWrong = more.some(({ name }) => faultAt(name) !== undefined)
  const whole = faults[at]
  const field = (one: FormField) => (
    <Field
      key={one.name}
      field={one}
      value={values[one.name] ?? one.initial}
      fault={faultAt(one.name)}
      offer={offers[one.name]}
      change={(value) => change(id, one.name, value)}
    />
  )
  return (
    <fieldset className="panel spawn-card" data-spec={id}>
      <legend>
        <span className="spawn-number" aria-hidden="true">
          {index + 1}
        </span>
        <span className="sr-only">Agent {index + 1}</span>
        <code className="ellipsis">{branchOf(base, values)}</code>
      </legend>
      {remove !== undefined && (
        <button
          type="button"
          className="button quiet spawn-remove"
          aria-label={`Remove agent ${index + 1}`}
          title="Remove"
          onClick={() => remove(id)}
        >
          <span aria-hidden="true">✕</span>
        </button>
      )}
      {whole !== undefined && (
        <p className="spawn-fault" tabIndex={-1} data-fault>
          {whole}
        </p>
      )}
      {FIRST.flatMap((name) => fields.filter((one) => one.name === name)).map(field)}
      <details
        open={isOpen || isWrong}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary>
          More
          {used.length > 0 && !isOpen && (
            <span className="hint">
              {' '}
              {used.map(({ name }) => `${name}: ${String(values[name])}`).join(' · ')}
            </span>
          )}
        </summary>
        <div className="spawn-more">{more.map(field)}</div>
      </details>
    </fieldset>
  )
})

/** What its branch will be called, as far as it is known. */
function branchOf(base: string, { name, branch }: SpecDraft['values']): string {
  const adopted = typeof branch === 'string' ? branch.trim() : ''
  if (adopted !== '') return printableLine(adopted)
  let end = '…'
  try {
    if (typeof name === 'string') end = slugify(name)
  } catch {
    // Nothing of it can stand in a branch yet.
  }
  return printableLine(`${base}.${end}`)
}

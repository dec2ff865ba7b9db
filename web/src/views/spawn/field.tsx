import { useId } from 'react'
import type { FormField } from './schema-form.ts'

/** What fields are called, where their name in the schema is not enough. */
const LABELS: Readonly<Record<string, string>> = {
  prompt: 'Task',
  agent: 'Program',
  sparse: 'Folders',
  branch: 'Adopt branch',
  wake: 'News of them',
  allow_dirty: 'Without uncommitted changes',
  force: 'Second agent for an issue',
}
/** Of choices and switches: what each means. */
const WORDS: Readonly<Record<string, string>> = {
  'wake each': 'each as it comes',
  'wake all_settled': 'once, when all are settled',
}
/** Where the schema says nothing, or speaks to agents. */
const HINTS: Readonly<Record<string, string>> = {
  name: 'Its branch ends with it',
  prompt: 'All that it is to do: it knows nothing but this',
  issue: 'Number of an issue on the forge: its words go before the task',
  wake: 'When its parent is woken by them',
  allow_dirty: 'Spawn although the base has uncommitted changes, which they will not see',
}
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  name: 'login-form',
  issue: '42',
  sparse: 'packages/api\npackages/web',
  branch: 'existing/branch',
}

export const labelOf = (name: string): string =>
  LABELS[name] ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')

/** What may be chosen for a field whose schema takes any text: the configuration says. */
export interface Offer {
  /** What it is without a choice. */
  readonly otherwise: string
  readonly names: readonly { readonly name: string; readonly words: string }[]
}

interface Props {
  readonly field: FormField
  readonly value: string | boolean
  readonly fault: string | undefined
  readonly offer?: Offer | undefined
  readonly change: (value: string | boolean) => void
}

/** A field with its label, what it means, and what is wrong with it. */
export function Field({ field, value, fault, offer, change }: Props) {
  const id = useId()
  const { name, kind } = field
  const hint = HINTS[name] ?? field.hint
  const about = {
    id,
    'aria-describedby': `${id}-about`,
    ...(fault === undefined ? {} : { 'aria-invalid': true as const }),
  }
  return (
    <div className={`spawn-field spawn-${name}${fault === undefined ? '' : ' wrong'}`}>
      {kind === 'switch' ? (
        <label className="spawn-switch">
          <input
            {...about}
            type="checkbox"
            checked={value === true}
            onChange={({ target }) => change(target.checked)}
          />
          {labelOf(name)}
        </label>
      ) : (
        <>
          <label htmlFor={id} className="spawn-label">
            {labelOf(name)}
          </label>
          <Input about={about} field={field} value={String(value)} offer={offer} change={change} />
        </>
      )}
      <p id={`${id}-about`} className={fault === undefined ? 'hint' : 'spawn-fault'}>
        {fault ?? hint}
      </p>
    </div>
  )
}

function Input({
  about,
  field: { name, kind, choices, schema },
  value,
  offer,
  change,
}: Omit<Props, 'value' | 'fault'> & {
  readonly about: Readonly<Record<string, unknown>>
  readonly value: string
}) {
  const given = {
    ...about,
    className: 'field',
    value,
    onChange: ({ target }: { target: { value: string } }) => change(target.value),
  }
  if (kind === 'choice')
    return (
      <select {...given}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {WORDS[`${name} ${choice}`] ?? choice}
          </option>
        ))}
      </select>
    )
  if (offer !== undefined) {
    const isOffered = value === '' || offer.names.some((one) => one.name === value)
    return (
      <select {...given}>
        <option value="">{offer.otherwise}</option>
        {!isOffered && <option value={value}>{value} (not configured)</option>}
        {offer.names.map((one) => (
          <option key={one.name} value={one.name}>
            {one.words}
          </option>
        ))}
      </select>
    )
  }
  const placeholder = PLACEHOLDERS[name]
  if (kind === 'list' || name === 'prompt')
    return <textarea {...given} placeholder={placeholder} rows={name === 'prompt' ? 5 : 2} />
  return (
    <input
      {...given}
      placeholder={placeholder}
      inputMode={kind === 'number' ? 'numeric' : 'text'}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={schema.type === 'string' ? 200 : 20}
    />
  )
}

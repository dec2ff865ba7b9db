import { useCallback, useEffect, useLayoutEffect, useRef, useState, type FormEvent } from 'react'
import { isAway } from '../../api/errors.ts'
import { useStanding } from '../../live/context.tsx'
import { useTool } from '../../live/queries.ts'
import type { TreeView } from '../../live/tree.ts'
import { plural } from '../../../../src/surfaces/text/quantity.ts'
import { nodesOf } from '../../../../src/surfaces/text/tree/rows.ts'
import { BaseField, KindField, Under } from './about-all.tsx'
import { faultsOf, inputOf, isBlank, newDraft, newSpec, type Draft, type Faults } from './draft.ts'
import { Field } from './field.tsx'
import { PlannedList, SpawnedList, type Planned, type Spawned } from './outcome.tsx'
import { afterSpawn, faultsOfRefusal, faultsOfSpecs } from './refusals.ts'
import type { SpawnForm } from './schema-form.ts'
import { SpecCard } from './spec-card.tsx'
import { useDraft } from './use-draft.ts'
import { useOffers } from './use-offers.ts'
import { useSpawn } from './use-spawn.ts'

export function SpawnPage({ form, tree }: { readonly form: SpawnForm; readonly tree: TreeView }) {
  const [draft, setDraft] = useDraft(tree.repository)
  const [faults, setFaults] = useState<Faults>({})
  const [spawned, setSpawned] = useState<readonly Spawned[]>([])
  const [planned, setPlanned] = useState<readonly Planned[]>([])
  const [said, setSaid] = useState('')
  /** What gets the focus once it is drawn. */
  const [goTo, setGoTo] = useState<string | null>(null)
  const body = useRef<HTMLFormElement>(null)
  /** What is written by now, for whoever waited meanwhile. */
  const latest = useRef(draft)
  const spawn = useSpawn()
  const { link } = useStanding()
  const { data: choices } = useTool('spawn_choices', {})
  const offers = useOffers(choices, draft.kind)

  useLayoutEffect(() => {
    latest.current = draft
  }, [draft])
  useEffect(() => {
    if (goTo === null) return
    body.current?.querySelector<HTMLElement>(goTo)?.focus()
    setGoTo(null)
  }, [goTo])

  const forget = (path: string) => setFaults(({ [path]: _, '': __, ...rest }) => rest)
  const change = useCallback(
    (id: string, name: string, value: string | boolean) => {
      setDraft((draft) => ({
        ...draft,
        specs: draft.specs.map((spec) =>
          spec.id === id ? { ...spec, values: { ...spec.values, [name]: value } } : spec,
        ),
      }))
      // Of whichever card: what is wrong is looked for anew when it is sent.
      setFaults((faults) =>
        Object.fromEntries(Object.entries(faults).filter(([path]) => !path.endsWith(`.${name}`))),
      )
    },
    [setDraft],
  )
  const remove = useCallback(
    (id: string) => {
      setDraft((draft) => ({ ...draft, specs: draft.specs.filter((spec) => spec.id !== id) }))
      setFaults({})
      setGoTo('[data-add]')
    },
    [setDraft],
  )
  const add = () => {
    const spec = newSpec()
    setDraft((draft) => ({ ...draft, specs: [...draft.specs, spec] }))
    setGoTo(`[data-spec="${spec.id}"] input`)
  }
  const refuse = (
    faults: Faults,
    words = `${plural(Object.keys(faults).length, 'thing')} to correct`,
  ) => {
    setFaults(faults)
    setSaid(words)
    setGoTo('[aria-invalid="true"], [data-fault]')
  }

  /** `dry`: only to see what would be made. */
  const ask = async (dry: boolean): Promise<void> => {
    const missing = faultsOf(form, draft)
    if (Object.keys(missing).length > 0) return refuse(missing)
    setFaults({})
    setPlanned([])
    const input = inputOf(form, draft)
    const { base } = draft
    const of = JSON.stringify([base, input])
    const asked = draft.asked?.of === of ? draft.asked : { key: crypto.randomUUID(), of }
    if (!dry) setDraft((draft) => ({ ...draft, asked }))
    setSaid(dry ? 'Looking what it would be' : 'Spawning')
    try {
      const result = await spawn.mutateAsync({
        input: { ...input, dry_run: dry },
        base,
        ...(dry ? {} : { key: asked.key }),
      })
      if ('planned' in result) {
        setPlanned(result.planned)
        if (result.errors.length > 0) refuse(faultsOfSpecs(draft, result.errors))
        else {
          setSaid('This is what it would be')
          setGoTo('#planned')
        }
        return
      }
      settle(draft, result)
    } catch (thrown) {
      if (!isAway(thrown)) setDraft(({ asked: _, ...draft }) => draft)
      refuse(faultsOfRefusal(thrown as Parameters<typeof faultsOfRefusal>[0]), 'Refused')
    }
  }

  /** Who was spawned leaves the form; who was refused stays in it, with the reason. */
  const settle = (
    sent: Draft,
    { spawned, errors }: { spawned: Spawned[]; errors: Parameters<typeof faultsOfSpecs>[1] },
  ) => {
    const next = afterSpawn(latest.current, sent, errors)
    setDraft(() => next)
    setSpawned((before) => [...spawned, ...before])
    if (errors.length > 0)
      return refuse(
        faultsOfSpecs(next, errors),
        `Spawned ${plural(spawned.length, 'agent')}; ${errors.length} refused`,
      )
    setSaid(`Spawned ${plural(spawned.length, 'agent')}`)
    setGoTo('#spawned')
  }

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!spawn.isPending) void ask(false)
  }
  const base = nodesOf(tree.root).find(({ id }) => id === draft.base) ?? tree.root
  const isEmpty = draft.specs.every(isBlank)
  return (
    <form
      ref={body}
      className="spawn"
      noValidate
      aria-busy={spawn.isPending}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
      }}
    >
      <div className="spawn-write">
        <section className="panel spawn-all" aria-label="All of them">
          <KindField
            kinds={form.kinds}
            value={draft.kind}
            change={(kind) => setDraft((draft) => ({ ...draft, kind }))}
          />
          <BaseField
            tree={tree}
            value={draft.base}
            change={(base) => setDraft((draft) => ({ ...draft, base }))}
          />
        </section>
        {draft.specs.map((spec, index) => (
          <SpecCard
            key={spec.id}
            spec={spec}
            index={index}
            base={base.branch}
            fields={form.spec}
            faults={faults}
            offers={offers}
            change={change}
            remove={draft.specs.length > 1 ? remove : undefined}
          />
        ))}
        <button type="button" className="button spawn-add" data-add onClick={add}>
          <span aria-hidden="true">+</span> Another{' '}
          {draft.kind === 'worker' ? 'worker' : draft.kind}
        </button>
        <section className="panel spawn-options" aria-label="How">
          {form.options.map((field) => (
            <Field
              key={field.name}
              field={field}
              value={draft.options[field.name] ?? field.initial}
              fault={faults[field.name]}
              change={(value) => {
                forget(field.name)
                setDraft((draft) => ({
                  ...draft,
                  options: { ...draft.options, [field.name]: value },
                }))
              }}
            />
          ))}
        </section>
      </div>
      <aside className="spawn-side">
        <div className="panel spawn-send">
          {faults[''] !== undefined && (
            <p className="spawn-fault" data-fault tabIndex={-1}>
              {faults['']}
            </p>
          )}
          <Under tree={tree} base={base} choices={choices} adding={draft.specs.length} />
          <div className="spawn-buttons">
            <button
              type="submit"
              className="button primary"
              disabled={spawn.isPending || link === 'lost'}
            >
              {spawn.isPending ? 'Asking…' : `Spawn ${plural(draft.specs.length, draft.kind)}`}
            </button>
            <button
              type="button"
              className="button"
              disabled={spawn.isPending || link === 'lost'}
              onClick={() => void ask(true)}
            >
              Look first
            </button>
            <button
              type="button"
              className="button quiet"
              disabled={isEmpty || spawn.isPending}
              onClick={() => {
                setDraft(() => newDraft())
                setFaults({})
                setPlanned([])
              }}
            >
              Clear
            </button>
          </div>
          <p className="hint">
            <kbd>Ctrl</kbd>+<kbd>Enter</kbd> spawns. What you write stays here over a reload.
          </p>
          <p role="status" className="sr-only">
            {said}
          </p>
        </div>
        {planned.length > 0 && <PlannedList planned={planned} repository={tree.repository} />}
        <SpawnedList spawned={spawned} />
      </aside>
    </form>
  )
}

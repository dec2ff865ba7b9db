import type { Key } from './keys.ts'

/**
 * Keys of a place, as `?` lists them: what each does, by its name (`j`, `↑`, `Enter`, `Space`). A
 * row without keys is listed only: press.ts acts on those alike in several places.
 */
export interface KeyRow<Does extends string> {
  readonly keys: Readonly<Partial<Record<string, Does>>>
  /** How they are listed; absent: by their names. */
  readonly shown?: string
  readonly words: string
}

/** The keys of a row and what they do, as they are listed. */
export const listed = <Does extends string>({
  keys,
  shown = Object.keys(keys).join(' '),
  words,
}: KeyRow<Does>): readonly [keys: string, does: string] => [shown, words]

const NAMES: Readonly<Partial<Record<Key['kind'], string>>> = {
  submit: 'Enter',
  complete: 'Tab',
  'end-of-input': 'Ctrl-D',
  up: '↑',
  down: '↓',
  'page-up': 'PgUp',
  'page-down': 'PgDn',
}
const EDITS: Readonly<Partial<Record<string, string>>> = {
  left: '←',
  right: '→',
  home: 'Home',
  end: 'End',
}

/** What a key is called in the tables; undefined for one that is in none. */
function keyName(key: Key): string | undefined {
  if (key.kind !== 'edit') return NAMES[key.kind]
  if (key.action.kind !== 'insert') return EDITS[key.action.kind]
  const { text } = key.action
  // Text that came in one piece is no key, whatever it says.
  return text === ' ' ? 'Space' : text.length === 1 ? text : undefined
}

/** What each key does, by the rows of a place; undefined for a key that does nothing there. */
export function keyActions<Does extends string>(
  rows: readonly KeyRow<Does>[],
): (key: Key) => Does | undefined {
  const actions = new Map(rows.flatMap(({ keys }) => Object.entries(keys)))
  return (key) => {
    const name = keyName(key)
    return name === undefined ? undefined : actions.get(name)
  }
}

import { isText, type Key } from '../input/keys.ts'
import type { Lines } from '../run-line.ts'
import type { Action, ConsoleState } from '../state.ts'
import type { Store } from '../store.ts'

/** Does what keys mean while all pairs are shown. */
export function createRadarPress({
  store: { get, dispatch },
  lines,
  page,
}: {
  store: Pick<Store<ConsoleState, Action>, 'get' | 'dispatch'>
  lines: Pick<Lines, 'run'>
  /** Rows that PgUp and PgDn move by. */
  page: () => number
}): (key: Key) => void {
  return (key) => {
    const { overlay, viewed } = get()
    if (overlay?.kind !== 'radar') return
    const select = (by: number): void => dispatch({ type: 'radar-select', by })
    if (key.kind === 'up' || isText(key, 'k')) return select(-1)
    if (key.kind === 'down' || isText(key, 'j')) return select(1)
    if (key.kind === 'page-up') return select(-page())
    if (key.kind === 'page-down') return select(page())
    if (isText(key, 'g')) return select(Number.NEGATIVE_INFINITY)
    if (isText(key, 'G')) return select(Number.POSITIVE_INFINITY)
    if (isText(key, 'R')) {
      const agent = overlay.only === null ? {} : { agent: overlay.only }
      return void lines.run({ kind: 'radar', ...agent }, viewed)
    }
    if (isText(key, '?')) return void lines.run({ kind: 'help' }, viewed)
    const pair = overlay.pairs?.[overlay.selected]
    if (key.kind === 'submit' && pair !== undefined)
      void lines.run({ kind: 'radar-pair', a: pair.a, b: pair.b }, viewed)
  }
}

import type { Forge } from '../../adapters/forge/forge.ts'
import type { Store } from '../../adapters/store/store.ts'
import { knownPulls } from './pull-records.ts'

/**
 * A forge whose pull requests are read as they were followed last: for what looks at all of them
 * whenever something stirs, which a forge behind a network would be asked too often.
 */
export const asFollowed = (forge: Forge, store: Store): Forge => ({
  ...forge,
  find: async ({ state, base, heads }) =>
    (await knownPulls(store))
      .filter(
        (pull) =>
          (state === undefined || pull.state === state) &&
          (base === undefined || pull.base.branch === base) &&
          (heads === undefined || heads.includes(pull.head.branch)),
      )
      .map(({ number }) => number),
  snapshots: async (numbers) => {
    const known = new Map((await knownPulls(store)).map((pull) => [pull.number, pull]))
    return numbers.map((number) => {
      const snapshot = known.get(number)
      return snapshot === undefined ? { number, missing: true } : { number, snapshot }
    })
  },
})

import type { Config } from '../../../config/schema.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { actorOf } from '../../agents/directory.ts'
import type { Deps } from '../../deps.ts'
import { ownerOf } from '../../pulls/merge/settle.ts'
import { landingsIn } from '../view.ts'
import type { FoldResults } from '../../../adapters/forge/merge-results.ts'
import type { LandsHere } from '../lands-here.ts'
import type { FoldAhead } from './ahead.ts'
import { openBases } from './chain.ts'
import type { Fold, FoldBase, FoldDocument } from './fold-document.ts'
import { listFolds, partnersOf, readPause, writePause, type FoldRecord } from './fold-record.ts'

/**
 * What people see of the fold, and how they hold it. `forgeLands`: it says what is open comes to,
 * and the forge merges by its own rules, but where it lands here.
 */
export function createFold({
  store,
  forge,
  settings,
  clock,
  ahead,
  results,
  forgeLands,
  landsHere,
}: Pick<Deps, 'store' | 'forge' | 'settings' | 'clock'> & {
  ahead: Pick<FoldAhead, 'testing' | 'look'>
  results: FoldResults
  forgeLands: boolean
  landsHere: LandsHere
}): Fold {
  const since = (at: number): number => Math.max(0, Math.round((clock() - at) / 1000))

  const baseOf = async (config: Config, record: FoldRecord): Promise<FoldBase> => {
    const agents = await store.agents.list()
    const landings = landingsIn(await store.journal.open(), clock())
    const typical = await results.typicalDuration()
    return {
      base: record.base,
      state: record.state,
      age_seconds: since(record.since),
      lands_here: !forgeLands || (await landsHere(config, record.base)),
      onto: record.onto,
      links: record.links.map((link) => ({
        number: link.number,
        title: link.title,
        agent: ownerOf(agents, link.branch)?.name ?? null,
        head_sha: link.head,
        sha: link.sha,
        state: link.state,
        landing: landings.get(link.number)?.step ?? null,
        age_seconds: since(link.since),
      })),
      testing: ahead.testing(record.base).map((one) => ({
        numbers: [...one.numbers],
        since_seconds: since(one.since),
        typical_seconds: typical === 0 ? null : Math.round(typical / 1000),
      })),
      ejected: record.ejected.map((one) => {
        const [partner = null, ...others] = partnersOf(one).map(({ number, title }) => ({
          ...{ number, title },
        }))
        return {
          ...{ number: one.number, title: one.title, age_seconds: since(one.at) },
          ...{ partner, others },
        }
      }),
    }
  }

  const show = async (): Promise<FoldDocument> => {
    const { config } = await settings.snapshot()
    const { fold } = config
    const paused = await readPause(store.snapshots)
    const reason = !fold.enabled
      ? 'it is off ([fold] enabled)'
      : (await results.required())
        ? null
        : `nothing may be run that checks it (${forgeLands ? '' : '[forge.local] ci or '}[fold] check, and exomonad trust)`
    const records = (await listFolds(store.snapshots)).filter(
      ({ links, ejected }) => links.length > 0 || ejected.length > 0,
    )
    return {
      enabled: reason === null,
      reason,
      paused: paused === null ? null : { by: paused.by, since_seconds: since(paused.at) },
      land: fold.land,
      forge_lands: forgeLands,
      bases: await Promise.all(
        records
          .toSorted((a, b) => a.base.localeCompare(b.base))
          .map((record) => baseOf(config, record)),
      ),
    }
  }

  const lookAtAll = async (): Promise<void> => {
    const folded = (await listFolds(store.snapshots)).map(({ base }) => base)
    // Of one that was paused from the beginning nothing is remembered yet.
    for (const base of new Set([...folded, ...(await openBases({ forge }))])) ahead.look(base)
  }

  return {
    show,
    log: async (number) => {
      for (const record of await listFolds(store.snapshots)) {
        const link = record.links.find((one) => one.number === number)
        const tree = link?.tree ?? record.ejected.find((one) => one.number === number)?.tree
        if (tree === undefined) continue
        // A link in between is checked with those after it.
        const at = record.links.findIndex((one) => one.number === number)
        const trees = at < 0 ? [tree] : record.links.slice(at).flatMap((one) => one.tree ?? [])
        for (const one of trees) {
          const log = await results.log(one)
          if (log !== null) return { number, state: log.status, path: log.path, log: log.text }
        }
        throw new ExomonadError(
          'INVALID_ARG',
          `Nothing has checked #${number} in the fold of ${record.base} yet: no log is there. \`exomonad fold\` shows how far it is.`,
          { number },
        )
      }
      throw new ExomonadError(
        'INVALID_ARG',
        `#${number} is in no fold: it is merged, closed, a draft, or red by itself. \`exomonad pr checks ${number}\` shows its own checks.`,
        { number },
      )
    },
    pause: async (caller) => {
      if ((await readPause(store.snapshots)) === null)
        await writePause(store.snapshots, { by: actorOf(caller), at: clock() })
      await lookAtAll()
      return show()
    },
    resume: async () => {
      await writePause(store.snapshots, null)
      await lookAtAll()
      return show()
    },
  }
}

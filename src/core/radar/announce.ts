import type { AgentId } from '../../domain/ids.ts'
import type { EventPayload } from '../../events/event.ts'
import { conflictSubjectOf } from '../../domain/formats/conflict-subject.ts'
import type { Deps } from '../deps.ts'
import type { FirstTouch } from './first-touch.ts'
import { bothSides, placesOf, type BothSides } from './lines.ts'
import { otherNameOf, type Pair } from './pairs.ts'
import type { RadarPicture } from './picture.ts'
import { believersOf, namedOf, newsOf, TOLD_PREFIX, type Told } from './told.ts'

/** The files are named in any case. */
const NO_SIDES: BothSides = () => [undefined, undefined]

/** Files of one conflict that a message describes; of more it says how many. */
const MOST_FILES = 10

type Foretold = EventPayload<'conflict.foretold'>

/**
 * Tells of conflicts that are new or have grown, and that they are gone. What was told is stored in
 * the transaction of the event itself, so that nothing is told twice or forgotten.
 */
export function createAnnounce({
  store,
  git,
  publisher,
  gate,
  log,
  onJournalStep,
  firstTouch,
}: Pick<Deps, 'store' | 'git' | 'publisher' | 'gate' | 'log' | 'onJournalStep'> & {
  firstTouch: FirstTouch
}): (picture: RadarPicture, filed: ReadonlySet<string>) => Promise<void> {
  const describe = async (
    pair: Pair,
    { verdicts, snapshots }: RadarPicture,
    files: readonly string[],
  ): Promise<Foretold['files']> => {
    const { a, b } = verdicts.get(pair.id) ?? {}
    if (a === undefined || b === undefined) return []
    const shown = files.slice(0, MOST_FILES)
    const base = await git.partedAt(a, b)
    const sidesOf: BothSides =
      base === null ? NO_SIDES : await bothSides(git, { base, a, b }, shown).catch(() => NO_SIDES)
    const isKnown = snapshots.has(pair.a.id)
    return Promise.all(
      shown.map(async (path) => {
        const [ours, theirs] = sidesOf(path)
        const first =
          pair.b === null || !isKnown
            ? undefined
            : await firstTouch.firstOf(ours?.path ?? path, pair.a.id, pair.b.id)
        return {
          path: gate.text(path),
          own: gate.text(placesOf(ours, theirs)),
          other: gate.text(placesOf(theirs, ours)),
          first:
            first === undefined ? null : first === pair.a.id ? pair.a.name : (pair.b?.name ?? null),
        }
      }),
    )
  }

  const foretell = async (
    pair: Pair,
    picture: RadarPicture,
    files: readonly string[],
    before: Told | undefined,
  ): Promise<void> => {
    const described = await describe(pair, picture, files)
    const names = { name: pair.a.name, other: otherNameOf(pair) }
    onJournalStep('radar', 'foretell')
    await store.transaction(async (tx) => {
      await tx.snapshots.put(`${TOLD_PREFIX}${pair.id}`, {
        ...names,
        files: namedOf(before, files),
      })
      await publisher.publish(
        {
          type: 'conflict.foretold',
          agentId: pair.a.id,
          actor: 'daemon',
          payload: {
            ...names,
            pair: pair.id,
            partner_id: pair.b?.id ?? null,
            files: described,
            more: files.length - described.length,
            again: before !== undefined,
          },
        },
        tx,
      )
      onJournalStep('radar', 'record')
    })
    onJournalStep('radar', 'foretold')
  }

  /** Those who had it are told; from all others it is withdrawn (delivery/publisher.ts). */
  const clear = async (id: string, { name, other, files }: Told, why: string): Promise<void> => {
    const [agentId, rest] = id.split(':') as [AgentId, AgentId | 'base']
    const partnerId = rest === 'base' ? null : rest
    onJournalStep('radar', 'clear')
    await store.transaction(async (tx) => {
      await tx.snapshots.remove(`${TOLD_PREFIX}${id}`)
      if ((await tx.agents.get(agentId)) === undefined) return
      const told = believersOf(await tx.outbox.list({ subject: conflictSubjectOf(id) }))
      const [owner, partner] = [told.delete(agentId), partnerId !== null && told.delete(partnerId)]
      await publisher.publish(
        {
          type: 'conflict.cleared',
          agentId,
          actor: 'daemon',
          payload: {
            ...{ name, other, pair: id, partner_id: partnerId, why },
            files: files.map((file) => gate.text(file)),
            owner_told: owner,
            partner_told: partner,
            parent_told: told.size > 0,
          },
        },
        tx,
      )
    })
    onJournalStep('radar', 'cleared')
  }

  return async (picture, filed) => {
    const told = new Map(
      [...(await store.snapshots.list(TOLD_PREFIX))].map(([key, record]) => [
        key.slice(TOLD_PREFIX.length),
        record as Told,
      ]),
    )
    const { pairs, verdicts } = picture
    // Of what is filed its forge says so (pr.conflict).
    const isLeftOut = (pair: Pair): boolean => pair.b === null && filed.has(pair.a.branch)
    for (const news of newsOf({ pairs, verdicts, told, isLeftOut })) {
      try {
        if (news.kind === 'foretell')
          await foretell(news.pair, picture, news.files, told.get(news.pair.id))
        else {
          const id = news.kind === 'clear' ? news.pair.id : news.id
          const record = told.get(id)
          const why = news.kind === 'clear' ? news.why : 'the two are no longer side by side'
          if (record !== undefined) await clear(id, record, why)
        }
      } catch (thrown) {
        log.warn({ err: thrown, news: news.kind }, 'a conflict was not told of; the next look does')
      }
    }
  }
}

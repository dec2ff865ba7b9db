import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store, StoreTransaction, StoreVerbs } from '../../../src/adapters/store/store.ts'
import { ExomonadError } from '../../../src/domain/errors.ts'
import { asBranchName } from '../../../src/domain/ids.ts'
import { LACKS, polledTree, ROOT, type PolledTree } from '../../helpers/polled-tree.ts'
import { scriptedForge } from '../../helpers/scripted-forge.ts'
import { at, OWNER, pull, review, sha } from '../../unit/pull-watch/pull.ts'

const WRITES = /^(append|enqueue|put|remove|removePrefix|set)$/

/**
 * A store whose process is killed at its nth write: that one and all after it fail, and what was
 * not committed is gone.
 */
function killedAt(nth: number, store: Store): { store: Store; killed: () => boolean } {
  let writes = 0
  const guard = <Verbs extends StoreVerbs>(verbs: Verbs): Verbs =>
    Object.fromEntries(
      Object.entries(verbs).map(([name, group]) => [
        name,
        typeof group !== 'object' || group === null
          ? group
          : Object.fromEntries(
              Object.entries(group as Record<string, (...args: unknown[]) => unknown>).map(
                ([verb, call]) => [
                  verb,
                  !WRITES.test(verb)
                    ? call
                    : async (...args: unknown[]) => {
                        if (++writes >= nth) throw new Error('killed')
                        return call(...args)
                      },
                ],
              ),
            ),
      ]),
    ) as Verbs
  const dying = guard(store)
  return {
    killed: () => writes >= nth,
    store: {
      ...dying,
      transaction: (work) => store.transaction((tx: StoreTransaction) => work(guard(tx))),
    },
  }
}

describe('a daemon that is killed at any write', () => {
  let tree: PolledTree
  beforeEach(async () => {
    tree = await polledTree()
  })
  afterEach(() => tree.close())

  /**
   * Runs a look with ever later deaths, each followed by a restart, until one lives through it.
   * Returns how often it died.
   */
  const dieAtEachWrite = async (look: () => Promise<void>): Promise<number> => {
    for (let nth = 1; ; nth++) {
      let killed = (): boolean => false
      await tree.reopen({
        tamper: (store) => {
          const dying = killedAt(nth, store)
          killed = dying.killed
          return dying.store
        },
      })
      await look()
      if (!killed()) return nth - 1
    }
  }
  const poll = async (): Promise<void> => tree.poller.poll()

  it('loses and repeats nothing of what happens to pull requests', async () => {
    tree.forge.truth.set(3, pull())
    const deaths = [await dieAtEachWrite(poll)]
    tree.forge.truth.set(
      3,
      pull({
        ...at('c'),
        reviews: [review(), review({ id: 'r2', state: 'commented', commit: sha('c') })],
      }),
    )
    deaths.push(await dieAtEachWrite(poll))
    tree.forge.truth.set(
      3,
      pull({
        ...at('c'),
        base: { ...pull().base, sha: sha('e') },
        mergeable: 'conflicting',
        conflictFiles: ['a.ts'],
      }),
    )
    deaths.push(await dieAtEachWrite(poll))
    tree.forge.truth.set(
      3,
      pull({
        ...at('c'),
        base: { ...pull().base, sha: sha('e') },
        state: 'merged',
        mergedBy: 'forge:jane',
        mergeSha: sha('d'),
      }),
    )
    deaths.push(await dieAtEachWrite(poll))
    for (const count of deaths) expect(count).toBeGreaterThan(2)
    expect(await tree.types()).toEqual([
      ...['pr.opened', 'pr.ready'],
      ...['pr.pushed', 'pr.review', 'pr.review', 'pr.ready'],
      ...['pr.conflict', 'base.moved'],
      'pr.merged',
    ])
    const kinds = async (recipient: typeof ROOT) =>
      (await tree.store.outbox.list({ recipient }))
        .map(({ kind }) => kind)
        .filter((kind) => kind !== LACKS)
    expect(await kinds(ROOT)).toEqual([
      'pr.opened',
      'pr.ready',
      'pr.pushed',
      'pr.ready',
      'pr.conflict',
      'pr.merged',
    ])
    expect(await kinds(OWNER)).toEqual(['pr.review', 'pr.review', 'pr.conflict', 'pr.merged'])
    expect(await tree.store.deadlines.due(Number.MAX_SAFE_INTEGER)).toEqual([])
    expect(await tree.store.events.list({ types: [LACKS] })).toHaveLength(1)
  })

  it('reports an outage and its end once', async () => {
    tree.forge.truth.set(3, pull())
    await tree.poller.poll()
    tree.forge.failure = new ExomonadError('FORGE_DENIED', 'GitHub refuses the token.')
    expect(await dieAtEachWrite(poll)).toBeGreaterThan(1)
    tree.forge.failure = undefined
    expect(await dieAtEachWrite(poll)).toBeGreaterThan(1)
    expect((await tree.types()).filter((type) => type.startsWith('forge.'))).toEqual([
      'forge.trouble',
      'forge.recovered',
    ])
    expect(await tree.delivered('human')).toHaveLength(2)
  })

  it('reports a review that did not come, and one that is gone, once', async () => {
    tree.forge.truth.set(3, pull())
    await tree.poller.poll()
    tree.time.jump(16 * 60_000)
    expect(await dieAtEachWrite(poll)).toBeGreaterThan(1)
    expect((await tree.types()).filter((type) => type === 'review.timeout')).toHaveLength(1)
    tree.forge.truth.delete(3)
    await dieAtEachWrite(async () => {
      await tree.poller.poll([3])
      await tree.poller.poll([3])
    })
    expect((await tree.types()).filter((type) => type === 'pr.closed')).toHaveLength(1)
  })

  it('reports one that makes no progress once, however often it is looked at afterwards, also by the next daemon', async () => {
    tree.forge.truth.set(3, pull())
    await tree.poller.poll()
    tree.time.jump(31 * 60_000)
    expect(await dieAtEachWrite(poll)).toBeGreaterThan(1)
    for (let looks = 0; looks < 3; looks += 1) {
      // What is edited is no progress, and its deadlines are set anew.
      tree.forge.truth.set(3, pull({ body: `edited ${String(looks)} times` }))
      await tree.poller.poll()
      tree.time.jump(31 * 60_000)
      await tree.reopen()
      await tree.poller.poll()
    }
    expect((await tree.types()).filter((type) => type === 'pr.stalled')).toEqual(['pr.stalled'])
  })

  it('reports once that a base moved on which several are open, also where it ended between them', async () => {
    const other = {
      ...pull(),
      number: 4,
      head: { ...pull().head, branch: asBranchName('main.auth.more') },
    }
    await tree.addAgent('main.auth.more', { parentId: OWNER })
    tree.forge.truth.set(3, pull())
    tree.forge.truth.set(4, other)
    await tree.poller.poll()
    const moved = { ...pull().base, sha: sha('e') }
    tree.forge.truth.set(3, pull({ base: moved }))
    tree.forge.truth.set(4, { ...other, base: moved })
    // The next daemon reads one, ends, and the one after it the other.
    await dieAtEachWrite(async () => tree.poller.poll([3]))
    await tree.reopen()
    await dieAtEachWrite(async () => tree.poller.poll([4]))
    expect((await tree.types()).filter((type) => type === 'base.moved')).toEqual(['base.moved'])
  })

  it('mixes no two forges', async () => {
    tree.forge.truth.set(3, pull())
    await tree.poller.poll()
    const other = scriptedForge()
    other.identity = 'github.com/2'
    other.truth.set(3, pull({ title: 'Another', ...at('c') }))
    await tree.reopen({ forge: other })
    expect(await dieAtEachWrite(poll)).toBeGreaterThan(4)
    expect(await tree.types()).toEqual(['pr.opened', 'pr.ready', 'pr.opened', 'pr.ready'])
    expect([...(await tree.store.snapshots.list('away:')).keys()]).toEqual([
      'away:github.com/1|base:main',
      'away:github.com/1|pull:3',
    ])
  })
})

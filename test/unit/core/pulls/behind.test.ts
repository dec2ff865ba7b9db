import { describe, expect, it } from 'vitest'
import type { MergeResult } from '../../../../src/adapters/forge/merging.ts'
import { isBehind, noteBehind, saysBehind } from '../../../../src/core/pulls/behind.ts'
import { createMergeDirect } from '../../../../src/core/pulls/merge/direct.ts'
import { createStopSync } from '../../../../src/core/turns/stop-sync.ts'
import { configSchema } from '../../../../src/config/schema.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { pull, sha } from '../../pull-watch/pull.ts'
import { makeAgent } from '../make-agent.ts'

/** What is filed and has nothing new is rebased on GitHub only where it has to be. */

function snapshots() {
  const values = new Map<string, Record<string, unknown>>()
  return {
    values,
    get: async (key: string) => values.get(key),
    put: async (key: string, value: Record<string, unknown>) => void values.set(key, value),
    list: async (prefix: string) => new Map([...values].filter(([key]) => key.startsWith(prefix))),
    remove: async (key: string) => void values.delete(key),
  }
}

it.each([
  ['Head branch is out of date. Review and try the merge again.', true],
  ['Head branch was out-of-date.', true],
  ['The branch must be up to date before merging.', true],
  ['2 of 2 required status checks are expected.', false],
  ['At least 1 approving review is required.', false],
])('takes “%s” for being behind: %s', (reason, expected) => {
  expect(saysBehind({ kind: 'refused', reason })).toBe(expected)
  expect(saysBehind({ kind: 'conflict', files: ['behind.txt'] })).toBe(false)
})

it('a refusal for being behind is noted for that head, and its agent notified', async () => {
  const store = snapshots()
  const published: string[] = []
  const tx = {
    snapshots: store,
    journal: { finish: async () => {} },
    agents: { list: async () => [] },
  }
  const refusal: MergeResult = { kind: 'refused', reason: 'Head branch is out of date.' }
  const direct = createMergeDirect({
    store: {
      ...tx,
      transaction: async (work: (inside: typeof tx) => Promise<unknown>) => work(tx),
    },
    forge: { merge: async () => refusal },
    publisher: { publish: async ({ type }: { type: string }) => void published.push(type) },
    log: silentLog(),
    step: async () => {},
    retargeting: { onto: async () => [], move: async () => {} },
    settling: {},
    stuck: new Set<string>(),
  } as unknown as Parameters<typeof createMergeDirect>[0])
  const one = pull()
  expect(await direct('j', {} as never, one)).toEqual({ kind: 'refused', result: refusal })
  expect(published).toEqual(['pr.behind'])
  expect(await isBehind(store, one.head.branch, one.head.sha)).toBe(true)
  expect(await isBehind(store, one.head.branch, sha('9'))).toBe(false)
})

describe('the stop check of what is filed, its base having moved', () => {
  async function stop(options: {
    kind: 'github' | 'local'
    always?: boolean
    mergeable?: 'conflicting'
    behind?: boolean
    newer?: boolean
  }): Promise<number> {
    const store = snapshots()
    const filed = pull({
      ...(options.mergeable === undefined ? {} : { mergeable: options.mergeable }),
    })
    const { branch } = filed.head
    await store.put('pull:3', { snapshot: filed })
    if (options.behind === true) await noteBehind(store, branch, filed.head.sha)
    const head = options.newer === true ? sha('c') : filed.head.sha
    const agent = makeAgent({
      branch,
      baseBranch: filed.base.branch,
      forkPoint: sha('0'),
      ownsWorktree: true,
    })
    let rebases = 0
    const tx = { snapshots: store, agents: { update: async () => {} } }
    const sync = createStopSync({
      store: {
        ...tx,
        agents: { get: async () => agent, update: async () => {} },
        journal: { open: async () => [] },
        transaction: async (work: (inside: typeof tx) => Promise<unknown>) => work(tx),
      },
      git: {
        fetch: async () => {},
        resolve: async (revision: string) => {
          if (revision === `refs/heads/${branch}`) return head
          if (revision === `refs/remotes/origin/${branch}`) return filed.head.sha
          return revision.startsWith('refs/') ? sha('b') : revision
        },
        isAncestor: async (ancestor: string, descendant: string) =>
          ancestor === sha('0') || (ancestor === filed.head.sha && descendant === head),
        mergeBase: async () => sha('0'),
        patchIds: async () => ['p'],
        rebase: async () => {
          rebases += 1
          return { kind: 'rebased', head: sha('d') }
        },
      },
      forge: {
        kind: options.kind,
        remote: 'origin',
        snapshots: async () => [{ number: 3, snapshot: filed }],
      },
      publisher: { publish: async () => {} },
      branchPush: { push: async () => {}, hasHeld: async () => true },
      branchLock: (_branch: string, work: (waited: boolean) => Promise<unknown>) => work(false),
      ask: async () => {},
    } as unknown as Parameters<typeof createStopSync>[0])
    const { stop: settings } = configSchema.parse(
      options.always === true ? { stop: { rebase_filed: 'always' } } : {},
    )
    expect(await sync.run(settings, { kind: 'agent', agent })).toBeUndefined()
    return rebases
  }

  it.each<[Parameters<typeof stop>[0], number]>([
    [{ kind: 'github' }, 0],
    [{ kind: 'github', newer: true }, 1],
    [{ kind: 'github', mergeable: 'conflicting' }, 1],
    [{ kind: 'github', behind: true }, 1],
    [{ kind: 'github', always: true }, 1],
    [{ kind: 'local' }, 1],
  ])('%o: rebased %d times', async (options, expected) => {
    expect(await stop(options)).toBe(expected)
  })
})

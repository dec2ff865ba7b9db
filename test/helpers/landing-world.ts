import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PullRequestSnapshot } from '../../src/adapters/forge/forge.ts'
import type { Git } from '../../src/adapters/git/git.ts'
import type { CheckSettings } from '../../src/adapters/forge/local/options.ts'
import { configSchema, type Config } from '../../src/config/schema.ts'
import { createBranchLock } from '../../src/core/pulls/branch-lock.ts'
import type { MergedPull } from '../../src/core/pulls/pull-documents.ts'
import type { Caller } from '../../src/domain/caller.ts'
import { createFoldAhead } from '../../src/core/fold/ahead/ahead.ts'
import { createAutoLand } from '../../src/core/fold/ahead/auto-land.ts'
import type { Fold } from '../../src/core/fold/ahead/fold-document.ts'
import { createFold } from '../../src/core/fold/ahead/fold-use-cases.ts'
import { createRequireLookedAt } from '../../src/core/agents/looked-at.ts'
import { createMergeBase } from '../../src/core/pulls/merge/base.ts'
import { createMergePull, type MergePull } from '../../src/core/pulls/merge/merge-pull.ts'
import { createBranchPush } from '../../src/core/pulls/push-branch.ts'
import { createPoller } from '../../src/pull-watch/poller.ts'
import { createPublisher } from '../../src/delivery/publisher.ts'
import { createRenderer } from '../../src/delivery/render/render.ts'
import { asBranchName, newDeliveryId, type AgentId, type Sha } from '../../src/domain/ids.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { makeAgent } from '../unit/core/make-agent.ts'
import { openLocalForge, type LocalForgeFixture } from './local-forge.ts'
import { waitFor } from './wait-for.ts'
import { settingsOf } from './settings.ts'

export const LEAD = '00000000-0000-7000-8000-000000000001' as AgentId

/**
 * Test helper: pull requests of the children of a lead on `main`, checked and landed by the real
 * local forge, store, poller and merge, in this process. The check is a shell script; each run of
 * it is noted with the files that it was of and what came of it.
 */
export interface LandingWorld extends LocalForgeFixture {
  config: Config
  readonly merging: MergePull
  readonly fold: Fold
  /**
   * A branch with one commit, its agent, and its pull request, filed. `from`: where it starts;
   * default main as it was at first.
   */
  open(
    name: string,
    files: Readonly<Record<string, string>>,
    options?: { from?: string },
  ): Promise<number>
  /** A branch with one commit and its agent, at work, which has not filed it. */
  unfiled(name: string, files: Readonly<Record<string, string>>): Promise<void>
  /** One more commit on it, pushed. */
  push(name: string, files: Readonly<Record<string, string>>): Promise<Sha>
  agent(name: string): AgentId
  look(number: number): Promise<PullRequestSnapshot>
  /** Publishes what has changed about it. */
  poll(number: number): Promise<void>
  /** Waits until its checks have ended, and that is published. */
  checked(number: number): Promise<PullRequestSnapshot>
  merge(
    number: number,
    options?: {
      as?: 'human'
      force?: boolean
      head?: string
      wait?: boolean
      signal?: AbortSignal
      progress?: (words: string) => void
    },
  ): Promise<MergedPull>
  /** Until nothing waits to land any more. */
  landed(): Promise<void>
  events(type?: string): Promise<Record<string, any>[]>
  /** What was sent to somebody and not withdrawn, in words. */
  delivered(recipient: AgentId | 'human'): Promise<string[]>
  /** How messages of that kind reach somebody. */
  reaches(recipient: AgentId | 'human', type: string): Promise<string[]>
  /** Runs of the check: the tree, and whether it was green. */
  runs(): { tree: string; green: boolean }[]
  /** How often a configuration was taken. */
  snapshots(): number
  /** All tips that main ever had on the remote after the first, oldest first. */
  tips(): Promise<string[]>
  /** Lets the checks that wait at HOLD go on, or has those to come wait there. */
  hold(held: boolean): void
  /** As a daemon that starts anew on the same store. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** In the script of a check: waits here while the test holds it. */
export const HOLD = 'while test -e "$HELD"; do sleep 0.02; done'

/** `script` is run in the checkout; its exit code is the check’s. */
export async function landingWorld(
  script: string,
  options: {
    parallel?: number
    config?: Record<string, unknown>
    onJournalStep?: (kind: string, step: string) => void
    files?: Record<string, string>
    trusted?: () => Promise<void>
    withGit?: (git: Git) => Partial<Git>
    /** What is open is checked together, ahead. */
    fold?: boolean
  } = {},
): Promise<LandingWorld> {
  const log = silentLog()
  const ci: Partial<CheckSettings> = { parallel: options.parallel ?? 2 }
  const files = options.files ?? { 'README.md': '#\n', 'shared.txt': 'base\n' }
  const fixture = await openLocalForge({
    files,
    ci,
    ...(options.trusted === undefined ? {} : { trusted: options.trusted }),
    ...(options.withGit === undefined ? {} : { withGit: options.withGit }),
  })
  const { repository, git, store, remote, paths } = fixture
  const noted = join(repository.folder, 'runs')
  writeFileSync(noted, '')
  const rule = join(repository.folder, 'rule.sh')
  writeFileSync(rule, script)
  const held = join(repository.folder, 'held')
  const argv = [
    'sh',
    '-c',
    `HELD='${held}' sh '${rule}'; code=$?; echo "$(git rev-parse 'HEAD^{tree}') $code" >> '${noted}'; exit $code`,
  ]
  await repository.gitIn(paths.origin, 'config', 'core.logAllRefUpdates', 'always')
  const first = (await git.resolve('main')) as Sha
  const renderer = createRenderer({
    shippedFolder: fileURLToPath(new URL('../../templates', import.meta.url)),
    overrideFolder: async () => null,
    log,
  })

  const assemble = () => {
    const forge = fixture.reopen({ argv })
    const publisher = createPublisher({ store, renderer, clock: Date.now, log, newDeliveryId })
    const poller = createPoller({
      forge,
      store,
      publisher,
      config: () => world.config,
      clock: Date.now,
      log,
    })
    const mergeBase = createMergeBase({
      git,
      forge,
      log,
      branchPush: createBranchPush({ store, git, forge }),
    })
    const deps = {
      ...{ store, git, forge, publisher, log, polling: poller, clock: Date.now },
      settings: settingsOf(() => ((snapshots += 1), world.config)),
      onJournalStep: options.onJournalStep ?? (() => {}),
      branchLock: createBranchLock(),
      mergeBase,
      requireLookedAt: createRequireLookedAt({ store, git, forge }),
      landResults: forge.results,
      landsHere: async () => false,
    }
    poller.start()
    const merging = createMergePull(deps)
    const ahead = createFoldAhead({
      ...deps,
      results: forge.results!,
      autoLand: createAutoLand({ ...deps, merge: merging.merge }),
    })
    const fold = createFold({ ...deps, ahead, results: forge.results!, forgeLands: false })
    return { forge, poller, merging, ahead, fold }
  }

  let snapshots = 0
  const ids = new Map<string, AgentId>()
  let count = 1
  const addAgent = async (
    name: string,
    facts: Parameters<typeof makeAgent>[0],
  ): Promise<AgentId> => {
    const id = `00000000-0000-7000-8000-${String(count++).padStart(12, '0')}` as AgentId
    ids.set(name, id)
    await store.agents.insert(
      makeAgent({
        name,
        id,
        stateSource: 'hook',
        tokenHash: name,
        paneId: '%1' as never,
        pid: 1,
        ...facts,
      }),
    )
    return id
  }
  let trees = 0
  const commitOn = async (
    branch: string,
    at: Sha,
    create: boolean,
    files: Readonly<Record<string, string>>,
  ): Promise<Sha> => {
    const path = join(repository.folder, `tree-${++trees}`)
    await git.addWorktree({ path, branch: asBranchName(branch), create, at })
    for (const [file, content] of Object.entries(files)) writeFileSync(join(path, file), content)
    await repository.gitIn(path, 'add', '-A')
    await repository.gitIn(path, 'commit', '-q', '-m', `Change ${Object.keys(files).join(', ')}`)
    const head = (await repository.gitIn(path, 'rev-parse', 'HEAD')) as Sha
    await git.removeWorktree(path)
    return head
  }

  const world: LandingWorld = {
    ...fixture,
    config: configSchema.parse({
      ...options.config,
      fold: { enabled: options.fold === true, ...(options.config?.['fold'] as object) },
    }),
    get merging() {
      return now.merging
    },
    get fold() {
      return now.fold
    },
    get forge() {
      return now.forge
    },
    agent: (name) => ids.get(name) ?? (name as AgentId),
    open: async (name, files, { from = first } = {}) => {
      const branch = asBranchName(`main.${name}`)
      const head = await commitOn(branch, from as Sha, true, files)
      await git.push(remote, { sha: head, branch, expected: null })
      const agentId = await addAgent(name, {
        branch,
        baseBranch: asBranchName('main'),
        parentId: LEAD,
        kind: 'worker',
        ownsWorktree: true,
        worktree: '/none',
      })
      const filed = await now.forge.file({
        head: branch,
        headSha: head,
        base: asBranchName('main'),
        title: `Title of ${name}`,
        body: '',
        draft: false,
        agentId,
      })
      if (filed.kind !== 'filed') throw new Error(filed.kind)
      await now.poller.poll([filed.number])
      return filed.number
    },
    unfiled: async (name, files) => {
      const branch = asBranchName(`main.${name}`)
      await commitOn(branch, first, true, files)
      await addAgent(name, {
        branch,
        baseBranch: asBranchName('main'),
        parentId: LEAD,
        kind: 'worker',
        state: 'running',
        ownsWorktree: true,
        worktree: '/none',
      })
      now.ahead.look(asBranchName('main'))
    },
    push: async (name, files) => {
      const branch = asBranchName(`main.${name}`)
      const before = (await git.resolve(`refs/heads/${branch}`)) as Sha
      const head = await commitOn(branch, before, false, files)
      await git.push(remote, { sha: head, branch, expected: before })
      return head
    },
    look: async (number) => {
      const [result] = await now.forge.snapshots([number])
      if (result === undefined || !('snapshot' in result)) throw new Error(JSON.stringify(result))
      return result.snapshot
    },
    poll: (number) => now.poller.poll([number]),
    checked: (number) =>
      waitFor(
        `the checks of #${number}`,
        async () => {
          const snapshot = await world.look(number)
          if (snapshot.checksState === 'pending' || snapshot.checksState === 'none')
            return undefined
          await now.poller.poll([number])
          return snapshot
        },
        { limit: 60_000 },
      ),
    merge: async (number, { as, head, force = false, wait, signal, progress } = {}) => {
      const agent = (await store.agents.get(LEAD))!
      const caller: Caller = { kind: as ?? 'agent', agent }
      return now.merging.merge(
        caller,
        { number, force, head, wait },
        { ...(signal && { signal }), ...(progress && { progress }) },
      )
    },
    landed: () =>
      waitFor('all to have landed', async () => (await store.journal.open()).length === 0, {
        limit: 60_000,
      }).then(() => now.poller.poll()),
    events: async (type) =>
      (await store.events.list(type === undefined ? {} : { types: [type] })) as never,
    delivered: async (recipient) =>
      (await store.outbox.list({ recipient }))
        .filter(({ state }) => state !== 'withdrawn')
        .map(({ text }) => text),
    reaches: async (recipient, type) =>
      (await store.outbox.list({ recipient }))
        .filter(({ kind }) => kind === type)
        .map(({ reach }) => reach),
    runs: () =>
      readFileSync(noted, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => ({ tree: line.split(' ')[0] ?? '', green: line.endsWith(' 0') })),
    snapshots: () => snapshots,
    tips: async () => {
      const reflog = await repository
        .gitIn(paths.origin, 'reflog', 'show', '--format=%H', 'refs/heads/main')
        .catch(() => '')
      return reflog
        .split('\n')
        .filter((line) => line !== '' && line !== first)
        .toReversed()
    },
    hold: (now) => (now ? writeFileSync(held, '') : rmSync(held, { force: true })),
    restart: async () => {
      now.ahead.stop()
      await now.merging.stop()
      await now.poller.stop()
      await now.forge.dispose()
      now = assemble()
      for (const entry of await store.journal.open()) await now.merging.settle(entry)
      await now.forge.resumeChecks()
      await now.merging.resume()
      if (options.fold === true) await now.ahead.start()
    },
    close: async () => {
      now.ahead.stop()
      await now.merging.stop()
      await now.poller.stop()
      await fixture.close()
    },
  }
  let now = assemble()
  await addAgent('lead', {
    kind: 'root',
    parentId: null,
    depth: 0,
    baseBranch: null,
    branch: asBranchName('main'),
    worktree: repository.path,
    state: 'running',
  })
  await now.merging.resume()
  if (options.fold === true) await now.ahead.start()
  return world
}

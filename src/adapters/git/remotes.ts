import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../domain/errors.ts'
import { asBranchName, type BranchName } from '../../domain/ids.ts'
import { wordsOf } from './failure.ts'
import type { Git, PushResult } from './git.ts'
import { createCoalescer, createMutex, type Mutex } from './mutex.ts'
import type { Porcelain } from './porcelain.ts'
import type { OwnRemote } from './own-remote.ts'
import { parseRefs, refuseOption } from './refs.ts'
import type { Run } from './run.ts'

type Remotes = Pick<
  Git,
  | 'remotes'
  | 'addRemote'
  | 'removeRemote'
  | 'defaultBranch'
  | 'fetch'
  | 'advanceBranch'
  | 'push'
  | 'remoteTip'
  | 'remoteTips'
  | 'deleteRemoteBranch'
  | 'deleteRemoteBranches'
>

/** Milliseconds. */
const REF_WAITS = [0, 20, 80, 320]
const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-prune',
  '--no-recurse-submodules',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
]
const PUSH = [
  'push',
  '--porcelain',
  '--no-verify',
  '--no-signed',
  '--no-follow-tags',
  '--recurse-submodules=no',
]

/**
 * Reads `git push --porcelain`: one line `flag TAB from:to TAB summary` per ref, `!` for a refusal;
 * the remote’s own words are on stderr, and before them git’s own of what it could not send. Of
 * several refs that of `branch`.
 */
export function parsePush(stdout: string, stderr: string, branch?: string): PushResult | null {
  const line = stdout
    .split('\n')
    .filter((text) => /^[ +\-*=!]\t/.test(text))
    .find((text) => branch === undefined || text.split('\t')[1]?.endsWith(`:refs/heads/${branch}`))
  if (line === undefined) return null
  if (!line.startsWith('!')) return { kind: 'pushed' }
  const said = stderr
    .split('\n')
    .filter(
      (text) =>
        /^(remote|error|fatal):/.test(text) && !text.startsWith('error: failed to push some refs'),
    )
    .map((text) => text.replace(/^remote:/, '').trim())
    .filter((text) => text !== '')
  const summary = line.split('\t')[2] ?? 'rejected'
  return { kind: 'rejected', reason: [summary, ...said].join('; '), cause: said[0] ?? summary }
}

export function createRemotes({
  run,
  porcelain,
  refs,
  own,
  pushEnvironment,
  remoteEnvironment,
}: {
  run: Run
  porcelain: Porcelain
  refs: Pick<Git, 'resolve'>
  own: OwnRemote
  pushEnvironment: () => Promise<Readonly<Record<string, string>>>
  remoteEnvironment: (remote: string) => Promise<Readonly<Record<string, string>>>
}): Remotes {
  const coalesce = createCoalescer()
  /** Two fetches from one remote would race for the same refs. */
  const fetching = new Map<string, Mutex>()
  const fetchLock = (remote: string): Mutex => {
    const lock = fetching.get(remote) ?? createMutex()
    fetching.set(remote, lock)
    return lock
  }

  const listRemote = async (remote: string, ...patterns: string[]): Promise<string> => {
    refuseOption(remote)
    return run.output(
      `ask ${remote} for its branches`,
      ['ls-remote', '--quiet', '--', remote, ...patterns],
      {
        remote,
        reads: true,
        env: await remoteEnvironment(remote),
      },
    )
  }

  const push = async (
    remote: string,
    branch: string,
    args: readonly string[],
  ): Promise<PushResult> => {
    refuseOption(remote)
    const result = await run.attempt([...PUSH, ...args], {
      remote,
      env: { ...(await remoteEnvironment(remote)), ...(await pushEnvironment()) },
    })
    // Also where it is the remote that refuses: nothing there moved, so there is nothing to fetch
    // and look at.
    if (result.exitCode !== 0 && run.ranFull(result))
      throw run.failure(`push ${branch} to ${remote}`, result, { remote })
    const answer = parsePush(result.stdout, result.stderr)
    if (answer !== null && (answer.kind === 'rejected' || result.exitCode === 0)) return answer
    // Nothing to say about the ref: an empty push, or a remote that could not be reached.
    if (result.exitCode === 0) return { kind: 'pushed' }
    if (/stale info|non-fast-forward|fetch first/.test(wordsOf(result)))
      return { kind: 'rejected', reason: wordsOf(result), cause: wordsOf(result) }
    throw run.failure(`push ${branch} to ${remote}`, result, { remote })
  }
  /**
   * Of these branches those that a fetch would change something about, as far as can be determined
   * without one.
   */
  const behind = async (remote: string, branches: readonly BranchName[]): Promise<BranchName[]> => {
    const found: BranchName[] = []
    for (const branch of branches) {
      const there = await own.tip(remote, branch)
      if (
        there === undefined ||
        there === null ||
        there !== (await refs.resolve(`refs/remotes/${remote}/${branch}`))
      )
        found.push(branch)
    }
    return found
  }
  const lease = (branch: string, expected: string | null): string =>
    `--force-with-lease=refs/heads/${branch}:${expected ?? ''}`

  return {
    async remotes() {
      // simple-git’s own reading of this ends a URL at its first space.
      const lines = await run.output('list the remotes', ['remote', '--verbose'], { reads: true })
      return new Map(
        Array.from(lines.matchAll(/^(.+)\t(.*) \(fetch\)/gm), ([, name = '', url = '']) => [
          name,
          url,
        ]),
      )
    },
    async addRemote(name, url) {
      refuseOption(name)
      await porcelain(`add the remote ${name}`, (git) => git.addRemote(name, url))
    },
    async removeRemote(name) {
      refuseOption(name)
      await porcelain(`remove the remote ${name}`, (git) => git.removeRemote(name))
    },

    async defaultBranch(remote) {
      const prefix = `refs/remotes/${remote}/`
      const known = await run.attempt(['symbolic-ref', '--quiet', `${prefix}HEAD`], { reads: true })
      if (known.exitCode === 0) return asBranchName(known.stdout.trim().slice(prefix.length))
      refuseOption(remote)
      const answer = await run.output(
        `ask ${remote} for its default branch`,
        ['ls-remote', '--quiet', '--symref', '--', remote, 'HEAD'],
        {
          remote,
          reads: true,
          env: await remoteEnvironment(remote),
        },
      )
      const branch = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(answer)?.[1]
      return branch === undefined ? null : asBranchName(branch)
    },

    fetch(remote, branches) {
      const wanted = [...new Set(branches)].sort()
      return coalesce(`${remote}\0${wanted.join('\0')}`, () =>
        fetchLock(remote)(async () => {
          refuseOption(remote)
          const names =
            branches === undefined || branches.length === 0 ? ['*'] : await behind(remote, wanted)
          if (names.length === 0) return
          const refspecs = names.map((name) => `+refs/heads/${name}:refs/remotes/${remote}/${name}`)
          const env = await remoteEnvironment(remote)
          const once = () => run.attempt([...FETCH, '--', remote, ...refspecs], { remote, env })
          let result = await once()
          // An agent that fetched the same branch at the same moment was first: what it stored is
          // looked at anew.
          for (const wait of REF_WAITS) {
            if (!/cannot lock ref/.test(result.stderr)) break
            await delay(wait)
            result = await once()
          }
          if (result.exitCode === 0) return
          const missing = /couldn't find remote ref refs\/heads\/(\S+)/.exec(result.stderr)
          if (missing) {
            throw new ExomonadError(
              'GIT_FAILED',
              `The remote "${remote}" has no branch ${missing[1]}. Push it first.`,
              { remote, branch: missing[1] },
            )
          }
          throw run.failure(`fetch from ${remote}`, result, { remote })
        }),
      )
    },

    async advanceBranch(branch, remote) {
      if ((await refs.resolve(`refs/heads/${branch}`)) === null) return false
      // A fetch into a branch refuses one that is checked out, or being rebased, in any worktree,
      // and whatever is no fast-forward.
      const result = await run.attempt([
        ...FETCH,
        '.',
        `refs/remotes/${remote}/${branch}:refs/heads/${branch}`,
      ])
      return result.exitCode === 0
    },

    push: (remote, { sha, branch, expected }) =>
      push(remote, branch, [
        ...(expected === undefined ? [] : [lease(branch, expected)]),
        '--',
        remote,
        `${sha}:refs/heads/${branch}`,
      ]),

    deleteRemoteBranch: (remote, branch, expected) =>
      push(remote, branch, [lease(branch, expected), '--', remote, `:refs/heads/${branch}`]),

    async deleteRemoteBranches(remote, tips) {
      const outcome = new Map<BranchName, PushResult>()
      const branches = [...tips.keys()]
      if (branches.length === 0) return outcome
      refuseOption(remote)
      const result = await run.attempt(
        [
          ...PUSH,
          ...[...tips].map(([branch, expected]) => lease(branch, expected)),
          ...['--', remote],
          ...branches.map((branch) => `:refs/heads/${branch}`),
        ],
        { remote, env: { ...(await remoteEnvironment(remote)), ...(await pushEnvironment()) } },
      )
      for (const branch of branches) {
        const answer = parsePush(result.stdout, result.stderr, branch)
        if (answer === null) throw run.failure(`delete ${branch} at ${remote}`, result, { remote })
        outcome.set(branch, answer)
      }
      return outcome
    },

    async remoteTip(remote, branch) {
      const read = await own.tip(remote, branch)
      if (read !== undefined) return read
      return (
        parseRefs(await listRemote(remote, `refs/heads/${branch}`), 'refs/heads/').get(branch) ??
        null
      )
    },

    async remoteTips(remote, branches) {
      const read = await own.tips(remote, branches)
      if (read !== undefined) return read
      const listed = parseRefs(
        await listRemote(
          remote,
          ...(branches?.map((branch) => `refs/heads/${branch}`) ?? ['refs/heads/*']),
        ),
        'refs/heads/',
      )
      // A pattern is one of the end of a name.
      return branches === undefined
        ? listed
        : new Map([...listed].filter(([branch]) => branches.includes(branch)))
    },
  }
}

import { ExomonadError } from '../../domain/errors.ts'
import { parseSha, type Sha } from '../../domain/ids.ts'
import type { CommitDetails, Git, Identity, MergeTreeResult } from './git.ts'
import { mergeDriverSettings } from './merge-drivers.ts'
import type { Run, RunOptions } from './run.ts'

type Objects = Pick<
  Git,
  'mergeTree' | 'mergeTrees' | 'commitTree' | 'readCommit' | 'readCommits' | 'identity'
>

const OUR_NAME = 'exomonad'
/** Milliseconds. */
const IDENTITY_KEPT = 2_000
const OUR_EMAIL = 'exomonad@localhost'
/** What git says where it would have to guess a name or an address, or has an empty one. */
const UNNAMED = /auto-detection is disabled|empty ident name/
/** Of a commit, as it is read. */
const FIELDS = 7

/** `GIT_AUTHOR_…` or `GIT_COMMITTER_…` for an identity. git refuses empty names. */
export function identityVariables(
  kind: 'AUTHOR' | 'COMMITTER',
  identity: Identity,
): Record<string, string> {
  return {
    [`GIT_${kind}_NAME`]: identity.name.trim() === '' ? identity.email || OUR_NAME : identity.name,
    [`GIT_${kind}_EMAIL`]: identity.email,
    ...(identity.date === undefined ? {} : { [`GIT_${kind}_DATE`]: `@${identity.date}` }),
  }
}

export function createObjects({ run }: { run: Run }): Objects {
  const drivers = mergeDriverSettings(run)

  const readIdentity = async (): Promise<Identity> => {
    const result = await run.attempt(
      ['config', '--null', '--get-regexp', '^user\\.(name|email)$'],
      { reads: true },
    )
    const found = new Map<string, string>()
    for (const entry of result.stdout.split('\0')) {
      const end = entry.indexOf('\n')
      if (end > 0) found.set(entry.slice(0, end), entry.slice(end + 1))
    }
    return { name: found.get('user.name') || OUR_NAME, email: found.get('user.email') || OUR_EMAIL }
  }

  /** A landing makes several commits at once: it is asked for once for all of them. */
  let known: { readonly at: number; readonly identity: Promise<Identity> } | undefined
  const identity: Objects['identity'] = () => {
    if (known === undefined || performance.now() - known.at > IDENTITY_KEPT)
      known = { at: performance.now(), identity: readIdentity() }
    return known.identity
  }

  const mergeTrees: Objects['mergeTrees'] = async (pairs) =>
    mergePairs(run, pairs, { settings: await drivers() })

  const readLog = async (doing: string, args: readonly string[]): Promise<CommitDetails[]> => {
    const format = '--format=%H%x00%T%x00%P%x00%an%x00%ae%x00%ad%x00%B%x00'
    const text = await run.output(
      doing,
      ['log', '-z', '--no-show-signature', '--no-color', '--date=raw', format, ...args],
      { reads: true },
    )
    const fields = text.split('\0')
    const commits: CommitDetails[] = []
    for (let at = 0; at + FIELDS < fields.length; at += FIELDS + 1) {
      const [sha = '', tree = '', parents = '', name = '', email = '', date = '', message = ''] =
        fields.slice(at, at + FIELDS)
      commits.push({
        sha: parseSha(sha),
        tree: parseSha(tree),
        parents: parents.split(' ').filter((parent) => parent !== '') as Sha[],
        author: { name, email, date },
        message: `${message.trimEnd()}\n`,
      })
    }
    return commits
  }

  return {
    identity,
    mergeTrees,

    async mergeTree(ours, theirs) {
      const [merged] = await mergeTrees([[ours, theirs]])
      if (merged === undefined)
        throw new ExomonadError('INTERNAL', 'git answered nothing about a merge.')
      return merged
    },

    async commitTree({ tree, parents, message, author, committer }) {
      const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-']
      const input = message.endsWith('\n') ? message : `${message}\n`
      const make = (self?: Identity) => {
        const [by, through] = [author ?? self, committer ?? self]
        const env = {
          ...(by === undefined ? {} : identityVariables('AUTHOR', by)),
          ...(through === undefined ? {} : identityVariables('COMMITTER', through)),
        }
        return run.attempt(args, { input, env, settings: ['user.useConfigOnly=true'] })
      }
      const made = await make()
      // git knows by itself who is configured; nobody has to be.
      const result =
        made.exitCode !== 0 && UNNAMED.test(made.stderr) ? await make(await identity()) : made
      if (result.exitCode !== 0) throw run.failure('make a commit', result)
      return parseSha(result.stdout)
    },

    async readCommit(sha) {
      const [commit] = await readLog('read a commit', ['-1', '--end-of-options', sha, '--'])
      if (commit === undefined)
        throw new ExomonadError(
          'GIT_FAILED',
          `The commit ${sha} is not in this repository. Fetch it first.`,
          { sha },
        )
      return commit
    },

    readCommits: (base, head) =>
      readLog('read commits', ['--end-of-options', `${base}..${head}`, '--']),
  }
}

export async function mergePairs(
  run: Run,
  pairs: readonly (readonly [ours: Sha, theirs: Sha])[],
  options: RunOptions,
): Promise<MergeTreeResult[]> {
  if (pairs.length === 0) return []
  const args = ['merge-tree', '--write-tree', '--stdin', '--name-only', '--no-messages', '-z']
  const result = await run.attempt(args, {
    ...options,
    input: pairs.map(([ours, theirs]) => `${ours} ${theirs}\n`).join(''),
  })
  const missing = /([0-9a-f]{40,64}) - not something we can merge/.exec(result.stderr)?.[1]
  if (missing !== undefined) {
    throw new ExomonadError(
      'GIT_FAILED',
      `The commit ${missing} is not in this repository. Fetch it first.`,
      { sha: missing },
    )
  }
  const merged = result.exitCode === 0 ? parseMergeTrees(result.stdout) : []
  if (merged.length !== pairs.length) throw run.failure('merge commits', result)
  return merged
}

/**
 * Reads `git merge-tree --stdin -z --name-only`: per merge `1` (clean) or `0`, the tree, and after
 * that the files that conflict, ended by an empty one.
 */
export function parseMergeTrees(text: string): MergeTreeResult[] {
  const merged: MergeTreeResult[] = []
  const parts = text.split('\0')
  for (let index = 0; index + 1 < parts.length;) {
    const clean = parts[index] === '1'
    const tree = parseSha(parts[index + 1] ?? '')
    index += 2
    const files: string[] = []
    for (; index < parts.length && parts[index] !== ''; index += 1) files.push(parts[index] ?? '')
    index += 1
    merged.push(clean ? { kind: 'clean', tree } : { kind: 'conflict', files: [...new Set(files)] })
  }
  return merged
}

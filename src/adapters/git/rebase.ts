import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ExomonadError } from '../../domain/errors.ts'
import { parseSha, type Sha } from '../../domain/ids.ts'
import type { Git } from './git.ts'
import { mergeDriverSettings } from './merge-drivers.ts'
import { identityVariables } from './objects.ts'
import type { Run } from './run.ts'
import { gitDirOf, operationIn } from './worktrees/worktree-state.ts'

type Rebase = Pick<Git, 'rebase' | 'abortRebase' | 'rebaseStep'>

/** The user’s habits that would change what a rebase does, off. */
const SETTINGS = [
  'rebase.missingCommitsCheck=ignore',
  'rebase.instructionFormat=%s',
  'rebase.forkPoint=false',
  'rerere.enabled=false',
  'core.commentChar=#',
]
const OPTIONS = [
  '--rebase-merges',
  '--empty=drop',
  '--no-autosquash',
  '--no-autostash',
  '--no-update-refs',
  '--no-stat',
  '--quiet',
]

export function createRebase({ run, git }: { run: Run; git: Pick<Git, 'identity'> }): Rebase {
  const drivers = mergeDriverSettings(run)
  const headOf = async (worktree: string): Promise<Sha> =>
    parseSha(
      await run.output(`read HEAD of ${worktree}`, ['rev-parse', '--verify', 'HEAD^{commit}'], {
        worktree,
        reads: true,
      }),
    )
  const conflicts = async (worktree: string): Promise<string[]> => {
    const names = await run.output(
      'list conflicts',
      ['diff', '--name-only', '--diff-filter=U', '-z'],
      { worktree, reads: true },
    )
    return [...new Set(names.split('\0').filter((name) => name !== ''))]
  }
  const abortRebase: Rebase['abortRebase'] = async (worktree) => {
    if ((await operationIn(worktree)) !== 'rebase') return
    await run.output(`abort the rebase in ${worktree}`, ['rebase', '--abort'], { worktree })
  }

  return {
    abortRebase,

    async rebaseStep(worktree) {
      const folder = await gitDirOf(worktree)
      const read = (...path: string[]) => readFile(join(folder, ...path), 'utf8').catch(() => '')
      for (const [name, file] of [
        ['rebase-merge', 'msgnum'],
        ['rebase-apply', 'next'],
      ] as const) {
        const step = Number.parseInt(await read(name, file), 10)
        if (Number.isInteger(step)) return { step, onto: (await read(name, 'onto')).trim() }
      }
      return null
    },

    async rebase(worktree, { onto, forkPoint }) {
      // One that stands from before is what has to be settled first.
      if ((await operationIn(worktree)) === 'rebase')
        return { kind: 'conflict', files: await conflicts(worktree) }
      const before = await headOf(worktree)
      const result = await run.attempt(['rebase', ...OPTIONS, '--onto', onto, forkPoint], {
        worktree,
        settings: [...SETTINGS, ...(await drivers())],
        env: identityVariables('COMMITTER', await git.identity()),
      })
      if (result.exitCode === 0) {
        const head = await headOf(worktree)
        return head === before ? { kind: 'up_to_date' } : { kind: 'rebased', head }
      }
      const failure = run.failure(`rebase ${worktree}`, result, { worktree })
      if ((await operationIn(worktree)) !== 'rebase') throw failure
      const files = await conflicts(worktree)
      if (files.length > 0) return { kind: 'conflict', files }
      // Stopped for another reason, such as an untracked file in the way: nothing an agent could
      // resolve in the middle of a rebase.
      await abortRebase(worktree)
      throw failure instanceof ExomonadError
        ? failure
        : new ExomonadError('GIT_FAILED', failure.message, {}, { cause: failure })
    },
  }
}

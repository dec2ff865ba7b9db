import type { Log } from '../../runtime/log.ts'
import { exec as defaultExec, type Exec } from '../../processes/exec.ts'
import { createAncestry } from './ancestry.ts'
import { createExclude } from './worktrees/exclude.ts'
import type { Git } from './git.ts'
import { createHistory } from './history.ts'
import { createLending } from './lending.ts'
import { createIsMerged } from './merged.ts'
import { createLookUp, type LookUp } from './look-up.ts'
import { createMutex } from './mutex.ts'
import { createObjects } from './objects.ts'
import { createOwnRemote, NO_OWN_REMOTE } from './own-remote.ts'
import { createPorcelain } from './porcelain.ts'
import { createRebase } from './rebase.ts'
import { createRefs } from './refs.ts'
import { createRemotes } from './remotes.ts'
import { createRadarGit } from './radar/create.ts'
import { createRun } from './run.ts'
import { createSnapshots } from './worktrees/snapshots.ts'
import { createWorktreeState } from './worktrees/worktree-state.ts'
import { createWorktrees } from './worktrees/worktrees.ts'

/**
 * Git on the repository of this common directory. `environment` is all that git sees
 * (gitEnvironment of config/environment.ts). `pushEnvironment` adds to it for pushes: what proves
 * to a guarded remote that the daemon pushes; `remoteEnvironment` for all that talks to the remote
 * of that name: what it is let in with. Open a repository once per process: the lock around
 * worktrees is this object’s.
 */
export function openGit({
  commonDir,
  environment,
  log,
  exec = defaultExec,
  pushEnvironment = async () => ({}),
  remoteEnvironment = async () => ({}),
  signal,
  lookUp,
  origin,
  mostRadarObjects,
}: {
  commonDir: string
  environment: Readonly<Record<string, string>>
  log?: Log
  exec?: Exec
  pushEnvironment?: () => Promise<Readonly<Record<string, string>>>
  remoteEnvironment?: (remote: string) => Promise<Readonly<Record<string, string>>>
  /** Ends what talks to a remote, now and from then on. */
  signal?: AbortSignal
  /** A git that is kept for looking commits up. */
  lookUp?: LookUp
  /**
   * The local forge’s bare repository, whose branches are read without a transport; `lookUp` is a
   * git kept in it.
   */
  origin?: { readonly path: string; readonly lookUp?: LookUp } | undefined
  /** Bytes of snapshots of worktrees that are kept. Default: MOST_OBJECTS. */
  mostRadarObjects?: number
}): Git {
  const logged: Exec = async (file, args, options) => {
    const result = await exec(file, args, options)
    log?.trace({ args, cwd: options?.cwd, exitCode: result.exitCode }, 'git')
    return result
  }
  const run = createRun({ commonDir, environment, exec: logged, signal })
  const aside = createRun({
    ...{ commonDir, environment, signal },
    exec: (file, args, options) => logged(file, args, { ...options, background: true }),
  })
  const porcelain = createPorcelain({ commonDir, environment })
  const lock = createMutex()
  const refs = {
    ...createRefs({ run, lock, commonDir, lookUp }),
    ...createAncestry({ run, commonDir, lookUp }),
  }
  const objects = createObjects({ run })
  const own = origin === undefined ? NO_OWN_REMOTE : createOwnRemote({ run, commonDir, ...origin })

  return Object.freeze({
    commonDir,
    ...refs,
    ...objects,
    ...createHistory({ run, porcelain }),
    isMerged: createIsMerged({ run, git: { ...refs, ...objects } }),
    ...createWorktrees({ run, lock, commonDir, exec }),
    ...createWorktreeState({ run, commonDir, git: refs }),
    ...createSnapshots({ run }),
    ...createRadarGit({ run: aside, atOnce: run, commonDir, mostObjects: mostRadarObjects }),
    ...createRebase({ run, git: objects }),
    ...createRemotes({ run, porcelain, refs, own, pushEnvironment, remoteEnvironment }),
    ...createExclude({ commonDir, lock }),
    ...createLending({ run, commonDir }),
    async initBare(path: string) {
      const format = (
        await run.output('read the object format', ['rev-parse', '--show-object-format'], {
          reads: true,
        })
      ).trim()
      // No template: the user’s may bring hooks.
      await run.output(
        `make the repository ${path}`,
        ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, '--', path],
        {
          worktree: commonDir,
        },
      )
    },
  })
}

/**
 * The same for a process that goes on: it looks commits up by gits that are kept until `close`.
 * `origin`: path of the local forge’s bare repository.
 */
export function openKeptGit(
  options: Omit<Parameters<typeof openGit>[0], 'lookUp' | 'origin'> & { readonly origin: string },
): {
  readonly git: Git
  readonly close: () => void
} {
  const { origin: path, ...others } = options
  const lookUp = createLookUp(others)
  const there = createLookUp({ commonDir: path, environment: others.environment })
  return {
    git: openGit({ ...others, lookUp, origin: { path, lookUp: there } }),
    close: () => {
      lookUp.close()
      there.close()
    },
  }
}

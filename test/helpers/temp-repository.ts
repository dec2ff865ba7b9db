import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { exec } from './exec.ts'
import { COMPILED } from './programs.ts'
import { mountSmallDisk, unmountSmallDisk } from './small-disk.ts'

/**
 * Test helper: a git repository of its own, in a temporary folder with its own HOME and git
 * configuration, so that nothing of the machine or the user reaches a test and nothing of a test
 * reaches them. Use:
 *
 *   const repository = await tempRepository()
 *   onTestFinished(() => repository.remove())
 */
export interface TempRepository {
  /** Everything below lies in it; real path, under os.tmpdir(). */
  readonly folder: string
  /** The repository’s worktree. */
  readonly path: string
  readonly home: string
  /**
   * A whole environment for programs: PATH, HOME, git without the machine’s configuration, XDG
   * folders inside `folder`.
   */
  readonly env: Readonly<Record<string, string>>
  /**
   * Runs git in the worktree (or `cwd`) and returns stdout without the last line end. Throws with
   * stderr where it fails; one that meets the lock of another git, a daemon’s, tries again.
   */
  git(...args: string[]): Promise<string>
  gitIn(cwd: string, ...args: string[]): Promise<string>
  /** Writes files (relative path → content) and commits them; returns the commit. */
  commit(files: Readonly<Record<string, string>>, message?: string): Promise<string>
  remove(): void
}

export interface TempRepositoryOptions {
  /** Branch of the first commit. Default `main`. */
  readonly branch?: string
  /** Name of the worktree’s folder; may hold spaces and unicode. Default `repo`. */
  readonly name?: string
  /** Files of the first commit; null for a repository without commits. */
  readonly files?: Readonly<Record<string, string>> | null
  /**
   * Megabytes of a file system of its own that the repository lies on, with all of `.git`. Needs
   * `describeWithDisk`.
   */
  readonly disk?: number
}

const LOCKED = /unable to create '[^']*\.lock': file exists/i
/** Longer than a git on a busy machine, which waits for the disk, has a lock. Milliseconds. */
const LOCK_LIMIT = 20_000
const LONGEST_WAIT = 400

/** A fresh folder with HOME and XDG folders inside, and the environment that points to them. */
export function tempHome(): {
  folder: string
  home: string
  env: Record<string, string>
  remove(): void
} {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 't-')))
  const home = join(folder, 'home')
  mkdirSync(home)
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  const config = join(home, '.gitconfig')
  writeFileSync(
    config,
    '[user]\n\tname = Test Person\n\temail = test@example.invalid\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n',
  )
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    TMPDIR: process.env['TMPDIR'] ?? tmpdir(),
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm-256color',
    SHELL: '/bin/sh',
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_RUNTIME_DIR: join(folder, 'run'),
    GIT_CONFIG_GLOBAL: config,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    NODE_COMPILE_CACHE: COMPILED,
  }
  return {
    folder,
    home,
    env,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  }
}

export async function tempRepository(options: TempRepositoryOptions = {}): Promise<TempRepository> {
  const { folder, home, env, ...temporary } = tempHome()
  const path = join(folder, options.name ?? 'repo')
  mkdirSync(path)
  if (options.disk !== undefined) mountSmallDisk(path, options.disk)
  const remove = (): void => {
    if (options.disk !== undefined) unmountSmallDisk(path)
    temporary.remove()
  }
  const gitIn = async (cwd: string, ...args: string[]): Promise<string> => {
    const once = () => exec('git', args, { cwd, env })
    let result = await once()
    const until = performance.now() + LOCK_LIMIT
    for (let wait = 50; LOCKED.test(result.stderr) && performance.now() < until; wait *= 2) {
      await delay(Math.min(wait, LONGEST_WAIT))
      result = await once()
    }
    const { exitCode, signal, stdout, stderr } = result
    if (exitCode !== 0)
      throw new Error(
        `git ${args.join(' ')} ended with ${String(exitCode ?? signal)}: ${stdout}${stderr}`,
      )
    return stdout.replace(/\n$/, '')
  }
  const git = (...args: string[]): Promise<string> => gitIn(path, ...args)
  const commit = async (
    files: Readonly<Record<string, string>>,
    message = 'Change files',
  ): Promise<string> => {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), content)
    }
    await git('add', '--all', '--', ...Object.keys(files))
    await git('commit', '-q', '-m', message)
    return git('rev-parse', 'HEAD')
  }
  await git('init', '-q', '-b', options.branch ?? 'main')
  if (options.files !== null)
    await commit(options.files ?? { 'README.md': '# A repository\n' }, 'First commit')
  return { folder, path, home, env, git, gitIn, commit, remove }
}

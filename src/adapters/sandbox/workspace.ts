import { basename, dirname, join } from 'node:path'
import type { PersonalPath } from '../agent-cli/agent-cli.ts'
import { ownPath } from '../../domain/own-path.ts'
import type { Mount } from './sandbox.ts'

/** Where a confined agent finds the daemon: a folder, as each daemon’s socket is a new file. */
export const SOCKET_FOLDER = '/run/exomonad'

/** Of the machine, for everybody: programs, libraries, settings, what the processor is. */
const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/nix',
  '/sys/devices/system',
  '/sys/fs/cgroup',
  '/run/systemd/resolve',
]

/** Of a home, where toolchains are that a program on the PATH leads to; none holds a secret. */
const TOOLCHAINS = [
  '.asdf',
  '.local/share/mise',
  '.local/share/uv/python',
  '.nvm',
  '.pyenv/versions',
  '.rbenv/versions',
  '.rustup',
  '.sdkman/candidates',
  '.volta',
]

/** Of a home, what git is told of the person: names and settings, no passwords. */
export const GIT_SETTINGS = ['.gitconfig', '.config/git/config', '.config/git/ignore']

/** What is to be known of an agent and its place, absolute paths all. */
export interface Workplace {
  readonly worktree: string
  /** The git folder that its repositories’ worktrees share, and what there is its own. */
  readonly commonDir: string
  readonly gitDir: string
  /** The branch that it was given. */
  readonly branch: string
  /** Whether there is a `config.worktree` in it, as of a sparse worktree; else an empty file of ours. */
  readonly hasOwnConfig: boolean
  readonly emptyFile: string
  /** exomonad’s state of this repository. */
  readonly state: string
  /** The agent’s own folder there. */
  readonly folder: string
  /** The person’s home. */
  readonly home: string
  /** Folder with a link to the daemon’s socket, and with nothing else. */
  readonly socketFolder: string
  /** What it runs and is given to read: its program, ours, prompt, token. */
  readonly reads: readonly string[]
  readonly personal: readonly PersonalPath[]
  /** `[sandbox]` of the configuration. */
  readonly configured: { readonly read: readonly string[]; readonly write: readonly string[] }
  /** What must never be there, even below what is configured. */
  readonly hidden: readonly string[]
}

export const read = (path: string): Mount => ({ path, access: 'read' })
export const write = (path: string): Mount => ({ path, access: 'write' })
export const none = (path: string): Mount => ({ path, access: 'none' })

export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

/**
 * What a confined agent sees. It writes its worktree, its part of the git folder (index, HEAD,
 * objects, references), its own folder, home and temporary folder. Most logs of references are its
 * own: git outside appends to the repository’s, and to whatever a link in their place leads to.
 * What git would take orders from it only reads: configuration, hooks, and the files that say which
 * repository a worktree is of, since the daemon’s git, outside, believes them.
 */
export function workspaceMounts(place: Workplace): Mount[] {
  const { folder, home } = place
  const logs = logsOf(place)
  const own = [
    ...['/tmp', home, ...logs.own, ...place.personal.filter(isOwn).map(({ path }) => path)].map(
      (path) => ({
        path,
        source: ownPath(folder, path),
        access: 'write' as const,
      }),
    ),
    ...['/run', '/var/tmp'].map(none),
    write(folder),
    read(join(folder, 'channel.json')),
    ...logs.shared.map(write),
    { path: SOCKET_FOLDER, source: place.socketFolder, access: 'read' as const },
  ]
  const person = [
    ...GIT_SETTINGS.map((name) => read(join(home, name))),
    ...place.configured.read.map(read),
    ...place.configured.write.map(write),
    ...place.personal.flatMap(({ path, access }) =>
      access === 'read' || access === 'write' ? [{ path, access }] : [],
    ),
  ]
  const mounts = [...machineMounts(place), ...own, ...person, ...gitMounts(place)]
  return [...mounts.filter(({ path }) => !place.hidden.includes(path)), ...hide(place, mounts)]
}

/**
 * Where the repository’s references are logged: what an agent has of its own in place of it, and
 * what it shares, the list of `git stash` and the log of its branch.
 */
export function logsOf({ commonDir, branch }: Pick<Workplace, 'commonDir' | 'branch'>): {
  own: readonly string[]
  shared: readonly string[]
  ofBranch: string
} {
  const folder = join(commonDir, 'logs')
  const refs = join(folder, 'refs')
  const ofBranch = join(refs, 'heads', branch)
  return {
    own: [folder, ...['exomonad', 'heads', 'remotes'].map((name) => join(refs, name))],
    shared: [refs, ofBranch],
    ofBranch,
  }
}

/** A worktree and its git folder, for whoever works in it. */
export function gitMounts({
  worktree,
  commonDir,
  gitDir,
  emptyFile,
  hasOwnConfig,
}: Pick<Workplace, 'worktree' | 'commonDir' | 'gitDir' | 'emptyFile' | 'hasOwnConfig'>): Mount[] {
  const own = join(gitDir, 'config.worktree')
  return [
    read(commonDir),
    // Packs and alternates are whole history: what commits add is loose.
    write(join(commonDir, 'objects')),
    read(join(commonDir, 'objects', 'pack')),
    read(join(commonDir, 'objects', 'info')),
    ...['refs', 'reftable'].map((name) => write(join(commonDir, name))),
    write(gitDir),
    ...['gitdir', 'commondir'].map((name) => read(join(gitDir, name))),
    // A device could not be read there, and without any file one could be made.
    hasOwnConfig ? read(own) : { path: own, source: emptyFile, access: 'read' },
    write(worktree),
    read(join(worktree, '.git')),
  ]
}

/** What any program is run with: the machine’s own, toolchains, and `reads`. */
export const machineMounts = ({ home, reads }: Pick<Workplace, 'home' | 'reads'>): Mount[] =>
  [...SYSTEM, ...TOOLCHAINS.map((name) => join(home, name)), ...reads].map(read)

const isOwn = ({ access }: PersonalPath): boolean => access === 'own'

/** An empty folder over each that must not be seen, where anything shows what it lies in. */
function hide({ hidden }: Workplace, mounts: readonly Mount[]): Mount[] {
  return hidden
    .filter((path) =>
      mounts.some(({ access, ...mount }) => access !== 'none' && isWithin(path, mount.path)),
    )
    .map(none)
}

/**
 * The folders that the programs on a PATH need: each with what lies beside its `bin`, as far as
 * that is a tool’s own. Never one that a home, or what must be hidden, lies in.
 */
export function toolFolders(
  path: readonly string[],
  { home, secret }: { readonly home: string; readonly secret: readonly string[] },
): string[] {
  const tooWide = (folder: string): boolean =>
    [home, ...secret].some((inner) => isWithin(inner, folder))
  return path
    .filter((folder) => folder.startsWith('/') && !tooWide(folder))
    .map((folder) => {
      const above = dirname(folder)
      // `~/.cargo/bin`: what lies beside it are the person’s settings and passwords.
      const isPersonal = [home, join(home, '.local'), join(home, '.config')].includes(
        dirname(above),
      )
      const isTools = ['bin', 'sbin', '.bin'].includes(basename(folder))
      return isTools && !isPersonal && above !== join(home, '.local') && !tooWide(above)
        ? above
        : folder
    })
}

import { createHash } from 'node:crypto'
import { dirname, join, sep } from 'node:path'

/** In the local forge’s repository while what it can borrow is being taken out of it. */
export const SLIMMING_FILE = 'exomonad-slimming'
/**
 * In the git folder of a worktree while it is looked at: nothing is written down that a person’s
 * git or an agent’s reads. A crash leaves it.
 */
export const SNAPSHOT_INDEX = 'exomonad-snapshot-index'
/** The radar’s own there, which stays for as long as the worktree does. */
export const RADAR_INDEX = 'exomonad-radar-index'
/**
 * Below `<git-common-dir>`: git objects that only the radar needs, beside those of the repository.
 * A crash leaves them; the next look begins anew.
 */
export const RADAR_FOLDER = 'exomonad/radar'

/** Where everything of one repository lives. Absolute paths. Nothing here touches the disk. */
export interface Paths {
  /** `<git-common-dir>` itself. */
  readonly commonDir: string
  /**
   * Worktree that holds `.exomonad/`: the main worktree, or in a bare repository the one where
   * `init` ran.
   */
  readonly home: string
  /** `<git-common-dir>/exomonad`, 0700: everything below except configuration and worktrees. */
  readonly state: string
  readonly database: string
  /** Copies of the store that the daemon makes. */
  readonly backups: string
  /** What is being brought back from a backup: there as long as that is not done. */
  readonly restoring: string
  /**
   * What is there of agents that the store doesn’t know, and a person went on without; empty: all
   * that is there at the next start.
   */
  readonly accepted: string
  readonly lock: string
  readonly log: string
  /** JSON files that hooks leave when the socket is dead. */
  readonly spool: string
  /** Spawn prompts, one file per agent. */
  readonly prompts: string
  /** 0600 launch files, read and deleted by the launcher. */
  readonly launch: string
  /** 0600 token files, one per agent: EXOMONAD_AUTH_FILE. */
  readonly auth: string
  /**
   * A folder per agent with what its program was given: settings, hooks, and how it is talked to.
   * 0700.
   */
  readonly agents: string
  /** What agents are held to, and by which control groups: a file per agent. */
  readonly limits: string
  /** Terminal transcripts of agents that ended. */
  readonly transcripts: string
  /** All output of what ran without a terminal, a file per agent. */
  readonly outputs: string
  readonly ciLogs: string
  /**
   * Checkouts of checks, gone after each run. Not below `.git`: some test runners ignore every path
   * with that in it.
   */
  readonly ciWork: string
  /** Outputs of set-up commands, by their key. Here, so that no `git clean` takes them. */
  readonly setupCache: string
  /** What set-up commands wrote, a file per agent. */
  readonly setupLogs: string
  /** Removed worktrees until their files are deleted. */
  readonly trash: string
  /** The local forge’s bare repository. */
  readonly origin: string
  /** Folder with the `exomonad` that agents find on PATH. */
  readonly bin: string
  /** `{home, rootWorktree, socket}`: what cannot be derived. */
  readonly repositoryFile: string
  /** `{port}`: where MCP was last served over HTTP. */
  readonly mcpFile: string
  /** `{port, sessions}`: where the page was last served, and who had it open (surfaces/web). */
  readonly webFile: string
  readonly config: string
  readonly configFile: string
  /**
   * Copy of the configuration as last used: it is often not committed, and `git clean -fdx` takes
   * what is not.
   */
  readonly keptConfigFile: string
  readonly templates: string
  /**
   * Where agents’ worktrees lie, by `[worktree] root`. What was made while it said otherwise stays
   * where it is: all of them are looked at.
   */
  readonly worktrees: Readonly<Record<WorktreeRoot, string>>
  /** Beside them, on the same disk: those that are kept ready ([worktree] pool). */
  readonly pools: Readonly<Record<WorktreeRoot, string>>
}

export type WorktreeRoot = 'inside' | 'sibling'

export function pathsOf(commonDir: string, home: string): Paths {
  const state = join(commonDir, 'exomonad')
  const config = join(home, '.exomonad')
  const worktrees = { inside: join(config, 'worktrees'), sibling: `${home}.worktrees` }
  return Object.freeze({
    commonDir,
    home,
    state,
    database: join(state, 'store.db'),
    backups: join(state, 'backups'),
    restoring: join(state, 'restoring'),
    accepted: join(state, 'accepted.json'),
    lock: join(state, 'daemon.lock'),
    log: join(state, 'logs', 'daemon.log'),
    spool: join(state, 'spool'),
    prompts: join(state, 'prompts'),
    launch: join(state, 'launch'),
    auth: join(state, 'auth'),
    agents: join(state, 'agents'),
    limits: join(state, 'limits'),
    transcripts: join(state, 'transcripts'),
    outputs: join(state, 'outputs'),
    ciLogs: join(state, 'ci', 'logs'),
    ciWork: join(config, 'ci'),
    setupCache: join(state, 'setup-cache'),
    setupLogs: join(state, 'logs', 'setup'),
    trash: join(state, 'trash'),
    origin: join(state, 'origin.git'),
    bin: join(state, 'bin'),
    repositoryFile: join(state, 'repository.json'),
    mcpFile: join(state, 'mcp.json'),
    webFile: join(state, 'web.json'),
    config,
    configFile: join(config, 'config.toml'),
    keptConfigFile: join(state, 'config.toml'),
    templates: join(config, 'templates'),
    worktrees,
    pools: { inside: join(worktrees.inside, '.pool'), sibling: join(worktrees.sibling, '.pool') },
  })
}

/** Whether it lies where agents’ worktrees are made. */
export const isInWorktrees = (path: string, { worktrees }: Pick<Paths, 'worktrees'>): boolean =>
  Object.values(worktrees).some((root) => path.startsWith(root + sep))

/**
 * Ten hex digits that stand for a repository on this host: names its socket folder, its tmux server
 * and its user state folder.
 */
export const repositoryHash = (commonDir: string): string =>
  createHash('sha256').update(commonDir).digest('hex').slice(0, 10)

/**
 * What the terminals of a repository’s agents are called: tmux’s socket and Zellij’s session, the
 * path of whose own socket has little room. `formerZellijSession`: the one that agents ran in while
 * Zellij still held terminals.
 */
export const terminalsOf = (
  hash: string,
): {
  readonly tmuxSocket: string
  readonly zellijSession: string
  readonly formerZellijSession: string
} => ({
  tmuxSocket: `exomonad-${hash}`,
  zellijSession: `exom-${hash.slice(0, 8)}`,
  formerZellijSession: `exo-${hash.slice(0, 8)}`,
})

/** Folders of the daemon’s state, each for this user alone. */
export const foldersOf = (paths: Paths): string[] => [
  paths.state,
  paths.spool,
  paths.prompts,
  paths.launch,
  paths.auth,
  paths.agents,
  paths.transcripts,
  paths.outputs,
  paths.ciLogs,
  dirname(paths.log),
]

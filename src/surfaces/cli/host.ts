import type { AgentCli } from '../../adapters/agent-cli/agent-cli.ts'
import type { LimitsFound } from '../../adapters/limits/limits.ts'
import type { Machine, SshConnection } from '../../adapters/ssh/connection.ts'
import type { Exec } from '../../processes/exec.ts'
import type { GiteaCheck } from '../../adapters/forge/gitea/check.ts'
import type { GithubCheck } from '../../adapters/forge/github/setup/permissions.ts'
import type { WorkflowFinding } from '../../adapters/forge/github/setup/workflows.ts'
import type { MovedTable } from '../../adapters/store/move.ts'
import type { PostgresStatus, StoreCheck } from '../../adapters/store/postgres/inspect.ts'
import type { Backup, StoreHealth } from '../../adapters/store/sqlite/backup.ts'
import type { StoreFacts } from '../../adapters/store/sqlite/store-facts.ts'
import type { Git, RepositoryFacts } from '../../adapters/git/git.ts'
import type { Finding } from '../../config/finding.ts'
import type { AcpConfig, AgentConfig, Config } from '../../config/schema.ts'
import type { BackupMade, makeBackup } from '../../daemon/backup/make-backup.ts'
import type {
  bringBack,
  Restored,
  unpackBackup,
  UnpackedBackup,
} from '../../daemon/backup/restore-backup.ts'
import type { Place } from '../../daemon/backup/manifest.ts'
import type { placeBefore, relinkCopy, takeOverMoved } from '../../daemon/backup/take-over-moved.ts'
import type { GiteaFound } from '../../daemon/forge/find-gitea.ts'
import type { GithubFound } from '../../daemon/forge/find-github.ts'
import type { cleanReport } from '../../daemon/report/clean-report.ts'
import type { SandboxTrial } from '../../daemon/sandbox/try-programs.ts'
import type { Paths } from '../../runtime/paths.ts'

/**
 * What the commands need beyond tools and configuration. The composition (src/bin/cli.ts) gives it;
 * every function loads what it needs when it is called, so that a command costs only what it uses.
 */
export interface Host {
  /** NOT_A_REPOSITORY where the folder is in none. */
  inspectRepository(cwd: string): Promise<RepositoryFacts>
  git(commonDir: string): Promise<Git>
  run: Exec
  /** The shared connection to a machine; nothing is connected yet. */
  ssh(machine: Machine): Promise<SshConnection>
  /**
   * Runs a program on this terminal; returns its exit code, null where a signal ended it. `input`:
   * what it reads in place of what is typed; `env`: beside the person’s own variables; `held`: its
   * input is empty and ends with this process.
   */
  runOnTerminal(
    argv: readonly string[],
    cwd: string,
    given?: {
      readonly input?: string
      readonly env?: Readonly<Record<string, string>>
      readonly held?: boolean
    },
  ): Promise<number | null>
  /**
   * Signals a process; of a negative number its process group. Signal 0 asks only. False where
   * there is none such, or it may not be signalled.
   */
  signal(pid: number, name: NodeJS.Signals | 0): boolean
  /** One that has ended and waits to be collected by a parent that may never do it is gone. */
  isRunning(pid: number): Promise<boolean>
  /** Where the socket of this repository’s daemon goes. SOCKET_PATH_TOO_LONG. */
  chooseSocket(commonDir: string): Promise<string>
  /**
   * Starts a program as a process and group of its own that outlives this one; its output goes to a
   * file, which is begun anew.
   */
  startApart(
    argv: readonly string[],
    options: { cwd: string; env: Readonly<Record<string, string>>; output: string },
  ): Promise<DaemonProcess>
  /** Starts the daemon as a process of its own whose output goes to a file. */
  startDaemonProcess(options: { cwd: string; output: string }): Promise<DaemonProcess>
  /** The daemon in this process, until it is asked to stop; `onLog`: each line of its log. */
  runDaemon(options: { cwd: string; onLog?: (line: string) => void }): Promise<void>
  /**
   * Ends all terminals of this repository, agents in them included, and what serves them. Fine
   * where there are none.
   */
  endTerminals(paths: Paths): Promise<void>
  /** Parsed and checked; CONFIG_INVALID with every finding. */
  loadConfig(file: string): Promise<Config>
  /** What is wrong with the user’s own templates in a folder; nothing where there is none. */
  checkTemplates(folder: string): Promise<readonly Finding[]>
  /** What of `[attention]` is about no event. */
  checkAttention(attention: Config['attention']): Promise<readonly Finding[]>
  /** The adapter of one [agents.NAME]; `home`: the worktree that holds .exomonad. */
  agentCli(name: string, config: AgentConfig, home: string): Promise<AgentCli>
  /** The adapter of one [acp.NAME], to look for its program and over it: it runs no session. */
  acpCli(name: string, config: AcpConfig, home: string): Promise<AgentCli>
  /** Whether agents can be confined on this machine, and which of these programs start then. */
  trySandbox(programs: readonly string[]): Promise<SandboxTrial>
  /** Which limits of agents this machine can keep, tried. */
  tryLimits(paths: Paths): Promise<LimitsFound>
  /** Files of `.exomonad/` that git tracks, relative to `home`. */
  trackedFiles(paths: Paths): Promise<string[]>
  /** The store’s file while no daemon has it. */
  readonly store: StoreHost
  readonly backup: BackupHost
  readonly report: ReportHost
  readonly github: GithubHost
  readonly gitea: GiteaHost
  readonly multiplexers: MultiplexersHost
}

/** Of a whole tree, and of one that was moved: see daemon/backup. */
export interface BackupHost {
  make(options: Omit<Parameters<typeof makeBackup>[0], 'environment'>): Promise<BackupMade>
  placeBefore(options: Omit<Parameters<typeof placeBefore>[0], 'environment'>): Promise<Place>
  takeOverMoved(options: Omit<Parameters<typeof takeOverMoved>[0], 'environment'>): Promise<void>
  relinkCopy(options: Omit<Parameters<typeof relinkCopy>[0], 'environment'>): Promise<void>
  unpack(options: Omit<Parameters<typeof unpackBackup>[0], 'environment'>): Promise<UnpackedBackup>
  /** Whatever becomes of it, the lock that unpacking took is let go. */
  bringBack(
    unpacked: UnpackedBackup,
    options: Omit<Parameters<typeof bringBack>[1], 'environment'>,
  ): Promise<Restored>
}

/** What a report for a bug needs. */
export interface ReportHost {
  /** Throws where the file can’t be read. */
  store(paths: Pick<Paths, 'database'>): Promise<StoreFacts>
  /** Without secrets, and without who and where this is. */
  clean(
    text: string,
    options: Omit<Parameters<typeof cleanReport>[1], 'environment' | 'tokens'>,
  ): Promise<string>
}

/** `store`: the configuration’s; what a database can’t be asked is STORE_UNAVAILABLE. */
export interface StoreHost {
  inspect(paths: Paths, store: Config['store']): Promise<StoreHealth>
  /** The newest first. */
  backups(paths: Paths): Promise<Backup[]>
  /** Returns where the store that was there is kept; null where there was none. */
  restore(backup: string, paths: Paths): Promise<string | null>
  /**
   * Moves the store away and forgets the records of all agents; branches and worktrees stay.
   * Returns where it is kept.
   */
  setAside(paths: Paths, store: Config['store']): Promise<string | null>
  readonly postgres: {
    status(paths: Paths, store: Config['store']): Promise<PostgresStatus>
    check(paths: Paths, store: Config['store']): Promise<StoreCheck[]>
    /** Brings what is in the SQLite file to this address, the configuration’s where there is none. */
    move(paths: Paths, store: Config['store'], url: string | undefined): Promise<Moved>
    /** An address with all that this person’s files and variables add, for who has other ones. */
    spell(address: string): Promise<string>
    drop(address: string, schema: string): Promise<void>
  }
}

export interface Moved {
  /** Where everything is now. */
  readonly place: string
  readonly tables: readonly MovedTable[]
}

/** Programs that agents can have their terminals in. */
export interface MultiplexersHost {
  /** The one on PATH. */
  look(name: 'tmux' | 'zellij'): Promise<MultiplexerProgram>
  /** Those that this process runs in, the innermost first. */
  around(): Promise<readonly ('tmux' | 'zellij')[]>
  /**
   * Agents whose programs still run in the Zellij session of an older version, which held terminals
   * there, and its name.
   */
  leftInZellij(paths: Paths): Promise<{ session: string; names: readonly string[] }>
}

export interface MultiplexerProgram {
  /** What it says of itself; null where it is not there. */
  readonly version: string | null
  /** The oldest that would do. */
  readonly needed: string
  readonly usable: boolean
}

/**
 * What there is to know of GitHub before a daemon runs. The configuration given must be trusted: it
 * says where a token goes.
 */
export interface GithubHost {
  /** Remote, repository and token. As good as offline: see `findGithub`. */
  find(options: {
    commonDir: string
    home: string
    config: Pick<Config, 'forge'>
  }): Promise<GithubFound>
  /**
   * What the token may do there, and what rules will refuse of the tree that grows from `root`,
   * with a few requests and within seconds.
   */
  check(
    found: Extract<GithubFound, { kind: 'found' }>,
    forge: Config['forge'],
    root: string | null,
  ): Promise<GithubCheck>
  /** Mode of a file that others on this machine may read or write, in octal; else null. */
  openToOthers(file: string): Promise<string | null>
  /** Where a file with a secret is, as the configuration names it. */
  secretFile(written: string, home: string): Promise<string>
  /**
   * Workflows of a checkout that won’t run on the pull requests of a tree that grows from `root`.
   */
  silentWorkflows(worktree: string, root: string): Promise<WorkflowFinding[]>
}

export interface GiteaHost {
  /** Remote, repository and token; nothing is sent. */
  find(options: {
    commonDir: string
    home: string
    config: Pick<Config, 'forge'>
  }): Promise<GiteaFound>
  /** What server and token are good for, with a few requests. */
  check(found: Extract<GiteaFound, { kind: 'found' }>): Promise<GiteaCheck>
}

export interface DaemonProcess {
  readonly pid: number
  /** Settles when it ended: exit code, or null for a signal. */
  readonly ended: Promise<number | null>
}

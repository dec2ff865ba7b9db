/**
 * What every error code means, the HTTP status it travels with, and what usually helps.
 * docs/reference.md is generated from this table.
 */
export const ERRORS = {
  INVALID_ARG: {
    status: 400,
    meaning: 'An argument is missing, of the wrong type or out of range.',
    remedy: 'Correct the argument the message names.',
  },
  CONFIG_INVALID: {
    status: 400,
    meaning: 'The configuration does not parse or holds a value that is not allowed.',
    remedy: 'Correct the key the message names; `exomonad config check` shows all findings.',
  },
  UNTRUSTED_CONFIG: {
    status: 403,
    meaning:
      'Configuration or templates that git tracks have not been trusted on this machine, or changed since.',
    remedy: 'Read .exomonad/, then run `exomonad trust`.',
  },
  UNAUTHORIZED: {
    status: 401,
    meaning: 'The request carries no token, or one that belongs to nobody.',
    remedy: 'Use the token from EXOMONAD_TOKEN or EXOMONAD_AUTH_FILE.',
  },
  NOT_ALLOWED: {
    status: 403,
    meaning: 'The caller’s role does not allow this.',
    remedy: 'Ask the parent (or the human) to do it.',
  },
  NOT_A_CHILD: {
    status: 403,
    meaning: 'The target is not a descendant of the caller.',
    remedy: 'Act only on agents below you in the tree.',
  },
  NOT_AVAILABLE: {
    status: 503,
    meaning: 'Something this needs is not there.',
    remedy: 'Run `exomonad doctor`.',
  },
  NOT_A_REPOSITORY: {
    status: 400,
    meaning: 'The folder is not in a git repository.',
    remedy: 'Run the command inside a git repository.',
  },
  NOT_INITIALIZED: {
    status: 409,
    meaning: 'exomonad is not set up in this repository.',
    remedy: 'Run `exomonad init`.',
  },
  REPOSITORY_MOVED: {
    status: 409,
    meaning: 'What is set up here names another folder: the repository was moved, or copied.',
    remedy:
      'Where it was moved, `exomonad init` takes its tree over; in a copy, `exomonad deinit` takes it out.',
  },
  NO_COMMITS: {
    status: 409,
    meaning: 'The repository has no commit that agents could start from.',
    remedy: 'Make a first commit, then try again.',
  },
  DETACHED_HEAD: {
    status: 409,
    meaning: 'The worktree is not on a branch.',
    remedy: 'Check out a branch first.',
  },
  WRONG_BRANCH: {
    status: 409,
    meaning: 'The worktree is on another branch than the agent’s.',
    remedy: 'Check the agent’s branch out again; a root may follow instead (`exomonad root move`).',
  },
  AGENT_NOT_FOUND: {
    status: 404,
    meaning: 'No agent has that id, branch or name.',
    remedy: '`exomonad tree` lists the agents.',
  },
  AMBIGUOUS_ID: {
    status: 409,
    meaning: 'Several agents match.',
    remedy: 'Say more of the end of the branch, or use a longer prefix of the id.',
  },
  ALREADY_DEAD: {
    status: 409,
    meaning: 'The agent has ended; what it was does not change.',
    remedy:
      '`exomonad resume AGENT` starts a failed one again; with the work of another a new agent goes on (`exomonad spawn workers … --branch BRANCH`).',
  },
  AGENT_CLI_MISSING: {
    status: 503,
    meaning: 'The program that runs this role’s agents is not configured or not found.',
    remedy: 'Set [roles.ROLE] agent and [agents.NAME] command, or install the program.',
  },
  SANDBOX_UNAVAILABLE: {
    status: 503,
    meaning: 'The agent is to be confined, and can’t be here or in this way.',
    remedy:
      'Do what the message says (`exomonad doctor` tries it), or write [roles.ROLE] sandbox = "off".',
  },
  LIMITS_UNAVAILABLE: {
    status: 503,
    meaning: 'The agent is to be held to limits of memory, processes or CPU, and can’t be here.',
    remedy:
      'Do what the message says (`exomonad doctor` tries it), or remove the key from [roles.ROLE] limits.',
  },
  LIMIT_REACHED: {
    status: 429,
    meaning: 'A limit of the configuration is reached.',
    remedy: 'Let agents finish, or raise the limit in [limits].',
  },
  APPROVAL_DENIED: {
    status: 403,
    meaning: 'The human refused what was asked.',
    remedy: 'Do it another way, or ask why.',
  },
  SPAWN_FAILED: {
    status: 409,
    meaning: 'An agent could not be started; what had been made for it was taken back.',
    remedy: 'Fix the cause the message names and spawn again.',
  },
  DIRTY_WORKTREE: {
    status: 409,
    meaning: 'The worktree has uncommitted changes.',
    remedy: 'Commit them first.',
  },
  BRANCH_EXISTS: {
    status: 409,
    meaning: 'A branch of that name exists.',
    remedy: 'Take another name, or adopt it with `exomonad spawn workers … --branch`.',
  },
  BRANCH_CHECKED_OUT: {
    status: 409,
    meaning: 'The branch is checked out in another worktree.',
    remedy: 'Free the branch there, or take another.',
  },
  PR_NOT_FOUND: {
    status: 404,
    meaning: 'No pull request has that number.',
    remedy: '`exomonad pr list` shows them.',
  },
  ISSUE_NOT_FOUND: {
    status: 404,
    meaning: 'No issue has that number.',
    remedy: 'Look at the issues on the forge; pull requests have numbers of the same row.',
  },
  PR_NOT_MERGEABLE: {
    status: 409,
    meaning: 'The pull request is closed, a draft, in conflict, or has changes requested.',
    remedy: 'The message gives the reasons; have the agent fix them.',
  },
  NOTHING_TO_MERGE: {
    status: 409,
    meaning: 'The branch has no commit that its base lacks.',
    remedy: 'Commit work first.',
  },
  HEAD_CHANGED: {
    status: 409,
    meaning: 'The head moved after it was looked at.',
    remedy: 'Look at the new head and try again.',
  },
  CHECKS_FAILED: {
    status: 409,
    meaning: 'Required checks are red, running or missing.',
    remedy: 'Wait for them or have the agent fix them.',
  },
  NO_PENDING_QUESTION: {
    status: 404,
    meaning: 'That agent has no question open.',
    remedy: '`exomonad inbox` shows open questions.',
  },
  RESULT_NOT_READY: {
    status: 409,
    meaning: 'The agent is still running.',
    remedy: 'Ask again when it has ended.',
  },
  SUBAGENT_FAILED: {
    status: 409,
    meaning: 'A subagent ended without its answer: it failed, or was killed.',
    remedy: 'The message gives its reason, `partial` what it had said by then.',
  },
  STDIN_CLOSED: {
    status: 409,
    meaning: 'The process no longer reads its input.',
    remedy: 'Start another.',
  },
  MULTIPLEXER_UNAVAILABLE: {
    status: 503,
    meaning: 'The terminal multiplexer does not answer.',
    remedy: 'Check that tmux is installed, or set [multiplexer] kind = "headless".',
  },
  PANE_GONE: {
    status: 409,
    meaning: 'The pane is dead or gone.',
    remedy: '`exomonad resume AGENT` starts the agent again.',
  },
  GIT_FAILED: {
    status: 409,
    meaning: 'A git command failed.',
    remedy: 'The message carries what git said.',
  },
  FORGE_UNAVAILABLE: {
    status: 503,
    meaning: 'The forge or its remote cannot be reached.',
    remedy: 'Check the remote; nothing was changed.',
  },
  FORGE_DENIED: {
    status: 403,
    meaning:
      'The forge refuses the token, the token lacks a permission or sees no such repository, its rules refuse a push, or the server is too old.',
    remedy: '`exomonad doctor` says what is missing; nothing was changed.',
  },
  STORE_BUSY: {
    status: 503,
    meaning: 'The store is locked by another process.',
    remedy: 'Try again; `exomonad ps` shows the daemons.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    meaning: 'The PostgreSQL server of the store can’t be reached, or refuses the daemon.',
    remedy:
      'Try again in a moment; `exomonad store status` says why. Agents go on, and nothing that was acknowledged is lost.',
  },
  STORE_TOO_NEW: {
    status: 409,
    meaning: 'The store was written by a newer exomonad.',
    remedy: 'Use that version, or newer.',
  },
  STORE_LOST: {
    status: 409,
    meaning:
      'There are terminals, records or worktrees of agents that the store does not know, or it is another repository’s.',
    remedy:
      '`exomonad store restore` brings a backup back; `exomonad down --force` ends what runs and begins anew.',
  },
  STORE_CORRUPT: {
    status: 500,
    meaning: 'The file of the store is damaged, or not a store.',
    remedy:
      '`exomonad store restore` brings a backup back; `exomonad down --force` ends what runs and begins anew. Branches and worktrees are not affected.',
  },
  DISK_FULL: { status: 503, meaning: 'The disk is full.', remedy: 'Make room; nothing was lost.' },
  SOCKET_PATH_TOO_LONG: {
    status: 409,
    meaning: 'No folder for the socket has a path short enough.',
    remedy: 'Set XDG_RUNTIME_DIR to a short path.',
  },
  DAEMON_UNAVAILABLE: {
    status: 503,
    meaning: 'The daemon of this repository does not answer.',
    remedy: '`exomonad daemon start` starts it; `exomonad daemon logs` says why it stopped.',
  },
  HOST_UNREACHABLE: {
    status: 503,
    meaning:
      'The machine that --host names can’t be reached over SSH, or the connection to it was cut; `reason` says which.',
    remedy: 'Do what the message says; `ssh user@machine` shows the same by hand.',
  },
  ALREADY_RUNNING: {
    status: 409,
    meaning: 'A daemon already serves this repository.',
    remedy: 'Use it; `exomonad ps` shows it.',
  },
  OUTSIDE_ROOT: {
    status: 400,
    meaning: 'A path leaves the folder it must stay in.',
    remedy: 'Use a path inside.',
  },
  INTERNAL: {
    status: 500,
    meaning: 'A fault in exomonad.',
    remedy: 'Report it with `exomonad daemon logs`.',
  },
} as const satisfies Record<string, { status: number; meaning: string; remedy: string }>

export type ErrorCode = keyof typeof ERRORS

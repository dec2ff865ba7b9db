import type { ErrorCode } from '../../src/domain/error-codes.ts'

/** What to do where one line is not enough: steps in order, Markdown as on a page of docs/reference/. */
export const ADVICE: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  CONFIG_INVALID: [
    '`exomonad config check` names every finding with its line, and the nearest key for a misspelt one.',
  ],
  UNTRUSTED_CONFIG: [
    'See what changed: `git log -p -- .exomonad`.',
    '`exomonad trust` shows what would run and where it would post, and records it on this machine.',
    'A configuration that you do not commit needs no trust ([why](../security.md#the-repository)).',
  ],
  UNAUTHORIZED: [
    'A daemon that was started with another HOME (sudo, cron) knows another owner: stop it with `exomonad daemon stop` from there and start it from here.',
    'In an agent: its token ends with it. Start it again with `exomonad resume NAME`.',
  ],
  NOT_ALLOWED: [
    '[The tools](tools.md) say for whom each is. A worker can’t spawn, merge or answer; it asks its parent with `question`.',
    'A command line inside of an agent’s worktree acts for that agent, never for you: run it elsewhere.',
  ],
  NOT_AVAILABLE: ['`exomonad doctor` names what is missing, and the command that brings it.'],
  WRONG_BRANCH: [
    'The tree grows from the branch that was checked out at `exomonad init`: `git checkout` that one, or `exomonad root move` ([another branch](../repository.md#another-branch)).',
  ],
  AGENT_CLI_MISSING: [
    '`exomonad doctor` says for each program where it was looked for, whether it is logged in, and which version is tested.',
    'The daemon has the PATH it was started with: after an installation, `exomonad daemon stop` and any command.',
  ],
  SANDBOX_UNAVAILABLE: [
    'Install bubblewrap, and see what [the sandbox](../sandbox.md) needs; in a container it often may not make namespaces.',
  ],
  LIMITS_UNAVAILABLE: [
    'The number of processes can only be held by a control group: [the ways there are](../security.md#limits).',
  ],
  LIMIT_REACHED: [
    'The message names the key of `[limits]`. `exomonad tree` shows who is alive; `exomonad kill` and `exomonad clean --done` make room ([cost and limits](../cost.md)).',
  ],
  SPAWN_FAILED: [
    'Nothing is left of it: no branch, worktree, terminal or record.',
    'Where set-up failed, its whole output is in the file that the error names, below `.git/exomonad/logs/setup/`.',
  ],
  DIRTY_WORKTREE: [
    '`git status` in the worktree that the message names; commit or stash, and repeat.',
  ],
  BRANCH_EXISTS: [
    'Where it is the branch of an agent that has ended, a new one goes on with it: `exomonad spawn workers again="…" --branch BRANCH`, in the same worktree.',
  ],
  PR_NOT_MERGEABLE: [
    '`exomonad pr show NUMBER` has the reviews with what still counts, `exomonad pr checks NUMBER` the checks.',
    'A conflict is the agent’s: it is told at once, and rebased at its next stop. You may force (`--force`), agents can’t.',
  ],
  HEAD_CHANGED: [
    '`exomonad pr diff NUMBER` shows the new head; what you approved was the old one.',
  ],
  CHECKS_FAILED: [
    '`exomonad pr checks NUMBER` shows what is red and its log; `exomonad pr merge NUMBER --wait` waits for what runs.',
    'Nothing runs at all: [checks](../checks.md) here, [workflows that don’t run](../github.md#workflows-that-dont-run) on GitHub.',
  ],
  MULTIPLEXER_UNAVAILABLE: [
    'Agents that run are not affected. `exomonad doctor` says which version is there and which is needed ([terminals](../terminals.md)).',
  ],
  PANE_GONE: [
    'Its branch, worktree and conversation are there. `exomonad log --agent NAME` says how it ended, `exomonad resume NAME` starts it again.',
  ],
  GIT_FAILED: [
    'What git said is in the message. A lock that a killed git left (`index.lock`) names its file; look for a git that runs before you delete it.',
  ],
  FORGE_UNAVAILABLE: ['Work goes on; what was to be published is tried again by itself.'],
  FORGE_DENIED: [
    '`exomonad doctor` tries each permission of the token and names what is missing ([GitHub](../github.md#set-up), [Gitea](../gitea.md)).',
  ],
  STORE_UNAVAILABLE: [
    'What holds while the server is away: [PostgreSQL](../postgres.md#what-holds).',
  ],
  STORE_TOO_NEW: [
    'An older daemon never opens a store that a newer one wrote. The message names the version that can.',
  ],
  STORE_LOST: [
    '`exomonad store list` shows the backups that are made by themselves; `exomonad store restore` takes the newest that is whole.',
    'Branches and worktrees are in git, whatever became of the store.',
  ],
  STORE_CORRUPT: [
    '`exomonad store list` shows the backups, `exomonad store restore` takes the newest that is whole and keeps the damaged file beside it.',
    '`exomonad store check` reads every row.',
  ],
  DISK_FULL: [
    '`exomonad clean` and `exomonad clean --setup-cache` give back what is proven merged and what can be made again.',
  ],
  DAEMON_UNAVAILABLE: [
    'Any command starts it; agents go on meanwhile, and what their hooks say waits in a spool.',
    'It won’t start: the last lines of `exomonad daemon logs` say why.',
  ],
  HOST_UNREACHABLE: [
    '[The connection](../elsewhere.md#the-connection): keys, jump hosts, forwarding of sockets.',
  ],
  INTERNAL: ['`exomonad daemon logs` has the stack. Nothing that was acknowledged is lost.'],
}

import type { Command } from 'commander'
import type { CliContext } from './context.ts'

/** One command: its line in the help, and the file that defines it, loaded only when it is used. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly group?: string
  readonly hidden?: boolean
  /**
   * It is the person’s own and of the whole repository: `--as` is refused rather than passed over.
   */
  readonly personOnly?: true
  load(): Promise<CommandModule>
}

/**
 * Adds arguments, options and action to a command. `whole`: the program with all of its commands.
 */
export interface CommandModule {
  define(command: Command, context: CliContext, whole: () => Promise<Command>): void
}

const SETUP = 'Set up and run'
const TREE = 'The tree'
const FOLD = 'Pull requests'
const TALK = 'Talk'
const LOOK = 'Look closer'
const AGENTS = 'For agents and scripts'

/** Every command there is, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    personOnly: true,
    group: SETUP,
    summary: 'Set exomonad up in this repository and start its daemon',
    load: () => import('./init/init.ts'),
  },
  {
    name: 'up',
    group: SETUP,
    summary: 'Open the session and launch the root’s agent',
    load: () => import('./daemon/up.ts'),
  },
  {
    name: 'down',
    group: SETUP,
    summary: 'Stop agents and daemon; all work stays',
    load: () => import('./daemon/down.ts'),
  },
  {
    name: 'resume',
    group: SETUP,
    summary: 'Launch agents again whose program is gone',
    load: () => import('./agents/resume.ts'),
  },
  {
    name: 'deinit',
    personOnly: true,
    group: SETUP,
    summary: 'Take exomonad out of this repository; branches and unmerged work stay',
    load: () => import('./init/deinit.ts'),
  },
  {
    name: 'daemon',
    personOnly: true,
    group: SETUP,
    summary: 'Run, start, stop or look at the daemon',
    load: () => import('./daemon/daemon.ts'),
  },
  {
    name: 'store',
    personOnly: true,
    group: SETUP,
    summary: 'List backups of the store, and bring one back',
    load: () => import('./daemon/store.ts'),
  },
  {
    name: 'trust',
    personOnly: true,
    group: SETUP,
    summary: 'Allow the configuration and templates of this repository to run',
    load: () => import('./init/trust.ts'),
  },
  {
    name: 'config',
    personOnly: true,
    group: SETUP,
    summary: 'Check the configuration',
    load: () => import('./daemon/config.ts'),
  },
  {
    name: 'doctor',
    personOnly: true,
    group: SETUP,
    summary: 'Check everything exomonad needs, each finding with its fix',
    load: () => import('./doctor/doctor.ts'),
  },
  {
    name: 'demo',
    personOnly: true,
    group: SETUP,
    summary: 'Watch a whole tree grow and fold, in a minute, without accounts',
    load: () => import('./demo/demo.ts'),
  },

  {
    name: 'tree',
    group: TREE,
    summary: 'Show the tree of agents',
    load: () => import('./agents/tree.ts'),
  },
  {
    name: 'root',
    group: TREE,
    summary: 'Have the tree grow from another branch',
    load: () => import('./agents/root.ts'),
  },
  {
    name: 'spawn',
    group: TREE,
    summary: 'Spawn a subtree or workers',
    load: () => import('./agents/spawn.ts'),
  },
  {
    name: 'fork',
    group: TREE,
    summary: 'Fork an agent beside yours, in the same worktree',
    load: () => import('./agents/fork.ts'),
  },
  {
    name: 'run',
    group: TREE,
    summary: 'Run a command in the background, in your worktree',
    load: () => import('./sessions/run.ts'),
  },
  {
    name: 'llm',
    group: TREE,
    summary: 'Start a session of a model that answers one question',
    load: () => import('./sessions/llm.ts'),
  },
  {
    name: 'subagent',
    group: TREE,
    summary: 'Have a subagent do a task, see it at work, and get its answer',
    load: () => import('./sessions/subagent.ts'),
  },
  {
    name: 'kill',
    group: TREE,
    summary: 'End an agent and everything below it; its work stays',
    load: () => import('./agents/kill.ts'),
  },
  {
    name: 'reap',
    group: TREE,
    summary: 'Take ended agents out of sight; their work stays',
    load: () => import('./agents/reap.ts'),
  },
  {
    name: 'clean',
    group: TREE,
    summary: 'Remove worktrees and branches that are proven merged',
    load: () => import('./agents/clean.ts'),
  },

  {
    name: 'pr',
    group: FOLD,
    summary: 'File, look at, review and merge pull requests',
    load: () => import('./pulls/pr.ts'),
  },

  {
    name: 'inbox',
    group: TALK,
    summary: 'What waits for you: messages, questions, approvals',
    load: () => import('./mail/inbox.ts'),
  },
  {
    name: 'answer',
    group: TALK,
    summary: 'Answer an agent’s question',
    load: () => import('./mail/answer.ts'),
  },
  {
    name: 'approve',
    group: TALK,
    summary: 'Approve what waits for you',
    load: () => import('./mail/approve.ts'),
  },
  {
    name: 'deny',
    group: TALK,
    summary: 'Refuse what waits for you',
    load: () => import('./mail/deny.ts'),
  },
  {
    name: 'send',
    group: TALK,
    summary: 'Send an agent a message',
    load: () => import('./mail/send.ts'),
  },
  {
    name: 'stdin',
    group: TALK,
    summary: 'Write to the standard input of what `run` started',
    load: () => import('./sessions/stdin.ts'),
  },
  {
    name: 'capture',
    group: TALK,
    summary: 'Write what a child is to do, out of its parent’s sight',
    load: () => import('./agents/capture.ts'),
  },
  {
    name: 'wait',
    group: TALK,
    summary: 'Wait for mail, or until agents have answered, idle or are dead',
    load: () => import('./mail/wait.ts'),
  },
  {
    name: 'mail',
    group: TALK,
    summary: 'Take the mail that other agents sent',
    load: () => import('./mail/mail.ts'),
  },
  {
    name: 'note',
    group: TALK,
    summary: 'Tell the parent something',
    load: () => import('./mail/note.ts'),
  },
  {
    name: 'question',
    group: TALK,
    summary: 'Ask the parent and wait for the answer',
    load: () => import('./mail/question.ts'),
  },

  {
    name: 'console',
    personOnly: true,
    group: LOOK,
    summary: 'The whole tree on one screen: see agents work, write to them',
    load: () => import('./console/console.ts'),
  },
  {
    name: 'attach',
    group: LOOK,
    summary: 'Show an agent’s terminal, or the stream of one that has none',
    load: () => import('./agents/attach.ts'),
  },
  {
    name: 'logs',
    group: LOOK,
    summary: 'Print what is on an agent’s terminal, or what it wrote without one',
    load: () => import('./agents/logs.ts'),
  },
  {
    name: 'status',
    group: LOOK,
    summary: 'How agents, sessions and processes stand',
    load: () => import('./agents/status.ts'),
  },
  {
    name: 'result',
    group: LOOK,
    summary: 'What an agent came to: its answer or output, and the files it changed',
    load: () => import('./sessions/result.ts'),
  },
  {
    name: 'events',
    group: LOOK,
    summary: 'What happened, by whom and why',
    load: () => import('./daemon/events.ts'),
  },
  {
    name: 'ps',
    personOnly: true,
    group: LOOK,
    summary: 'The daemons of all repositories',
    load: () => import('./agents/ps.ts'),
  },

  {
    name: 'call',
    group: AGENTS,
    summary: 'Call a tool with JSON',
    load: () => import('./daemon/call.ts'),
  },
  {
    name: 'slash',
    group: AGENTS,
    summary: 'Fork, send, check mail or kill by a line such as "/slash send ID MESSAGE"',
    load: () => import('./agents/slash.ts'),
  },
  {
    name: 'mcp',
    group: AGENTS,
    summary: 'Serve the tools to an MCP client on standard input and output',
    load: () => import('./daemon/mcp.ts'),
  },
  {
    name: 'hook',
    group: AGENTS,
    summary: 'Report what an agent’s program does, and run the stop check',
    load: () => import('./daemon/hook.ts'),
  },
  {
    name: 'ack',
    group: AGENTS,
    summary: 'Confirm messages that arrived',
    load: () => import('./mail/ack.ts'),
  },
  {
    name: 'completion',
    personOnly: true,
    group: AGENTS,
    summary: 'Print the completion script for a shell',
    load: () => import('./completion/completion.ts'),
  },
  {
    name: '__complete',
    hidden: true,
    summary: 'Candidates for the completion scripts',
    load: () => import('./completion/complete.ts'),
  },
]

import type { CommandModule } from './command-module.ts'
import { SPECS } from './tool-specs.ts'

/** One command: its line in the help, and the file that defines it, loaded only when it is used. */
export interface CommandEntry {
  readonly name: string
  /** It answers to that too. */
  readonly alias?: string
  readonly summary: string
  readonly group?: string
  readonly hidden?: boolean
  /**
   * It is the person’s own and of the whole repository: `--as` is refused rather than passed over.
   */
  readonly personOnly?: true
  /**
   * With --host: run by the program of that machine, since it works on files there; or refused.
   * Others are clients of the daemon there.
   */
  readonly elsewhere?: 'there' | 'never'
  load(): Promise<CommandModule>
}

/** Commands that are tools, by their names: loaded by area, when one is used. */
const agents = () => import('./agents/agent-commands.ts')
const mail = () => import('./mail/mail-commands.ts')
const fold = () => import('./fold/fold-commands.ts')
const pulls = () => import('./pulls/pull-commands.ts')
const sessions = () => import('./sessions/session-commands.ts')
const page = () => import('./web/web.ts')

/** `summary`: of a group; that of a tool is its own. */
const tool = <Name extends string>(
  name: Name,
  area: () => Promise<{ readonly [Key in Name]: CommandModule }>,
  summary = SPECS[name]?.summary ?? '',
): CommandEntry => ({ name, summary, load: async () => (await area())[name] })

/** Those that are no tool, or do more than call one. */
const WRITTEN = {
  init: () => import('./init/init.ts'),
  down: () => import('./daemon/down.ts'),
  deinit: () => import('./init/deinit.ts'),
  daemon: () => import('./daemon/daemon.ts'),
  store: () => import('./daemon/store.ts'),
  backup: () => import('./recovery/backup.ts'),
  restore: () => import('./recovery/restore.ts'),
  trust: () => import('./init/trust.ts'),
  config: () => import('./daemon/config.ts'),
  doctor: () => import('./doctor/doctor.ts'),
  demo: () => import('./demo/demo.ts'),
  spawn: () => import('./agents/spawn.ts'),
  run: () => import('./sessions/run.ts'),
  wait: () => import('./mail/wait.ts'),
  console: () => import('./console/console.ts'),
  log: () => import('./log/log.ts'),
  events: () => import('./daemon/events.ts'),
  ps: () => import('./agents/ps.ts'),
  call: () => import('./daemon/call.ts'),
  slash: () => import('./agents/slash.ts'),
  mcp: () => import('./daemon/mcp.ts'),
  hook: () => import('./daemon/hook.ts'),
  completion: () => import('./completion/completion.ts'),
  __complete: () => import('./completion/complete.ts'),
  __access: () => import('./elsewhere/access.ts'),
}

const written = (name: keyof typeof WRITTEN, summary: string): CommandEntry => ({
  name,
  summary,
  load: WRITTEN[name],
})

const personal = (name: keyof typeof WRITTEN, summary: string): CommandEntry => ({
  ...written(name, summary),
  personOnly: true,
})

/** Commands that work on the files of their machine. */
const there = (entry: CommandEntry): CommandEntry => ({ ...entry, elsewhere: 'there' })

const group = (name: string, entries: readonly CommandEntry[]): CommandEntry[] =>
  entries.map((entry) => ({ ...entry, group: name }))

/** Every command there is, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  ...group('Set up and run', [
    there(personal('init', 'Set exomonad up in this repository and start its daemon')),
    tool('up', agents),
    there(personal('down', 'Stop agents and daemon; all work stays')),
    tool('resume', agents),
    there(
      personal('deinit', 'Take exomonad out of this repository; branches and unmerged work stay'),
    ),
    there(personal('daemon', 'Run, start, stop or look at the daemon')),
    there(personal('store', 'Look at the store, move it to PostgreSQL, bring a backup back')),
    there(personal('backup', 'Write the whole tree into one file')),
    there(personal('restore', 'Bring a tree back from such a file')),
    there(personal('trust', 'Allow the configuration and templates of this repository to run')),
    there(personal('config', 'Check the configuration')),
    there(personal('doctor', 'Check everything exomonad needs, each finding with its fix')),
    tool('notify', mail, 'See whether notifications reach you'),
    there(personal('demo', 'Watch a whole tree grow and fold, in a minute, without accounts')),
  ]),
  ...group('The tree', [
    tool('tree', agents),
    tool('radar', agents),
    tool('root', agents, 'Have the tree grow from another branch'),
    written('spawn', 'Spawn a subtree or workers'),
    tool('fork', agents),
    there(written('run', 'Run a command in the background, in your worktree')),
    tool('llm', sessions),
    tool('subagent', sessions, 'Have a subagent do a task, see it at work, and get its answer'),
    tool('interrupt', agents),
    tool('kill', agents),
    tool('reap', agents),
    tool('clean', agents),
  ]),
  ...group('Pull requests', [
    tool('pr', pulls, 'File, look at, review and merge pull requests'),
    tool('fold', fold),
  ]),
  ...group('Talk', [
    tool('inbox', mail),
    tool('next', mail),
    tool('answer', mail),
    tool('approve', mail),
    tool('deny', mail),
    tool('send', mail),
    tool('stdin', sessions),
    tool('capture', agents, 'Write what a child is to do, out of its parent’s sight'),
    written('wait', 'Wait for mail, or until agents have answered, idle or are dead'),
    tool('mail', mail),
    tool('note', mail),
    tool('question', mail),
  ]),
  ...group('Look closer', [
    personal('console', 'The whole tree on one screen: see agents work, write to them'),
    { ...tool('web', page), alias: 'open' },
    tool('attach', agents),
    tool('logs', agents),
    tool('status', agents),
    tool('usage', agents),
    tool('result', sessions),
    written('log', 'What happened since, in words: merged, failed, waited for you, spent'),
    written('events', 'What happened, by whom and why, for programs'),
    there(personal('ps', 'The daemons of all repositories')),
  ]),
  ...group('For agents and scripts', [
    written('call', 'Call a tool with JSON'),
    written('slash', 'Fork, send, check mail or kill by a line such as "/slash send ID MESSAGE"'),
    written('mcp', 'Serve the tools to an MCP client on standard input and output'),
    {
      ...written('hook', 'Report what an agent’s program does, and run the stop check'),
      elsewhere: 'never',
    },
    tool('ack', mail),
    personal('completion', 'Have a shell complete exomonad, or print the script for it'),
  ]),
  {
    ...written('__complete', 'Candidates for the completion scripts'),
    hidden: true,
  },
  {
    ...written('__access', 'Where the daemon is, for `exomonad --host`'),
    hidden: true,
    elsewhere: 'never',
  },
]

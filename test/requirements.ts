/**
 * The requirements as data: what the five documents that exomonad serves ask for, one line each, in
 * our own words. Ids are stable. A test that shows one cites it in its title:
 * `it(verifies('R004-03', 'starts the prompt with the warning'), …)`. test/parity.test.ts fails on
 * an id that nothing cites and that is not pending, on a pending one that is cited, and on unknown
 * ids.
 */
export const REQUIREMENTS = {
  // The tree of branches, worktrees and pull requests.
  'R004-01':
    'spawn_subtree makes branch {caller’s branch}.{slug} and worktree .exomonad/worktrees/{slug}/, also from a nested worktree',
  'R004-02':
    'the tl agent CLI is launched with the task and a fork of the parent’s session; fresh, with a warning, where none can be used',
  'R004-03':
    'the prompt opens with the worktree warning: path, branch, stale paths, relative paths only, re-read before editing',
  'R004-04': 'a subtree has the tl role and can spawn on, down to the depth limit',
  'R004-05': 'the parent is on record as the one who is notified of the child’s lifecycle',
  'R004-06':
    'spawn_workers makes branch, worktree and dev agent for each spec, and a bad spec stops only itself',
  'R004-07': 'a dev agent neither sees nor may call the tools that spawn, merge or answer',
  'R004-08':
    'file_pr pushes and targets the recorded parent branch, else the one the dots name; an open one is updated: created is false',
  'R004-09': 'file_pr starts the checks, and on GitHub asks Copilot for a review',
  'R004-10':
    'merge_pr squashes workers and merges subtrees unless another way is asked for, for the parent only, guarded by the head’s SHA',
  'R004-11':
    'after a merge the parent’s worktree has it, and siblings learn of it when they next stop',
  'R004-12': 'answer_question reaches the child as a user message',
  'R004-13': 'note returns at once and the parent reads [NOTE]',
  'R004-14':
    'question blocks with the child dormant until the answer, which is delivered exactly once',
  'R004-15': 'file_pr is there for both roles',
  'R004-16':
    'all pull requests of the tree are followed, often while reviews are pending; reviews, checks and outside merges reach the right pane',
  'R004-17':
    'the stop check fetches the parent and rebases; a conflict is handed to the agent, and in the end the parent is asked by itself',
  'R004-18':
    'events about a child are routed to its parent’s pane as registered at spawn, rendered from a template and typed',
  'R004-19': 'the deprecated spawn tools work, unlisted, with a warning',
  'R004-20': 'tool descriptions are two or three sentences that say when to choose the tool',
  'R004-21': 'works in Zellij as in tmux',

  // Forking, killing, sending and waiting within one session.
  'R000-01':
    'fork, kill, send and wait have one exact schema each, listed by name among all others',
  'R000-02': 'capture, cancel and reap are for people: neither listed for agents nor open to them',
  'R000-03':
    'fork needs name and prompt, gives the child the whole context, returns at once and moves no view',
  'R000-04':
    'a person’s /fork takes the capture along or starts an idle child, and moves the view to it',
  'R000-05': 'kill ends all descendants, children first; the caller goes on',
  'R000-06': 'send works between agents, and only what people see differs',
  'R000-07': 'wait returns the first message of anyone; 0 does not block',
  'R000-08': 'wait for several returns received, running, idle or dead for each',
  'R000-09':
    'wait ends early once each has answered, idles or is dead, and returns what there is at the timeout',
  'R000-10': 'wait takes messages out, oldest first',
  'R000-11':
    'a person’s /wait shows a spinner for that agent only, Escape ends it, and the result is in the scrollback',
  'R000-12':
    'the status layer shows name, state, calls and tokens, live, between scrollback and spinner',
  'R000-13': 'agents are woken by their own channel on mail and death, without polling',
  'R000-14': 'the dead stay to be looked at: frozen, without input, the kill visible',
  'R000-15': '/reap moves to the first living agent and takes the dead out of the rotation',
  'R000-16':
    'captured lines are shown and kept, never sent to the agent, unchangeable, and survive a restart',
  'R000-17': 'a child knows its parent, works, reports, idles, and can be given more',
  'R000-18':
    'on PostgreSQL mail and death wake who waits by NOTIFY on agent_event_<uuid>, a channel for each agent, and who waits looks by itself every few seconds',

  // The slash form, and mail.
  'R001-01':
    '/slash fork inherits without a prompt and is fresh with one, returns the id and does not block',
  'R001-02': '/slash send reaches parent, child and sibling',
  'R001-03': '/slash check-mail shows pending messages with who sent them',
  'R001-04': '/slash kill ends an agent',
  'R001-05': 'an agent that idles with mail is notified once per batch who wrote',
  'R001-06': 'one completion message carries state, outcome and result, in both forms',
  'R001-07':
    'the guidance for agents covers commands, when to fork, lifecycle, coordination and examples',

  // Subagents as a library.
  'R002-01':
    'registerSubagentTools adds subagent_spawn and subagent_delegate under the category subagent',
  'R002-02':
    'subagent_spawn runs a loop in a new conversation, ten turns by default, and answers its final text',
  'R002-03': 'subagent_delegate is one call with one answer: one turn',
  'R002-04': 'the six callbacks fire in order with their data, deltas and tool calls included',
  'R002-05': 'nothing is registered at or past the depth limit',
  'R002-06': 'a child has its parent’s tools, without the subagent tools at the limit',
  'R002-07': 'errors reach onSubagentError and are thrown on; ids never repeat',
  'R002-08': 'a system prompt of one’s own, and delegation to another server or agent',
  'R002-09': 'types and functions are exported, and nested progress is shown',

  // Sessions and processes without a terminal.
  'R003-01': 'spawn_llm_session answers the agent’s id at once and runs beside the caller',
  'R003-02': 'spawn_background_task does so for a command',
  'R003-03': 'agent_status shows one agent or all',
  'R003-04':
    'agent_result gives summary, output, changed files and time, again and again, and is an error before the end',
  'R003-05': 'kill_agent answers killed, or that there is no such agent',
  'R003-06': 'write_stdin adds a newline and returns the bytes written, again and again',
  'R003-07': 'the tool filter means all, or exactly the named ones',
  'R003-08': 'errors are JSON, also where no agents can be made at all',
  'R003-09': 'records of the root’s calls have no parent id, nested ones their caller’s',
  'R003-10': 'the agents’ prompt describes every tool',
} as const

export type RequirementId = keyof typeof REQUIREMENTS

/**
 * Requirements that are not built or not shown yet, with what will do it. A cited one must not
 * stand here.
 */
export const PENDING: Partial<Record<RequirementId, string>> = {}

/**
 * Parts of requirements that are shown as far as they go without accounts and real agent programs;
 * the rest is pending.
 */
export const PENDING_PARTS: Partial<Record<RequirementId, string>> = {}

/** The title of a test that shows a requirement: the id in front. */
export const verifies = (id: RequirementId, title: string): string => `${id} ${title}`

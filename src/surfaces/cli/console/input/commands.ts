/** What the words after a command are, for completion. */
export type Takes = 'nothing' | 'text' | 'agent' | 'agent-and-text' | 'agents' | 'pull'

export interface ConsoleCommand {
  readonly name: string
  readonly usage: string
  readonly takes: Takes
  readonly does: string
}

/** The console’s commands, in the order in which /help shows them. */
export const COMMANDS = [
  {
    name: 'fork',
    usage: '[NAME] [fresh]',
    takes: 'text',
    does: 'a child of this agent, with the open capture as its task; fresh: without its conversation',
  },
  {
    name: 'capture',
    usage: '',
    takes: 'nothing',
    does: 'write down a task for a child: lines are kept, not sent',
  },
  { name: 'cancel', usage: '', takes: 'nothing', does: 'end the capture without a child' },
  {
    name: 'send',
    usage: 'AGENT TEXT',
    takes: 'agent-and-text',
    does: 'a message to another agent',
  },
  {
    name: 'wait',
    usage: '[TIME] [AGENT …]',
    takes: 'agents',
    does: 'wait for mail as this agent, 30, 90s or 1h long (else 5m); Escape ends it',
  },
  {
    name: 'kill',
    usage: '[AGENT]',
    takes: 'agent',
    does: 'end this or that agent and all below it',
  },
  { name: 'reap', usage: '', takes: 'nothing', does: 'take all dead agents out of sight' },
  {
    name: 'go',
    usage: 'AGENT',
    takes: 'agent',
    does: 'look at another agent: name, branch, id or a part',
  },
  { name: 'next', usage: '', takes: 'nothing', does: 'the next agent' },
  { name: 'prev', usage: '', takes: 'nothing', does: 'the previous agent' },
  { name: 'parent', usage: '', takes: 'nothing', does: 'this agent’s parent' },
  { name: 'child', usage: '', takes: 'nothing', does: 'this agent’s first child' },
  {
    name: 'inbox',
    usage: '[clear]',
    takes: 'text',
    does: 'questions, approvals and messages for you; clear: mark messages read',
  },
  {
    name: 'answer',
    usage: '[NUMBER] TEXT',
    takes: 'text',
    does: 'answer the question of that number in /inbox, or the only one',
  },
  {
    name: 'approve',
    usage: '[NUMBER] [WHY]',
    takes: 'text',
    does: 'approve what an agent asks for',
  },
  { name: 'deny', usage: '[NUMBER] [WHY]', takes: 'text', does: 'deny it' },
  {
    name: 'radar',
    usage: '[AGENT]',
    takes: 'agent',
    does: 'whose work would conflict if it were merged now, of all or with that agent’s',
  },
  {
    name: 'fold',
    usage: '[AGENT]',
    takes: 'agent',
    does: 'what the open pull requests on this or that agent’s base come to together, and how far it is checked',
  },
  { name: 'tree', usage: '', takes: 'nothing', does: 'all agents' },
  { name: 'pr', usage: '[NUMBER]', takes: 'pull', does: 'this agent’s pull request, or that one' },
  {
    name: 'diff',
    usage: '[NUMBER]',
    takes: 'pull',
    does: 'its diff, to comment on lines and to review it',
  },
  { name: 'merge', usage: '[NUMBER]', takes: 'pull', does: 'merge it, after asking' },
  {
    name: 'attach',
    usage: '[AGENT]',
    takes: 'agent',
    does: 'the terminal of this or that agent itself',
  },
  { name: 'help', usage: '', takes: 'nothing', does: 'this' },
  { name: 'quit', usage: '', takes: 'nothing', does: 'leave; agents go on' },
] as const satisfies readonly ConsoleCommand[]

export type CommandName = (typeof COMMANDS)[number]['name']

/** Other words for the same. */
export const ALIASES: Readonly<Record<string, CommandName>> = { previous: 'prev', exit: 'quit' }

export const isCommand = (word: string): word is CommandName =>
  COMMANDS.some(({ name }) => name === word)

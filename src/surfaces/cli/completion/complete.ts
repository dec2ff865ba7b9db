import type { Command } from 'commander'
import { acpCliName } from '../../../domain/acp-names.ts'
import { shortAddresses } from '../../../domain/addresses.ts'
import { sharesBranch } from '../../../domain/agent-kinds.ts'
import type { TreeNode } from '../../../core/agents/tree-document.ts'
import { toolNamesForCompletion } from './complete-tools.ts'
import type { CliContext } from '../context.ts'
import { createElsewhere } from '../elsewhere/create-elsewhere.ts'
import { takeHost } from '../elsewhere/target.ts'
import { locateRepository } from '../locate.ts'
import { pause } from '../pause.ts'
import { printableLine } from '../../text/printable.ts'

interface Candidate {
  readonly word: string
  readonly description: string
}

/** What completion may cost: a daemon that doesn’t answer must not hold the shell. Milliseconds. */
const LIMIT = 500
/** The same of a machine elsewhere. */
const FAR = 2000

export function define(command: Command, context: CliContext, whole: () => Promise<Command>): void {
  command
    .argument('[words...]', 'The words after `exomonad`, the last one being completed')
    .allowUnknownOption()
    .action(async (words: string[]) => {
      const { context: where, words: own } = await onItsMachine(words, context)
      const candidates = await complete(await whole(), own, where)
      const text = candidates
        .map(({ word, description }) => `${printableLine(word)}\t${printableLine(description)}\n`)
        .join('')
      context.terminal.stdout.write(text)
    })
}

/** After `--host MACHINE` what is there counts, as far as it can be asked at once. */
async function onItsMachine(
  words: readonly string[],
  context: CliContext,
): Promise<{ context: CliContext; words: readonly string[] }> {
  if (words.at(-2) === '--host') return { context, words }
  const { host: name, rest } = takeHost(words)
  if (name === null) return { context, words }
  const elsewhere = await createElsewhere(context, {
    name,
    cwd: context.options().cwd,
    folder: () => undefined,
  })
  const client: CliContext['client'] = async () => {
    const asked = elsewhere.isOpen().then((isOpen) => {
      if (!isOpen) throw new Error('nothing is connected for a completion')
      return elsewhere.link({ start: false })
    })
    const link = await Promise.race([asked, pause(FAR)])
    if (link === undefined) throw new Error('no answer in time')
    return link.client({ start: false })
  }
  return { context: { ...context, elsewhere, client }, words: rest }
}

/** Asks the shell for its own: words that no candidate can be. */
const FILES: Candidate = { word: ':files', description: '' }
const FOLDERS: Candidate = { word: ':folders', description: '' }

/**
 * Sub-commands, options, choices and names of agents that can stand in the last word’s place;
 * `FILES` where none is known.
 */
async function complete(
  program: Command,
  words: readonly string[],
  context: CliContext,
): Promise<Candidate[]> {
  const last = words.at(-1) ?? ''
  const { command, position, awaits } = walk(program, words.slice(0, -1))
  const value = async (
    choices: readonly string[] | undefined,
    name: string,
  ): Promise<Candidate[]> =>
    (await forValue({ choices, name, command: command.name(), last }, context)).filter(
      (one) => one.word.startsWith(last) || [FILES, FOLDERS].includes(one),
    )
  if (awaits !== undefined) return value(awaits.choices, awaits.name)
  if (last.startsWith('-')) return starting(last, optionsOf(program, command))
  // After a word that is no sub-command nothing can be said.
  if (command.commands.length > 0 && position > 0) return []
  if (command.commands.length > 0) {
    return starting(
      last,
      command.commands
        .filter((sub) => !isHidden(sub))
        .map((sub) => ({ word: sub.name(), description: sub.description() })),
    )
  }
  const argument =
    command.registeredArguments[position] ??
    command.registeredArguments.findLast((candidate) => candidate.variadic)
  if (argument === undefined) return []
  // A timeout may be left out, and agents follow it.
  const name = argument.name() === 'timeout' ? 'agent' : argument.name()
  return value(argument.argChoices, name)
}

/** Names of values that are neither files nor known: what would be offered is never meant. */
const NOTHING = new Set(
  'machine count number percent duration when id approval how which mode kind name branch role model comment key shell event type text'.split(
    ' ',
  ),
)

interface Standing {
  readonly command: Command
  /** How many arguments of the command stand before the word. */
  readonly position: number
  /** The option whose value the word is. */
  readonly awaits?: { readonly choices: readonly string[] | undefined; readonly name: string }
}

function walk(program: Command, words: readonly string[]): Standing {
  let command = program
  let position = 0
  let awaits: Standing['awaits']
  for (const word of words) {
    if (awaits !== undefined) {
      awaits = undefined
      continue
    }
    if (word.startsWith('-')) {
      const option = [...command.options, ...program.options].find(
        (candidate) => candidate.short === word || candidate.long === word,
      )
      if (option?.required === true)
        awaits = { choices: option.argChoices, name: placeholderOf(option) }
      continue
    }
    const sub =
      position === 0
        ? command.commands.find(
            (candidate) => candidate.name() === word || candidate.aliases().includes(word),
          )
        : undefined
    if (sub === undefined) position++
    else command = sub
  }
  return awaits === undefined ? { command, position } : { command, position, awaits }
}

/**
 * What its help calls the value: `agent` of `--agent <agent>`, and `program` of
 * `--agent <program>`.
 */
const placeholderOf = ({ flags }: { readonly flags: string }): string =>
  /<([\w-]+)/.exec(flags)?.[1] ?? ''

const isHidden = (command: Command): boolean => command.name().startsWith('__')

function optionsOf(program: Command, command: Command): Candidate[] {
  return [...new Set([...command.options, ...program.options])].flatMap((option) =>
    option.long === undefined || option.long === null || option.hidden
      ? []
      : [{ word: option.long, description: option.description }],
  )
}

const starting = (start: string, candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter(({ word }) => word.startsWith(start))

interface Wanted {
  readonly choices: readonly string[] | undefined
  /** The argument’s name, or what an option’s help calls its value. */
  readonly name: string
  readonly command: string
  readonly last: string
}

/**
 * Values by the argument’s name: choices, agents, programs, pull requests, tools; for all else
 * files, as shells have them.
 */
async function forValue(
  { choices, name, command, last }: Wanted,
  context: CliContext,
): Promise<Candidate[]> {
  if (choices !== undefined) return choices.map((word) => ({ word, description: '' }))
  if (name === 'agent' || name === 'agents') return agents(context, command, last)
  if (name === 'program' || name === 'acp') return programs(name, context)
  if (name === 'pr') return pulls(context)
  if (name === 'tool') return toolNamesForCompletion()
  if (NOTHING.has(name)) return []
  return [name === 'folder' ? FOLDERS : FILES]
}

/** Of the configuration: [agents.NAME] and acp:NAME, or NAME of [acp.NAME] alone. */
async function programs(kind: 'program' | 'acp', context: CliContext): Promise<Candidate[]> {
  if (context.elsewhere !== null) return []
  try {
    const { paths } = await locateRepository(
      context.options().cwd,
      context.environment,
      context.host,
    )
    const { agents: known, acp } = await context.host.loadConfig(paths.configFile)
    const sessions = Object.entries(acp).map(([name, { command }]) => ({
      word: kind === 'acp' ? name : acpCliName(name),
      description: command.join(' '),
    }))
    if (kind === 'acp') return sessions
    return [
      ...Object.entries(known).map(([word, { adapter }]) => ({ word, description: adapter })),
      ...sessions,
    ]
  } catch {
    return []
  }
}

async function readTree(context: CliContext): Promise<TreeNode[]> {
  try {
    const client = await context.client({ start: false })
    const view = await client.call('tree', {}, { signal: AbortSignal.timeout(LIMIT) })
    const all = (node: TreeNode): TreeNode[] => [node, ...node.children.flatMap(all)]
    return all(view.root)
  } catch {
    return []
  }
}

/** Commands whose agent may have ended. */
const OF_ALL = new Set(['clean', 'console', 'events', 'log', 'logs', 'result', 'status', 'tree'])
/** The root is a place and needs no program. */
const isLive = ({ kind, state, state_reason: reason }: TreeNode): boolean =>
  kind === 'root' || !(reason === 'stopped' || ['completed', 'failed', 'killed'].includes(state))

/**
 * The live ones, or those that the command is for, by the shortest address of each. Whoever began a
 * branch gets branches.
 */
async function agents(context: CliContext, command: string, last: string): Promise<Candidate[]> {
  const nodes = await readTree(context)
  const wanted = nodes.filter(
    (node) => OF_ALL.has(command) || isLive(node) === (command !== 'resume'),
  )
  const short = shortAddresses(nodes)
  const byName = wanted.map((node) => ({
    word: short.get(node.id) ?? node.id,
    description: `${node.kind}, ${node.state}`,
  }))
  if (last === '' || byName.some(({ word }) => word.startsWith(last))) return byName
  return wanted
    .filter((node) => !sharesBranch(node))
    .map((node) => ({ word: node.branch, description: `${node.kind}, ${node.state}` }))
}

async function pulls(context: CliContext): Promise<Candidate[]> {
  return (await readTree(context)).flatMap((node) =>
    node.pr === null
      ? []
      : [{ word: String(node.pr.number), description: `${node.name}, ${node.pr.state}` }],
  )
}

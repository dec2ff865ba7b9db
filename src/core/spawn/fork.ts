import { randomUUID } from 'node:crypto'
import type { Agent } from '../../domain/records.ts'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import { newAgentId } from '../../domain/ids.ts'
import type { Admission } from './admission.ts'
import type { ForkedAgent, Forking } from './agent-forks.ts'
import type { Since } from '../sessions/agent-sessions.ts'
import type { Approvals } from '../questions/approvals.ts'
import { endCapture, openCaptureOf, type CaptureEnd } from './open-capture.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Configured, Deps } from '../deps.ts'
import { requireAlive } from '../agents/directory.ts'
import type { Inheritance } from './fork-context.ts'
import { forkName, unusedName } from '../../domain/fork-name.ts'
import type { Launcher } from './launch.ts'
import { parentText, promptFacts } from './prompt-facts.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import { childrenMadeSince, CUT_OFF } from '../agents/made-since.ts'
import { startTreeOf } from '../sessions/session-reserve.ts'
import { sharedWorktreeFields, newAgentDefaults } from './new-agent.ts'
import { runtimeOf, toolsOf } from '../agents/programs.ts'
import type { Scrollback } from '../panes/scrollback.ts'
import type { SpawnStart } from './start.ts'
import type { SpawnUndo } from './undo.ts'

interface Prepared {
  readonly configured: Configured
  readonly parent: Agent
  readonly cliName: string
}
interface Wanted {
  readonly name?: string | undefined
  readonly prompt?: string | undefined
  readonly context: 'inherit' | 'fresh'
  /** With the open capture as the prompt: where it ends in the scrollback. */
  readonly captureLine?: number
}
type Reserved = {
  readonly agent: Agent
  readonly journal: string
  readonly capture: CaptureEnd | undefined
  readonly warnings: readonly string[]
}

/**
 * A fork is a spawn without a branch: reserved, journaled, started and taken back in the same way,
 * in a worktree that is another’s and that nothing here ever makes, provisions or removes.
 */
export function createForking(
  deps: Pick<Deps, 'store' | 'git' | 'files' | 'settings' | 'prompts' | 'clock' | 'log'> & {
    launcher: Launcher
    admission: Admission
    start: SpawnStart
    undo: SpawnUndo
    approvals: Approvals
    inherit: (configured: Configured, parent: Agent, child: Agent) => Promise<Inheritance>
    scrollback: Pick<Scrollback, 'lineNow'>
  },
): Forking {
  const { store, files, settings, prompts, clock, log, launcher, admission } = deps

  /**
   * Everything that can be known before anything is made: the parent as it is now, and what will
   * run its child.
   */
  const prepare = async (caller: Caller): Promise<Prepared> => {
    await settings.requireTrust()
    const configured = await settings.snapshot()
    const parent = (await store.agents.get(caller.agent.id)) ?? caller.agent
    if (parent.kind !== 'root') requireAlive(parent, 'fork')
    if (!(await files.exists(parent.worktree)))
      throw new ExomonadError(
        'NOT_AVAILABLE',
        `The worktree of ${parent.name} is gone: ${parent.worktree}. A fork would have nowhere to work.`,
      )
    const cliName = parent.agentCli ?? launcher.cliOfRole(configured.config, parent.role)
    await launcher.requireProgram(configured, cliName)
    return { configured, parent, cliName }
  }

  const reserve = async (
    caller: Caller,
    { configured: { config }, parent, cliName }: Prepared,
    wanted: Wanted,
  ): Promise<Reserved> => {
    const startTree = await startTreeOf(deps, parent)
    return store.transaction(async (tx) => {
      const agents = await admission.require(tx, config, caller, [runtimeOf(cliName)], 'fork')
      const lines = wanted.captureLine === undefined ? null : await openCaptureOf(tx, parent)
      const capture =
        lines === null ? undefined : { agentId: parent.id, line: wanted.captureLine ?? 0 }
      const prompt = lines === null ? wanted.prompt : lines.join('\n')
      const taken = new Set<string>(
        agents
          .filter((agent) => isAlive(agent.state))
          .flatMap((agent) => [agent.name, agent.branch]),
      )
      const name =
        wanted.name === undefined ? forkName(prompt, taken) : unusedName(wanted.name, taken)
      const agent: Agent = {
        ...newAgentDefaults(clock()),
        id: newAgentId(),
        name,
        kind: 'fork',
        runtime: runtimeOf(cliName),
        ...sharedWorktreeFields(parent),
        tools: toolsOf(config, cliName),
        agentCli: cliName,
        task: prompt?.trim() ?? '',
        state: 'spawning',
        tokenHash: randomUUID(),
      }
      const journal = await admission.enter(tx, agent, {
        agentId: agent.id,
        name,
        branch: agent.branch,
        worktree: agent.worktree,
        forkPoint: '',
        makesBranch: false,
        makesWorktree: false,
        ...(capture === undefined ? {} : { capture }),
      })
      await tx.runs.insert({
        agentId: agent.id,
        startTree,
        command: null,
        model: null,
        deadline: null,
      })
      const asked = wanted.name === undefined ? name : unusedName(wanted.name, new Set())
      return {
        agent,
        journal,
        capture,
        warnings:
          asked === name ? [] : [`Another agent is called ${asked} already: this one is ${name}.`],
      }
    })
  }

  const begin = async (
    caller: Caller,
    { configured, parent }: Prepared,
    { agent, journal, capture }: Reserved,
    context: Wanted['context'],
  ): Promise<ForkedAgent> => {
    const fresh: Inheritance = {
      context: 'fresh',
      warnings: [],
      launch: { mode: 'start', session: null },
    }
    const inherited = context === 'fresh' ? fresh : await deps.inherit(configured, parent, agent)
    const { transcript } = inherited.launch
    const prompt = await prompts(configured.config, 'fork', {
      ...promptFacts(agent, parent),
      context: inherited.context,
      ...(transcript === undefined ? {} : { transcript }),
    })
    const launched = await deps.start.start({
      configured,
      caller,
      agent,
      journal,
      launch: { ...inherited.launch, prompt },
      live: async (tx) => {
        if (capture !== undefined) await endCapture(tx, capture, agent, clock())
      },
    })
    return {
      agent_id: agent.id,
      name: agent.name,
      // What its program did in the end.
      context:
        inherited.context === 'forked' && launched.plan.session !== 'forked'
          ? 'fresh'
          : inherited.context,
      warnings: [...inherited.warnings, ...launched.plan.warnings],
    }
  }

  /** Of a call that was cut off: what it made, as far as the records show. */
  const madeSince = async (
    caller: Caller,
    { name, prompt, context }: Wanted,
    since: Since,
  ): Promise<ForkedAgent | undefined> => {
    const stem = name === undefined ? '' : unusedName(name, new Set())
    const children = await childrenMadeSince(store, caller, since)
    const made = children.find(
      (child) =>
        child.kind === 'fork' &&
        child.task === (prompt?.trim() ?? '') &&
        child.name.startsWith(stem),
    )
    if (made === undefined) return undefined
    const began = (await files.exists(parentText(files, made)))
      ? 'transcript'
      : context === 'fresh'
        ? 'fresh'
        : 'forked'
    return { agent_id: made.id, name: made.name, context: began, warnings: [CUT_OFF] }
  }

  const fork = async (
    caller: Caller,
    wanted: Wanted,
  ): Promise<ForkedAgent & { captured: boolean }> => {
    if (wanted.name !== undefined) unusedName(wanted.name, new Set())
    let prepared = await prepare(caller)
    // The human may have taken hours: everything is looked at anew.
    if (
      await deps.approvals.requireForSpawn(prepared.configured.config.limits, caller, [
        `a fork${wanted.name === undefined ? '' : ` ${wanted.name}`}`,
      ])
    )
      prepared = await prepare(caller)
    const reserved = await reserve(caller, prepared, wanted)
    try {
      const forked = await begin(caller, prepared, reserved, wanted.context)
      return {
        ...forked,
        warnings: [...reserved.warnings, ...forked.warnings],
        captured: reserved.capture !== undefined,
      }
    } catch (thrown) {
      const { message, code } = asExomonadError(thrown)
      log.warn({ err: thrown, agent: reserved.agent.name }, 'fork failed, undoing')
      await deps.undo.undo(reserved.journal, { name: reserved.agent.name, error: message, code })
      throw thrown
    }
  }

  return {
    fork: async (caller, input, since) => {
      const made = await madeSince(caller, input, since)
      if (made !== undefined) return made
      const { captured: _, ...forked } = await fork(caller, input)
      return forked
    },
    forkCapture: async (caller, input) =>
      fork(caller, { ...input, captureLine: await deps.scrollback.lineNow(caller.agent.id) }),
  }
}

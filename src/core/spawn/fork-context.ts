import type { Agent } from '../../domain/records.ts'
import type { ForkedAgent } from './agent-forks.ts'
import type { Configured, Deps } from '../deps.ts'
import type { LaunchOptions, Launcher } from './launch.ts'
import { adapterOf } from '../agents/programs.ts'
import { parentText } from './prompt-facts.ts'
import type { OwnPanes } from '../panes/panes.ts'
import { TERMINAL_LINES } from '../panes/scrollback.ts'

/** What a fork begins with of its parent’s work. */
export type Inheritance = Pick<ForkedAgent, 'context' | 'warnings'> & {
  readonly launch: Omit<LaunchOptions, 'prompt'>
}

/**
 * The conversation itself where parent and child run the same program and it can be forked; else a
 * file of what the parent’s terminal showed, in the child’s folder; else nothing.
 */
export function createForkContext({
  multiplexer,
  files,
  panes,
  launcher,
  gate,
}: Pick<Deps, 'multiplexer' | 'files' | 'gate'> & {
  panes: OwnPanes
  launcher: Launcher
}): (configured: Configured, parent: Agent, child: Agent) => Promise<Inheritance> {
  /** The conversation, or why it can’t be had; nothing is to be said of programs that have none. */
  const forked = async (
    configured: Configured,
    parent: Agent,
    child: Agent,
  ): Promise<Inheritance | { readonly missing: readonly string[] }> => {
    const own = adapterOf(configured, child)
    const parents = adapterOf(configured, parent)
    if (own === 'command') return { missing: [] }
    if (parent.sessionId === null || own !== parents)
      return {
        missing: [`No conversation of ${parent.name} is known that ${child.name} could inherit.`],
      }
    const launch = {
      mode: 'fork',
      session: { id: parent.sessionId, transcript: parent.transcript },
    } as const
    // Its file may be gone, or not be written yet: only the adapter knows.
    const plan = await launcher.plan(configured, child, { ...launch, prompt: '' })
    return plan.session === 'forked'
      ? { context: 'forked', warnings: [], launch }
      : { missing: plan.warnings }
  }

  const shown = async (parent: Agent): Promise<string> => {
    const pane = await panes.find(parent)
    const text =
      pane === undefined
        ? await files.readTranscript(parent.id)
        : await multiplexer.capture(pane.paneId, { lines: TERMINAL_LINES })
    return gate.text(text?.trimEnd() ?? '')
  }

  return async (configured, parent, child) => {
    const whole = await forked(configured, parent, child)
    if ('launch' in whole) return whole
    const text = await shown(parent)
    if (text === '' && parent.task === '') {
      return {
        context: 'fresh',
        warnings: [
          `${parent.name} has done nothing yet that could be inherited: ${child.name} begins fresh.`,
        ],
        launch: { mode: 'start', session: null },
      }
    }
    const transcript = parentText(files, child)
    const task = parent.task === '' ? '' : `The task of ${parent.name} was:\n\n${parent.task}\n\n`
    await files.writePlanned(child.id, child.worktree, [
      { path: transcript, content: `${task}What its terminal showed:\n\n${text}\n` },
    ])
    return {
      context: 'transcript',
      warnings: [...whole.missing],
      launch: { mode: 'start', session: null, transcript },
    }
  }
}

import type { TreeNode } from '../../../core/agents/tree-document.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { hasTerminal } from '../../text/no-terminal.ts'
import { printableLine } from '../../text/printable.ts'
import { plural } from '../../text/quantity.ts'
import { describePull } from '../pulls/pr-show.ts'
import type { Doing, Notify } from './doing.ts'
import { isUnmanned, nodeOf } from './state.ts'

/**
 * What lines do with agents, through the daemon. `agent` is the id of the one that was viewed when
 * the line was written; what came of it is shown there.
 */
export interface LineActions {
  /** To the open capture where there is one, else as a message. PANE_GONE as `send`. */
  say(agent: string, text: string): Promise<void>
  /** PANE_GONE where it is a root that no program works for. */
  send(agent: string, message: string): Promise<void>
  kill(viewed: string, node: TreeNode): Promise<void>
  /** Ends the capture with a child that gets it, and goes there. */
  fork(agent: string, input: { name?: string; context: 'inherit' | 'fresh' }): Promise<void>
  reap(agent: string): Promise<void>
  /** Its own pull request where no number is given. */
  showPull(agent: string, number: number | undefined): Promise<void>
  attach(agent: string, node: TreeNode): Promise<void>
}

/** `go` shows another agent. */
export function createLineActions(
  doing: Doing,
  notify: Notify,
  go: (agent: string) => void,
): LineActions {
  const { store, feed, clientFor, now } = doing
  const { dispatch } = store

  const say = async (agent: string, text: string): Promise<void> => {
    // What is open now, whatever was known: a captured line must never be sent.
    const { captureLines } = await feed.readScrollback(agent, clientFor())
    if (captureLines !== null) {
      await clientFor(agent).call('capture', { begin: false, text })
      // It is kept: where only this fails, the line must not come back as if it were not.
      await feed.readScrollback(agent).catch(() => {})
      return
    }
    await send(agent, text)
  }

  const send = async (agent: string, message: string): Promise<void> => {
    const node = nodeOf(store.get(), agent)
    if (node !== undefined && isUnmanned(node)) {
      throw new ExomonadError(
        'PANE_GONE',
        'The root has no program that could read this: `exomonad up` starts one.',
      )
    }
    // A process has no messages, only its standard input; what goes there has arrived.
    if (node?.kind === 'process') {
      await clientFor().call('write_stdin', { agent_id: agent, data: message })
      notify(agent, `› ${message}`)
      return feed.wake()
    }
    await clientFor().call('send', { to: agent, message })
    notify(agent, `› ${message}`)
    dispatch({ type: 'sent', agent, at: now() })
    feed.wake()
  }

  const kill = async (viewed: string, node: TreeNode): Promise<void> => {
    const { killed } = await clientFor().call('kill', { agent: node.id })
    if (node.id !== viewed)
      notify(
        viewed,
        `✗ Killed ${printableLine(node.name)}${killed.length > 1 ? ` and ${plural(killed.length - 1, 'agent')} below it` : ''}`,
      )
    await feed.refresh()
    feed.wake()
  }

  const fork = async (
    agent: string,
    input: { name?: string; context: 'inherit' | 'fresh' },
  ): Promise<void> => {
    const child = await clientFor(agent).call('fork_capture', input)
    await feed.refresh()
    go(child.agent_id)
    for (const warning of child.warnings) notify(child.agent_id, `! ${warning}`, 'attention')
    void feed.readScrollback(agent).catch(() => {})
  }

  const reap = async (agent: string): Promise<void> => {
    const { reaped, next } = await clientFor().call('reap', {})
    await feed.refresh()
    if (next !== null) go(next)
    notify(
      next ?? agent,
      reaped.length === 0
        ? 'No agent is dead.'
        : `Took ${plural(reaped.length, 'dead agent')} out of sight; their branches and records stay.`,
    )
  }

  const showPull = async (agent: string, number: number | undefined): Promise<void> => {
    const wanted = number ?? nodeOf(store.get(), agent)?.pr?.number
    if (wanted === undefined) return notify(agent, 'It has no pull request.')
    const pull = await clientFor().call('pr_show', { pr_number: wanted })
    dispatch({
      type: 'overlay',
      overlay: { kind: 'rows', rows: describePull(pull, doing.palette), scroll: 0 },
    })
  }

  const attach = async (agent: string, node: TreeNode): Promise<void> => {
    const { argv, multiplexer } = await clientFor().call('attach', {
      agent: node.id,
      ...doing.inside,
    })
    if (argv === null)
      return notify(
        agent,
        hasTerminal(node)
          ? `The ${multiplexer} multiplexer has no windows: what its terminal shows is here already.`
          : 'It has no terminal: what it writes is here already.',
      )
    const code = await doing.attach(argv)
    if (code !== 0)
      notify(agent, `! ${argv[0] ?? ''} ended with ${code ?? 'a signal'}`, 'attention')
  }

  return { say, send, kill, fork, reap, showPull, attach }
}

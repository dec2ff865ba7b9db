import type { TreeNode } from '../../../core/agents/tree-document.ts'
import { asExomonadError, ExomonadError } from '../../../domain/errors.ts'
import { printableLine } from '../../text/printable.ts'
import { lineCount } from './rows/compose-scrollback.ts'
import { createLineActions } from './line-actions.ts'
import { createFoldLine } from './fold/run-fold.ts'
import { createRadarLines } from './radar/run-radar.ts'
import { createReviewActions, type SentReview } from './review/run-review.ts'
import { createInboxLines } from './run-inbox.ts'
import { createWaits } from './run-wait.ts'
import { findByName, hasEnded, neighbour } from './rotation.ts'
import type { ConsoleLine } from './input/parse-line.ts'
import { nodeOf, viewOf, type ConsoleState } from './state.ts'
import type { Doing, Notify } from './doing.ts'

export interface Lines {
  /**
   * Does what a line says to the agent that was viewed when it was written. Never throws: what goes
   * wrong is shown there, and returns false.
   */
  run(line: ConsoleLine, agent: string): Promise<boolean>
  /** Ends an agent, and all below it, after the person said so. */
  kill(agent: string): Promise<void>
  /** Asks whether to end an agent, and all below it. */
  askKill(node: TreeNode): void
  /** Merges a pull request, after the person said so; false where that failed. */
  merge(number: number, head: string): Promise<boolean>
  /** Reviews one, with the comments that were written; false where that failed. */
  review(review: SentReview): Promise<boolean>
  /** Shows something in an agent’s scrollback. */
  readonly notify: Notify
  /** Ends the wait of the person for an agent; false where there is none. */
  interrupt(agent: string): boolean
  /** Ends all waits; settles when nothing runs any more. */
  leave(): Promise<void>
}

/**
 * Words of an agent’s line that must keep their order: one begins when the one before it is done.
 */
const IN_ORDER: ReadonlySet<ConsoleLine['kind']> = new Set([
  'say',
  'capture',
  'cancel',
  'fork',
  'send',
  'reap',
  'wait',
])

/** What these do is for an agent that can take it now. */
const FOR_AGENT: ReadonlySet<ConsoleLine['kind']> = new Set([
  'say',
  'capture',
  'cancel',
  'fork',
  'wait',
])

export function createLines(doing: Doing): Lines {
  const { store, feed, clientFor, now } = doing
  const { dispatch } = store

  const notify: Notify = (agent, text, colour = 'dim') =>
    dispatch({
      type: 'notice',
      agent,
      notice: { text, colour, at: now(), line: lineCount(viewOf(store.get(), agent).text) },
    })
  const go = (agent: string): void => {
    dispatch({ type: 'go', agent })
    feed.wake()
  }
  const findAgent = (word: string): TreeNode | string => {
    const found = findByName(store.get().rotation, word)
    if (found.kind === 'found') return found.node
    const said = printableLine(word)
    if (found.kind === 'ambiguous')
      return `${said} means several agents: ${found.candidates.map(printableLine).join(', ')}`
    return `There is no agent ${said}.${found.candidates.length > 0 ? ` Did you mean ${found.candidates.map(printableLine).join(', ')}?` : ''}`
  }

  const { say, send, kill, fork, reap, showPull, attach } = createLineActions(doing, notify, go)
  const waits = createWaits(doing, notify)
  const inbox = createInboxLines(doing, notify)
  const radar = createRadarLines(doing)
  const showFold = createFoldLine(doing)
  const reviews = createReviewActions(doing, notify)
  const askKill = (node: TreeNode): void => {
    const { id: agentId, name } = node
    dispatch({ type: 'ask', ask: { kind: 'kill', agentId, name, below: living(node) } })
  }

  const about = async (
    agent: string,
    word: string | undefined,
    work: (node: TreeNode) => Promise<void> | void,
  ): Promise<void> => {
    const node =
      word === undefined
        ? (nodeOf(store.get(), agent) ?? 'The tree is not known yet.')
        : findAgent(word)
    if (typeof node === 'string') notify(agent, node, 'bad')
    else await work(node)
  }

  const perform = async (line: ConsoleLine, agent: string): Promise<void> => {
    if (FOR_AGENT.has(line.kind)) assertTakes(store.get(), agent)
    switch (line.kind) {
      case 'say':
        return say(agent, line.text)
      case 'send':
        return about(agent, line.agent, async (to) => {
          await send(to.id, line.message)
          if (to.id !== agent) notify(agent, `› to ${printableLine(to.name)}: ${line.message}`)
        })
      case 'capture':
        await clientFor(agent).call('capture', { begin: true })
        await feed.readScrollback(agent).catch(() => {})
        return
      case 'cancel':
        await clientFor(agent).call('cancel', {})
        await feed.readScrollback(agent)
        return
      case 'fork':
        return fork(agent, {
          context: line.context,
          ...(line.name === undefined ? {} : { name: line.name }),
        })
      case 'kill':
        return about(agent, line.agent, askKill)
      case 'wait': {
        const nodes = line.agents.map(findAgent)
        const wrong = nodes.find((node) => typeof node === 'string')
        if (wrong !== undefined) return notify(agent, wrong, 'bad')
        const ids = nodes.flatMap((node) => (typeof node === 'string' ? [] : [node.id]))
        // It goes on beside whatever else is done.
        void waits.wait(agent, line.timeout, ids)
        return
      }
      case 'reap':
        return reap(agent)
      case 'go':
        return about(agent, line.agent, (node) => go(node.id))
      case 'previous':
      case 'next':
      case 'parent':
      case 'child':
        return go(neighbour(store.get().rotation, agent, line.kind))
      case 'tree':
      case 'help':
        return dispatch({ type: 'overlay', overlay: { kind: line.kind, rows: [], scroll: 0 } })
      case 'radar':
        return line.agent === undefined
          ? radar.open(undefined)
          : about(agent, line.agent, ({ id }) => radar.open(id))
      case 'fold':
        return about(agent, line.agent, showFold)
      case 'radar-pair':
        return radar.showPair(line)
      case 'pr':
        return showPull(agent, line.number)
      case 'diff':
        return reviews.open(agent, line.number)
      case 'merge':
        return reviews.askMerge(agent, line.number)
      case 'attach':
        return about(agent, line.agent, (node) => attach(agent, node))
      case 'inbox':
      case 'answer':
      case 'approve':
      case 'deny':
        return inbox.run(line, agent)
      case 'quit':
        return doing.quit()
      case 'error':
        return notify(agent, line.message, 'bad')
    }
  }

  const tails = new Map<string, Promise<boolean>>()
  const attempt = async (line: ConsoleLine, agent: string): Promise<boolean> => {
    try {
      await perform(line, agent)
      return true
    } catch (error) {
      notify(agent, `✗ ${asExomonadError(error).message}`, 'bad')
      // Nothing that was written is lost.
      if (line.kind === 'say' && viewOf(store.get(), agent).draft.text === '')
        dispatch({ type: 'give-back', agent, text: line.text })
      return false
    }
  }
  const inOrder = (line: ConsoleLine, agent: string): Promise<boolean> => {
    const done = (tails.get(agent) ?? Promise.resolve(true)).then(() => attempt(line, agent))
    tails.set(agent, done)
    return done
  }

  return {
    run: async (line, agent) => {
      if (line.kind !== 'fork' && line.kind !== 'reap')
        return IN_ORDER.has(line.kind) ? inOrder(line, agent) : attempt(line, agent)
      dispatch({
        type: 'moving',
        moving: {
          text: line.kind === 'fork' ? 'Making a child' : 'Taking the dead out of sight',
          since: now(),
        },
      })
      const done = await inOrder(line, agent)
      dispatch({ type: 'moving', moving: null })
      return done
    },
    kill: async (agent) => {
      const node = nodeOf(store.get(), agent)
      const { viewed } = store.get()
      if (node !== undefined)
        await kill(viewed, node).catch((error: unknown) =>
          notify(viewed, `✗ ${asExomonadError(error).message}`, 'bad'),
        )
    },
    askKill,
    merge: reviews.merge,
    review: reviews.send,
    notify,
    interrupt: waits.interrupt,
    leave: async () => {
      waits.interruptAll()
      await Promise.all(tails.values())
    },
  }
}

function assertTakes(state: ConsoleState, agent: string): void {
  const node = nodeOf(state, agent)
  if (node !== undefined && hasEnded(node))
    throw new ExomonadError(
      'ALREADY_DEAD',
      `${printableLine(node.name)} has ended: nothing can be sent to it.`,
    )
  if (state.waits[agent] !== undefined)
    throw new ExomonadError('INVALID_ARG', 'A wait runs here: Escape ends it.')
}

/** How many agents live below. */
const living = (node: TreeNode): number =>
  node.children.reduce((sum, child) => sum + (hasEnded(child) ? 0 : 1) + living(child), 0)

import { ExomonadError } from '../../domain/errors.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'
import type { AgentControl } from '../agents/control-use-cases.ts'
import { findAgent } from '../agents/directory.ts'
import { addressOf } from '../agents/tree.ts'
import type { Deps } from '../deps.ts'
import type { OwnPanes } from './panes.ts'

// oxlint-disable-next-line no-control-regex -- colours and attributes (SGR), and nothing else
const STYLE = /(\u001B\[[0-9;:]*m)/

/** What people see of agents’ panes. */
export function createShowing({
  store,
  multiplexer,
  files,
  gate,
  panes,
}: Pick<Deps, 'store' | 'multiplexer' | 'files' | 'gate'> & { panes: OwnPanes }): Pick<
  AgentControl,
  'attach' | 'screen' | 'view'
> {
  const find = (address: string) => findAgent(store.agents, address)
  const paneOf = async (agent: Agent) => {
    const pane = await panes.find(agent)
    if (pane !== undefined) return pane
    throw new ExomonadError(
      'PANE_GONE',
      `${agent.name} has no pane (${agent.stateReason ?? agent.state}). \`exomonad logs ${addressOf(agent)}\` shows what it last did.`,
      { agent: agent.id },
    )
  }
  /** Secrets go, and what a terminal obeys beyond colours. */
  const cleanStyled = (text: string): string =>
    text
      .split(STYLE)
      .map((part, index) => (index % 2 === 1 ? part : gate.text(part)))
      .join('')

  return {
    attach: async (address, inside) => {
      const agent = await find(address)
      const pane = await paneOf(agent)
      const shown = agent.runtime === 'pane' ? multiplexer.show : undefined
      const argv =
        shown === undefined
          ? multiplexer.attachCommand(pane.paneId)
          : await shown(pane.paneId, inside)
      return {
        agent_id: agent.id,
        multiplexer: agent.runtime === 'pane' ? multiplexer.name : 'runner',
        pane: pane.paneId,
        argv: argv === undefined ? null : [...argv],
      }
    },

    screen: async (address, { lines, styled = false }) => {
      const agent = await find(address)
      const pane = await panes.find(agent)
      if (pane !== undefined) {
        const { paneId } = pane
        const text = styled
          ? cleanStyled(await multiplexer.captureStyled(paneId, { lines: Math.max(lines, 1) }))
          : await multiplexer.capture(paneId, { lines })
        return {
          agent_id: agent.id,
          text: styled ? plain(text) : text,
          ...(styled && { styled_text: text }),
          live: isAlive(agent.state),
        }
      }
      const kept = await files.readTranscript(agent.id)
      if (kept === null)
        throw new ExomonadError('PANE_GONE', `${agent.name} has no pane and left no transcript.`, {
          agent: agent.id,
        })
      const text = kept.split('\n').slice(-Math.max(lines, 1)).join('\n')
      return {
        agent_id: agent.id,
        text,
        ...(styled && { styled_text: cleanStyled(text) }),
        live: false,
      }
    },

    view: async (address, options) => {
      const agent = await find(address)
      const { paneId } = await paneOf(agent)
      return { agent, paneId, view: await multiplexer.view(paneId, options) }
    },
  }
}

const plain = (styled: string): string =>
  styled
    .split(STYLE)
    .filter((_part, index) => index % 2 === 0)
    .join('')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()

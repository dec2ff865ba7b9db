import { dirname } from 'node:path'
import { z } from 'zod'
import { repositoryHash } from '../../src/paths.ts'
import { runProgram, type Exomonad } from './daemon.ts'
import { waitFor } from './wait-for.ts'
import { zellijAction } from './zellij-action.ts'

/** One pane of an agent, as a person sees it. */
export interface SeenPane {
  readonly agentId: string
  /** Id of its window or tab. */
  readonly window: string
  readonly windowName: string
  readonly name: string
}

/** Test helper: what the multiplexer itself tells of windows, tabs and panes. */
export interface Layout {
  panes(tree: Exomonad): Promise<SeenPane[]>
  /** Names of all windows and tabs, also of that which belongs to nobody. */
  windowNames(tree: Exomonad): Promise<string[]>
  /** Whether a person is in front of exactly this pane. */
  isInFront(tree: Exomonad, pane: string): Promise<boolean>
  /** Closes a pane as a person would. */
  close(tree: Exomonad, pane: string): Promise<void>
}

const flatten = (node: any): any[] => [node, ...node.children.flatMap(flatten)]
/** All nodes of the tree, the parent before its children. */
export const nodesOf = async (tree: Exomonad): Promise<any[]> => flatten((await tree.tree()).root)

const rowsOf = (text: string): string[] => text.split('\n').filter((row) => row !== '')

async function tmux(tree: Exomonad, ...args: string[]): Promise<string> {
  const own = ['-u', '-L', `exomonad-${repositoryHash(dirname(tree.state))}`]
  return (await runProgram('tmux', [...own, ...args], { env: tree.repository.env })).stdout.trimEnd()
}

const inTmux: Layout = {
  panes: async (tree) => {
    const format = ['#{@agent_id}', '#{window_id}', '#{@name}', '#{window_name}'].join('\t')
    return rowsOf(await tmux(tree, 'list-panes', '-a', '-f', '#{!=:#{@agent_id},}', '-F', format)).map((row) => {
      const [agentId = '', window = '', name = '', windowName = ''] = row.split('\t')
      return { agentId, window, name, windowName }
    })
  },
  windowNames: async (tree) => rowsOf(await tmux(tree, 'list-windows', '-t', '=exomonad', '-F', '#{window_name}')),
  isInFront: async (tree, pane) => (await tmux(tree, 'display-message', '-p', '-t', pane, '#{window_active}#{pane_active}')) === '11',
  close: async (tree, pane) => void (await tmux(tree, 'kill-pane', '-t', pane)),
}

async function zellij(tree: Exomonad, ...args: string[]): Promise<string> {
  const session = `exo-${repositoryHash(dirname(tree.state)).slice(0, 8)}`
  // It keeps its log there.
  const env = { ...tree.repository.env, TMPDIR: tree.repository.folder }
  return (await zellijAction(session, args, env)).trimEnd()
}

const listSchema = z.array(z.looseObject({ id: z.number(), is_plugin: z.boolean(), tab_id: z.number(), tab_name: z.string(), title: z.string() }))

const inZellij: Layout = {
  panes: async (tree) => {
    const nodes = await nodesOf(tree)
    // While it is busy it prints nothing, or what somebody else asked for.
    const listed = await waitFor('a list of panes', async () => listSchema.parse(JSON.parse(await zellij(tree, 'list-panes', '--json'))))
    const panes = listed.filter(({ is_plugin: isPlugin }) => !isPlugin)
    return panes.flatMap(({ id, tab_id: tab, tab_name: windowName, title }) => {
      const node = nodes.find(({ pane }) => pane === `terminal_${id}`)
      // A tab is called as its first pane is, which shows what its program calls itself.
      const isFirst = panes.find(({ tab_id: other }) => other === tab)?.id === id
      return node === undefined ? [] : [{ agentId: node.id, window: String(tab), windowName, name: isFirst ? windowName : title }]
    })
  },
  windowNames: async (tree) => rowsOf(await zellij(tree, 'query-tab-names')),
  isInFront: async (tree, pane) => {
    const clients = await zellij(tree, 'list-clients')
    // The daemon’s own client goes ahead of a person, and back to the first tab.
    return clients.includes(` ${pane} `) && clients.includes(' terminal_0 ')
  },
  close: async (tree, pane) => void (await zellij(tree, 'close-pane', '--pane-id', pane)),
}

export const layoutIn = { tmux: inTmux, zellij: inZellij } as const

/** Which agents share a window, by their names: `lead scout`. */
export async function sharing(layout: Layout, tree: Exomonad): Promise<string[]> {
  const nodes = await nodesOf(tree)
  const byWindow = Map.groupBy(await layout.panes(tree), ({ window }) => window)
  return [...byWindow.values()].map((panes) => panes.map(({ agentId }) => nodes.find(({ id }) => id === agentId)?.name).join(' ')).toSorted()
}

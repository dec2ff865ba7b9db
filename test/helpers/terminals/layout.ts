import { dirname } from 'node:path'
import { z } from 'zod'
import { repositoryHash, terminalsOf } from '../../../src/runtime/paths.ts'
import { runProgram, type Exomonad } from '../daemon.ts'
import { waitFor } from '../wait-for.ts'
import { zellijAction } from './zellij-action.ts'

/** One pane of an agent, as a person sees it. */
export interface SeenPane {
  readonly agentId: string
  /** Id of its window or tab. */
  readonly window: string
  readonly windowName: string
  readonly name: string
}

/** Test helper: what the multiplexer itself reports of windows, tabs and panes. */
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
  return (
    await runProgram('tmux', [...own, ...args], { env: tree.repository.env })
  ).stdout.trimEnd()
}

const inTmux: Layout = {
  panes: async (tree) => {
    const format = ['#{@agent_id}', '#{window_id}', '#{@name}', '#{window_name}'].join('\t')
    return rowsOf(
      await tmux(tree, 'list-panes', '-a', '-f', '#{!=:#{@agent_id},}', '-F', format),
    ).map((row) => {
      const [agentId = '', window = '', name = '', windowName = ''] = row.split('\t')
      return { agentId, window, name, windowName }
    })
  },
  windowNames: async (tree) =>
    rowsOf(await tmux(tree, 'list-windows', '-t', '=exomonad', '-F', '#{window_name}')),
  isInFront: async (tree, pane) =>
    (await tmux(tree, 'display-message', '-p', '-t', pane, '#{window_active}#{pane_active}')) ===
    '11',
  close: async (tree, pane) => void (await tmux(tree, 'kill-pane', '-t', pane)),
}

async function zellij(tree: Exomonad, ...args: string[]): Promise<string> {
  const session = terminalsOf(repositoryHash(dirname(tree.state))).zellijSession
  // It keeps its log there.
  const env = { ...tree.repository.env, TMPDIR: tree.repository.folder }
  return (await zellijAction(session, args, env)).trimEnd()
}

const listSchema = z.array(
  z.looseObject({
    id: z.number(),
    is_plugin: z.boolean(),
    tab_id: z.number(),
    tab_name: z.string(),
    title: z.string(),
    terminal_command: z.string().nullable(),
  }),
)
/** Views of agents' terminals, with the pane that each shows. */
async function viewsOf(tree: Exomonad) {
  // While it is busy it prints nothing, or what somebody else asked for.
  const listed = await waitFor('a list of panes', async () =>
    listSchema.parse(JSON.parse(await zellij(tree, 'list-panes', '--json'))),
  )
  return listed.flatMap(({ id, terminal_command: command, ...view }) => {
    const pane = / exomonad:(\S+) /.exec(command ?? '')?.[1]
    return pane === undefined ? [] : [{ ...view, id: `terminal_${id}`, pane }]
  })
}

const inZellij: Layout = {
  panes: async (tree) => {
    const nodes = await nodesOf(tree)
    return (await viewsOf(tree)).flatMap(
      ({ pane, tab_id: tab, tab_name: windowName, title: name }) => {
        const node = nodes.find((one) => one.pane === pane)
        return node === undefined
          ? []
          : [{ agentId: node.id, window: String(tab), windowName, name }]
      },
    )
  },
  windowNames: async (tree) => rowsOf(await zellij(tree, 'query-tab-names')),
  isInFront: async (tree, pane) => {
    const view = (await viewsOf(tree)).find((one) => one.pane === pane)
    return view !== undefined && (await zellij(tree, 'list-clients')).includes(` ${view.id} `)
  },
  // The terminal itself: closing its view ends nothing.
  close: (tree, pane) => inTmux.close(tree, pane),
}

export const layoutIn = { tmux: inTmux, zellij: inZellij } as const

/** Which agents share a window, by their names: `lead scout`. */
export async function sharing(layout: Layout, tree: Exomonad): Promise<string[]> {
  const nodes = await nodesOf(tree)
  const byWindow = Map.groupBy(await layout.panes(tree), ({ window }) => window)
  return [...byWindow.values()]
    .map((panes) =>
      panes.map(({ agentId }) => nodes.find(({ id }) => id === agentId)?.name).join(' '),
    )
    .toSorted()
}

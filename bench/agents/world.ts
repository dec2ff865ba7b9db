import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TreeNode } from '../../src/core/agents/tree-document.ts'
import type { Client } from '../../src/surfaces/client.ts'
import { isInstalled, type RealCli } from '../../test/e2e/real-cli.ts'
import { startWorld, type World } from '../../test/e2e/world.ts'
import type { Seen } from '../../test/fixtures/model-server/server.ts'
import { waitFor } from '../../test/helpers/wait-for.ts'

/** A world of the end-to-end tests with one agent CLI, and quick ways to look at it. */
export interface BenchWorld extends World {
  readonly cli: RealCli
  readonly client: Client
  /** The agent as the daemon sees it, without the start of a command. */
  node(name: string): Promise<TreeNode | undefined>
  /** Waits until the agent is idle and nothing is on its way to it. */
  rests(name: string, options?: { limit?: number }): Promise<void>
  /** The first turn since `from` (a length of model.seen) that holds the text. */
  seenSince(from: number, text: string): Seen | undefined
}

export async function openBenchWorld(cli: RealCli): Promise<BenchWorld> {
  if (!isInstalled(cli.name))
    throw new Error(`${cli.name} is not installed: \`npm run agent-clis\` installs it`)
  const world = await startWorld([cli], {
    tl: cli.name,
    dev: cli.name,
    config: '[delivery]\nhuman_idle = 1',
  })
  const client = world.tree.client()
  const find = (node: TreeNode, name: string): TreeNode | undefined =>
    node.name === name
      ? node
      : node.children.map((child) => find(child, name)).find((found) => found !== undefined)
  const node = async (name: string): Promise<TreeNode | undefined> =>
    find((await client.call('tree', {})).root, name)
  return {
    ...world,
    cli,
    client,
    node,
    rests: async (name, { limit = 90_000 } = {}) => {
      const at = await waitFor(
        `${name} to rest`,
        async () => {
          const now = await node(name)
          if (now?.state === 'idle' && now.undelivered === 0) return true
          throw new Error(
            `${now?.state ?? 'gone'} ${now?.state_reason ?? ''}, ${now?.undelivered ?? '?'} undelivered`,
          )
        },
        { limit, every: 20 },
      )
      return void at
    },
    seenSince: (from, text) => {
      for (let index = Math.max(0, from); index < world.model.seen.length; index += 1) {
        const turn = world.model.seen[index]
        if (turn?.conversation.entries.some((entry) => entry.text.includes(text)) === true)
          return turn
      }
      return undefined
    },
  }
}

/** What an agent’s programs are given to reach the daemon. */
export function agentAccess(world: BenchWorld, agentId: string): Record<string, string> {
  const { socket } = JSON.parse(
    readFileSync(join(world.tree.state, 'repository.json'), 'utf8'),
  ) as { socket: string }
  return {
    ...world.tree.repository.env,
    EXOMONAD_SOCKET: socket,
    EXOMONAD_AUTH_FILE: join(world.tree.state, 'auth', agentId),
    EXOMONAD_AGENT_ID: agentId,
    EXOMONAD_SPOOL: join(world.tree.state, 'spool'),
  }
}

import { waitFor } from '../helpers/wait-for.ts'
import type { RealCli } from './real-cli.ts'
import type { World } from './world.ts'
import { LIMIT } from './limits.ts'

/** A person who says yes to every dialog of these agents until the condition holds. */
export async function allowDialogs(
  world: World,
  agents: readonly { readonly agent: string; readonly cli: RealCli }[],
  done: () => Promise<boolean>,
  limit = LIMIT,
): Promise<void> {
  await waitFor(
    `${agents.map(({ agent }) => agent).join(', ')} to get on`,
    async () => {
      if (await done()) return true
      const ends: string[] = []
      for (const { agent, cli } of agents) {
        const screen = await world.screen(agent).catch((error: unknown) => String(error))
        if (cli.dialog.test(screen)) await world.key(agent, 'Enter')
        const node = await world.tree.agent(agent).catch(() => undefined)
        ends.push(
          `── ${agent} (${node?.state}: ${node?.state_reason}; ${node?.undelivered} undelivered)\n${screen.trimEnd().split('\n').slice(-12).join('\n')}`,
        )
      }
      throw new Error(ends.join('\n'))
    },
    { limit, every: 500 },
  )
}

/** Which CLI an agent of the mixed tree runs, by its name. */
export function firstUse(clis: readonly RealCli[], agent: string): RealCli {
  const name = agent === 'leaf' ? 'codex' : agent === 'root' ? 'claude' : agent.replace('from-', '')
  const cli = clis.find((candidate) => candidate.name === name)
  if (cli === undefined) throw new Error(`${agent} runs none of the CLIs`)
  return cli
}

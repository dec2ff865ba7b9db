import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startExomonad, type Exomonad, type ExomonadOptions } from '../daemon.ts'

/**
 * Test helper: a tree whose agents are test/fixtures/agents/showing.sh, which shows by its name
 * what its head says.
 */
export interface Showing {
  readonly tree: Exomonad
  /** The lines that were typed into an agent’s terminal. */
  typed(agent: string): string[]
  /** The whole task that an agent was started with; empty where it was not yet. */
  task(agent: string): string
  /**
   * A child in the worktree of the caller (the root’s where `as` is absent), started without
   * waiting for anything.
   */
  fork(name: string, options?: { as?: string }): Promise<any>
  stop(): Promise<void>
}

const PROGRAM = join(import.meta.dirname, '..', '..', 'fixtures', 'agents', 'showing.sh')

/** The roles may name `scripted` again, for agents that call tools. */
export async function startShowing(options: ExomonadOptions = {}): Promise<Showing> {
  const folder = mkdtempSync(join(tmpdir(), 's-'))
  const config = `[agents.showing]
adapter = "command"
command = ["sh", ${JSON.stringify(PROGRAM)}, "{{prompt_file}}"]
env = { SHOWN = ${JSON.stringify(folder)} }
${options.config ?? ''}`
  const tree = await startExomonad({
    ...options,
    config,
    roles: { tl: 'showing', dev: 'showing', ...options.roles },
  })
  const read = (name: string): string =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : ''
  return {
    tree,
    typed: (agent) => read(`${agent}.typed`).split('\n').slice(0, -1),
    task: (agent) => read(`${agent}.task`),
    fork: (name, { as } = {}) =>
      tree.call(
        'fork',
        { name, prompt: 'Show what you have.', context: 'fresh' },
        as === undefined ? {} : { as },
      ),
    stop: async () => {
      await tree.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

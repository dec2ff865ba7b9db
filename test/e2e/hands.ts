import { findTool } from '../helpers/terminals/require-tool.ts'
import { runProgram, type Exomonad } from '../helpers/daemon.ts'

/** What a person does to a pane, past exomonad: with tmux's own commands, whatever shows it. */
export interface Hands {
  /** A command of tmux on the tree's own server. */
  run(...args: string[]): Promise<string>
  /** Without Enter. */
  type(pane: string, text: string): Promise<void>
  key(pane: string, key: Key): Promise<void>
  screen(pane: string): Promise<string>
  /** Takes the pane away under its program. */
  close(pane: string): Promise<void>
}

export type Key = 'Enter' | 'Escape' | 'BSpace'

/** `hash`: of the repository, by which the tree's own server is called. */
export function handsOn(tree: Exomonad, hash: string): Hands {
  const run = async (...args: string[]): Promise<string> => {
    const result = await runProgram(
      findTool('tmux') ?? 'tmux',
      ['-L', `exomonad-${hash}`, ...args],
      { env: tree.repository.env, timeout: 60_000 },
    )
    if (result.code !== 0) throw new Error(`tmux ${args.join(' ')}: ${result.stderr}`)
    return result.stdout
  }
  return {
    run,
    type: async (pane, text) => void (await run('send-keys', '-t', pane, '-l', text)),
    key: async (pane, key) => void (await run('send-keys', '-t', pane, key)),
    screen: (pane) => run('capture-pane', '-p', '-t', pane),
    close: async (pane) => void (await run('kill-pane', '-t', pane)),
  }
}

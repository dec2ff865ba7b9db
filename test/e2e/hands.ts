import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findTool } from '../helpers/require-tool.ts'
import { runProgram, type Exomonad } from '../helpers/daemon.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { zellijAction } from '../helpers/zellij-action.ts'
import { zellijOnPath } from '../helpers/zellij.ts'

/** What a person does to a pane, past exomonad: with the multiplexer's own commands. */
export interface Hands {
  /** A command of tmux on the tree's own server, or an action of Zellij in its session. */
  run(...args: string[]): Promise<string>
  /** Without Enter. */
  type(pane: string, text: string): Promise<void>
  key(pane: string, key: Key): Promise<void>
  screen(pane: string): Promise<string>
  /** Takes the pane away under its program. */
  close(pane: string): Promise<void>
}

export type Key = 'Enter' | 'Escape' | 'BSpace'

const BYTES: Readonly<Record<Key, string>> = { Enter: '13', Escape: '27', BSpace: '127' }

/** `hash`: of the repository, by which the tree's own server or session is called. */
export function handsOn(kind: 'tmux' | 'zellij', tree: Exomonad, hash: string): Hands {
  // Where Zellij keeps its log, as in startExomonad.
  const zellijEnv = { ...tree.repository.env, TMPDIR: tree.repository.folder }
  const run = async (...args: string[]): Promise<string> => {
    if (kind === 'zellij') return zellijAction(`exo-${hash.slice(0, 8)}`, args, zellijEnv, zellijOnPath())
    const result = await runProgram(findTool('tmux') ?? kind, ['-L', `exomonad-${hash}`, ...args], { env: tree.repository.env, timeout: 10_000 })
    if (result.code !== 0) throw new Error(`tmux ${args.join(' ')}: ${result.stderr}`)
    return result.stdout
  }
  let looks = 0
  if (kind === 'tmux')
    return {
      run,
      type: async (pane, text) => void (await run('send-keys', '-t', pane, '-l', text)),
      key: async (pane, key) => void (await run('send-keys', '-t', pane, key)),
      screen: (pane) => run('capture-pane', '-p', '-t', pane),
      close: async (pane) => void (await run('kill-pane', '-t', pane)),
    }
  return {
    run,
    type: async (pane, text) => void (await run('write-chars', '--pane-id', pane, '--', text)),
    key: async (pane, key) => void (await run('write', '--pane-id', pane, '--', BYTES[key])),
    screen: async (pane) => {
      // What Zellij prints gets lost while it is busy, or reaches whoever asks next; a file is ours alone.
      const file = join(tree.repository.folder, `screen-${String(++looks)}`)
      await run('dump-screen', '--pane-id', pane, '--path', file)
      await waitFor('the screen', () => existsSync(file))
      // Empty is an empty screen, or one that is just being written.
      return waitFor('its rows', () => readFileSync(file, 'utf8') || undefined, { limit: 200 }).catch(() => '')
    },
    close: async (pane) => void (await run('close-pane', '--pane-id', pane)),
  }
}

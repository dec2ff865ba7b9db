import { join } from 'node:path'
import process from 'node:process'
import { runProgram } from '../../test/helpers/daemon.ts'
import { BIN } from '../../test/helpers/programs.ts'
import { waitFor } from '../../test/helpers/wait-for.ts'
import type { Story } from './story.ts'

export interface Screens {
  /**
   * What a terminal of 100×30 shows after this command, and how many lines have scrolled away; of
   * one that is paged the first page, and how many follow.
   */
  shot(command: string, paged: boolean): Promise<{ screen: string; above: number; below: number }>
  close(): Promise<void>
}

const WIDTH = 100
const HEIGHT = 30

/** A shell in a tmux server of its own, in the story’s repository. */
export async function openScreens({ tree, env, folder }: Story): Promise<Screens> {
  const { repository } = tree
  const socket = join(folder, 'screens.sock')
  const shell = { ...repository.env, ...env, PS1: '$ ', LESS: '-R', PAGER: 'cat' }
  const tmux = async (...args: string[]): Promise<string> => {
    const result = await runProgram('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...args], {
      env: shell,
      cwd: repository.path,
    })
    if (result.code !== 0) throw new Error(`tmux ${args.join(' ')}: ${result.stderr}`)
    return result.stdout
  }
  const type = async (line: string): Promise<void> => {
    await tmux('send-keys', '-t', 'shell', '-l', line)
    await tmux('send-keys', '-t', 'shell', 'Enter')
  }
  const size = ['-x', String(WIDTH), '-y', String(HEIGHT)]
  await tmux('new-session', '-d', '-s', 'shell', ...size, 'sh')
  await tmux('set-option', '-g', 'status', 'off')
  await tmux('set-option', '-g', 'history-limit', '5000')
  const program = [process.execPath, BIN].map((part) => `'${part}'`).join(' ')
  await type(`exomonad() { ${program} "$@"; }; stty -echo`)
  const whole = (): Promise<string> => tmux('capture-pane', '-p', '-S', '-', '-t', 'shell')
  let shots = 0
  return {
    shot: async (command, paged) => {
      // Stands alone on its line once the command has ended.
      const done = `screen ${++shots} is done`
      await type('clear')
      await tmux('clear-history', '-t', 'shell')
      await type(`clear; ${command}; echo; echo ${done.replace(' ', "' '")}`)
      await waitFor(
        `${command} to have ended`,
        async () => (await whole()).includes(`\n${done}\n`),
        {
          limit: 60_000,
        },
      )
      const text = await whole()
      const lines = text.slice(0, text.indexOf(`\n\n${done}`)).split('\n')
      const shown = paged ? lines.slice(0, HEIGHT - 1) : lines.slice(-(HEIGHT - 1))
      const beside = lines.length - shown.length
      return {
        screen: shown.join('\n'),
        above: paged ? 0 : beside,
        below: paged ? beside : 0,
      }
    },
    close: async () =>
      void (await runProgram('tmux', ['-S', socket, 'kill-server'], { env: shell })),
  }
}

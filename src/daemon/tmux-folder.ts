import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Holder } from '../adapters/terminals/holder.ts'
import { listPanes } from './list-panes.ts'

/** Names the folder of the agents' tmux server, where it is not tmux's own choice. */
const recordIn = (state: string): string => join(state, 'tmux-folder')

/**
 * The agents' tmux has its socket where TMUX_TMPDIR says (`wanted`; undefined: nowhere), as every
 * other of that person. Agents don't move: as long as some run where a daemon with another
 * environment put them, it is there.
 */
export async function tmuxInFolder(
  create: (folder: string | undefined) => Holder,
  { wanted, state }: { wanted: string | undefined; state: string },
): Promise<Holder> {
  const recorded = (await readFile(recordIn(state), 'utf8').catch(() => '')) || undefined
  for (const folder of new Set([wanted, recorded, undefined])) {
    const tmux = create(folder)
    // Where there is no other place nothing has to be asked.
    if (wanted === undefined && recorded === undefined) return tmux
    const panes = await listPanes(tmux)
    if (panes.some(({ agentId, dead }) => agentId !== null && !dead)) {
      await record(folder, recorded, state)
      return tmux
    }
    await tmux.dispose()
  }
  await record(wanted, recorded, state)
  return create(wanted)
}

async function record(
  folder: string | undefined,
  recorded: string | undefined,
  state: string,
): Promise<void> {
  if (folder === recorded) return
  await mkdir(dirname(recordIn(state)), { recursive: true })
  await writeFile(recordIn(state), folder ?? '')
}

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, expect, it } from 'vitest'
import {
  createHostedTerminal,
  type HostedTerminal,
} from '../../../src/adapters/terminals/detached/hosted-terminal.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import type { Bench, Opened } from './bench.ts'
import { scrubbedEnvironment, socketNameOf } from './create.ts'

/** What a person sees of twenty agents at 80 columns. */
export function describeTmuxStatus(bench: Bench): void {
  let person: HostedTerminal | undefined
  afterEach(() => person?.dispose())

  const tmux = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(
      'tmux',
      ['-u', '-L', socketNameOf(bench.folder), ...args],
      { env: scrubbedEnvironment(bench.folder) },
    )
    return stdout.trim()
  }
  const attach = (pane: Opened, height = 24) =>
    (person = createHostedTerminal({
      argv: bench.multiplexer.attachCommand(pane.paneId) ?? [],
      cwd: '/',
      env: { ...scrubbedEnvironment(bench.folder), TERM: 'xterm-256color' },
      columns: 80,
      rows: height,
      onOutput: () => undefined,
    }))
  const rows = async () => ((await person?.capture(0)) ?? '').split('\n')
  const status = async () => (await rows()).at(-1) ?? ''

  const show = async ({ paneId }: Opened, branch: string, needs = '') => {
    const place = branch.split('.')
    const shown = { label: place.at(-1) ?? '', state: '◐ running', needs, depth: place.length - 1 }
    await bench.multiplexer.rename(paneId, `${branch} ◐ running`, shown)
  }
  const openTwenty = async (): Promise<Map<string, Opened>> => {
    const opened = new Map<string, Opened>()
    // Not in the order of the tree.
    for (const part of ['', '.web', '.api'])
      for (const leaf of part === ''
        ? ['']
        : [
            '',
            ...Array.from({ length: 9 }, (_, index) => `.task-${part.slice(1)}-${String(index)}`),
          ]) {
        const branch = `main${part}${leaf}`
        if (opened.size === 20) break
        const pane = await bench.open({
          name: branch,
          argv: ['/bin/sh', '-c', 'echo here; exec cat'],
        })
        await show(pane, branch)
        opened.set(branch, pane)
      }
    return opened
  }

  it('names the agent that is looked at, those that need a person before all others, and what there is room for', async () => {
    const agents = await openTwenty()
    const at = (branch: string) => agents.get(branch) ?? ({} as Opened)
    await show(at('main.web.task-web-2'), 'main.web.task-web-2', 'asks')
    await show(at('main.api.task-api-7'), 'main.api.task-api-7', 'waits')
    attach(at('main.api.task-api-1'))
    const line = await waitFor('the status line', async () => {
      const seen = await status()
      return seen.includes('tree') && seen
    })
    expect(line).toMatch(
      /^ task-api-1 ◐ running {2}! 5 task-web-2 asks {2}! 20 task-api-7 waits {2}.* C-b w: tree$/,
    )
    expect(line.length).toBeLessThanOrEqual(80)
    await show(at('main.web.task-web-2'), 'main.web.task-web-2')
    await waitFor('one less', async () =>
      /^ task-api-1 ◐ running {2}! 20 task-api-7 waits {2}<.*\b14 task-api-1◐.*> C-b w: tree$/.test(
        await status(),
      ),
    )
    // The window's number leads there.
    await tmux('select-window', '-t', '=exomonad:5')
    await waitFor('it', async () => (await status()).startsWith(' task-web-2 ◐ running'))
  })

  it('shows all of them as a tree, each below its parent, and leads to the one that is chosen', async () => {
    const agents = await openTwenty()
    await show(agents.get('main.web') ?? ({} as Opened), 'main.web', 'approve')
    attach(agents.get('main') ?? ({} as Opened), 60)
    await waitFor('the screen', async () => (await rows())[0] === 'here')
    await person?.type('\u0002w', { paste: false })
    const seen = await waitFor('the tree', async () => {
      const tree = await rows()
      return tree.some((row) => row.includes('task-web-8')) && tree
    })
    const texts = seen
      .filter((row) => /[├└]─>/.test(row))
      .map((row) => row.replace(/^.*?─> \d+: /, ''))
    expect(texts.slice(0, 5)).toEqual([
      'exomonad',
      'main ◐ running',
      '  api ◐ running',
      '    task-api-0 ◐ running',
      '    task-api-1 ◐ running',
    ])
    expect(texts).toContain('  web ◐ running ! approve')
    expect(texts.indexOf('  web ◐ running ! approve')).toBe(
      texts.indexOf('    task-web-0 ◐ running') - 1,
    )
  })

  it('reports what it shows, so that nobody has to show it twice', async () => {
    const pane = await bench.open({ argv: ['/bin/cat'] })
    expect((await bench.multiplexer.inspect(pane.paneId))?.shown).toBe('')
    await show(pane, 'main.api', 'asks')
    expect((await bench.another().inspect(pane.paneId))?.shown).toBe('api|◐ running|asks|1')
  })
}

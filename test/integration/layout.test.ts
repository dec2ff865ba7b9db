import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { createHostedTerminal } from '../../src/adapters/multiplexer/headless/hosted-terminal.ts'
import { repositoryHash } from '../../src/paths.ts'
import { runProgram, startExomonad, type Exomonad } from '../helpers/daemon.ts'
import { describeWith } from '../helpers/require-tool.ts'
import { waitFor } from '../helpers/wait-for.ts'

/** What a person sees in tmux: who shares a window with whom, and what panes are called. */

const tmuxOf =
  (tree: Exomonad) =>
  async (...args: string[]): Promise<string> =>
    (await runProgram('tmux', ['-u', '-L', `exomonad-${repositoryHash(dirname(tree.state))}`, ...args], { env: tree.repository.env })).stdout.trimEnd()

/** Which agents share a window, by their names: `lead scout`. */
const windows = async (tree: Exomonad): Promise<string[]> => {
  const byId = new Map<string, string>()
  for (const node of flatten((await tree.tree()).root)) byId.set(node.id, node.name)
  const rows = (await tmuxOf(tree)('list-panes', '-a', '-f', '#{!=:#{@agent_id},}', '-F', '#{window_id} #{@agent_id}')).split('\n').filter((row) => row !== '')
  const shared = Map.groupBy(rows, (row) => row.split(' ')[0])
  return [...shared.values()].map((panes) => panes.map((row) => byId.get(row.split(' ')[1] ?? '')).join(' ')).toSorted()
}
const flatten = (node: any): any[] => [node, ...node.children.flatMap(flatten)]
const names = async (tree: Exomonad): Promise<string[]> =>
  (await tmuxOf(tree)('list-panes', '-a', '-f', '#{!=:#{@agent_id},}', '-F', '#{@name}')).split('\n').toSorted()
const called = (tree: Exomonad, name: string) => waitFor(`a pane called ${name}`, async () => (await names(tree)).includes(name))
const ready = (tree: Exomonad, name: string) => tree.logged(name, 'its start', (entry) => entry['kind'] === 'ready')

describeWith(['tmux'], 'the layout in tmux', () => {
  it('pane-per-worker: workers and forks open in the window of their parent, also when they are started again; names follow the states', async () => {
    const tree = await startExomonad({ multiplexer: 'tmux', config: 'layout = "pane-per-worker"\n' })
    onTestFinished(() => tree.stop())
    const gate = join(tree.scripts, 'gate')
    tree.script('index', {
      steps: [
        { do: 'file', path: gate },
        { do: 'complete', success: true, summary: 'done' },
      ],
    })
    await tree.call('up', { task: 'Lead all.' })
    await tree.call('spawn', { kind: 'subtree', specs: [{ name: 'lead', prompt: 'Lead.' }], dry_run: false })
    await tree.call('spawn_workers', { specs: ['index', 'query'].map((name) => ({ name, prompt: 'Work.' })) }, { as: 'lead' })
    await tree.call('fork', { name: 'scout', prompt: 'Look.' }, { as: 'lead' })
    await tree.call('spawn_workers', { specs: [{ name: 'top', prompt: 'Work.' }] })
    await Promise.all(['root', 'lead', 'query', 'scout', 'top'].map((name) => ready(tree, name)))
    expect(await windows(tree)).toEqual(['lead index query scout', 'root top'])

    const idle = ['main ○ idle', 'main.lead ○ idle', 'main.lead.query ○ idle', 'main.lead (scout) ○ idle', 'main.top ○ idle']
    for (const name of idle) await called(tree, name)
    await called(tree, 'main.lead.index ◐ running')
    writeFileSync(gate, '')
    await called(tree, 'main.lead.index ✓ done')
    const { pane, id } = await tree.agent('lead')
    // It was told, and idles again.
    await tree.logged('lead', 'the end of its worker', ({ kind, text }) => kind === 'message' && /CHILD COMPLETE/.test(text))
    const settled = ['main ○ idle', 'main.lead (scout) ○ idle', 'main.lead ○ idle', 'main.lead.index ✓ done', 'main.lead.query ○ idle', 'main.top ○ idle']
    await waitFor('all to idle', async () => (await names(tree)).join() === settled.toSorted().join())
    expect(await tmuxOf(tree)('display-message', '-p', '-t', pane, '#{window_name}')).toBe('main.lead ○ idle')

    // A person who attaches to one of several panes is in that one.
    const query = await tree.agent('query')
    const { argv } = await tree.call('attach', { agent: 'query' })
    expect(argv.at(-1)).toMatch(new RegExp(`\\.${query.pane}$`))
    const person = createHostedTerminal({
      argv,
      cwd: '/',
      env: { ...tree.repository.env, TERM: 'xterm-256color' },
      columns: 200,
      rows: 51,
      onOutput: () => undefined,
    })
    try {
      await waitFor('the names of all four', async () => {
        const screen = await person.capture(0)
        return ['main.lead ○', 'main.lead.index ✓', 'main.lead.query ○', 'main.lead (scout) ○'].every((name) => screen.includes(name))
      })
      expect(await tmuxOf(tree)('display-message', '-p', '-t', query.pane, '#{window_active}#{pane_active}')).toBe('11')
    } finally {
      person.dispose()
    }

    // A daemon that was killed: the next one takes panes and names as they are, and goes on with them.
    await tree.crash()
    expect((await tree.agent('lead')).pane).toBe(pane)
    expect(await names(tree)).toEqual(settled.toSorted())
    process.kill((await tree.agent('query')).pid, 'SIGKILL')
    await waitFor('query to fail', async () => (await tree.agent('query')).state === 'failed')
    await waitFor('its pane to go, or to say so', async () =>
      (await names(tree)).every((name) => !name.startsWith('main.lead.query') || name.endsWith('✗ failed')),
    )
    await tree.call('resume', { agent: 'query' })
    await called(tree, 'main.lead.query ○ idle')
    expect(await windows(tree)).toEqual(['lead index scout query', 'root top'])

    // The parent goes, its workers stay where they are.
    await tmuxOf(tree)('kill-pane', '-t', pane)
    await waitFor('lead to fail', async () => (await tree.agent('lead')).state === 'failed')
    expect(await windows(tree)).toEqual(['index scout query', 'root top'])
    await tree.call('resume', { agent: id })
    expect(await windows(tree)).toEqual(['index scout query', 'lead', 'root top'])
  })

  it('window-per-agent: every agent has a window of its own, called as its pane is', async () => {
    const tree = await startExomonad({ multiplexer: 'tmux' })
    onTestFinished(() => tree.stop())
    await tree.call('up', { task: 'Lead all.' })
    await tree.call('spawn_workers', { specs: ['index', 'query'].map((name) => ({ name, prompt: 'Work.' })) })
    await Promise.all(['root', 'index', 'query'].map((name) => ready(tree, name)))
    expect(await windows(tree)).toEqual(['index', 'query', 'root'])
    for (const name of ['main', 'main.index', 'main.query']) await called(tree, `${name} ○ idle`)
    const shown = (await tmuxOf(tree)('list-windows', '-t', '=exomonad', '-F', '#{window_name}')).split('\n')
    expect(shown.toSorted()).toEqual(['exomonad', 'main ○ idle', 'main.index ○ idle', 'main.query ○ idle'].toSorted())
  })
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHostedTerminal } from '../../../src/adapters/terminals/detached/hosted-terminal.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { layoutIn, sharing } from '../../helpers/terminals/layout.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { whyNoZellij } from '../../helpers/terminals/zellij.ts'

/**
 * What a person sees in tmux and in Zellij: who shares a window (tab) with whom, and what panes are
 * called.
 */

const ready = (tree: Exomonad, name: string) =>
  tree.logged(name, 'its start', (entry) => entry['kind'] === 'ready')

function describeLayout(kind: 'tmux' | 'zellij'): void {
  const layout = layoutIn[kind]
  const windows = (tree: Exomonad): Promise<string[]> => sharing(layout, tree)
  /** The two workers, spawned at once, open in any order; in Zellij all do. */
  const opened = (windows: readonly string[]): string[] =>
    kind === 'tmux'
      ? windows.map((row) => row.replace('query index', 'index query'))
      : windows.map((row) => row.split(' ').toSorted().join(' ')).toSorted()
  const names = async (tree: Exomonad): Promise<string[]> =>
    (await layout.panes(tree)).map(({ name }) => name).toSorted()
  const called = (tree: Exomonad, name: string) =>
    waitFor(`a pane called ${name}`, async () => {
      const all = await names(tree)
      if (!all.includes(name)) throw new Error(all.join())
      return true
    })
  it('pane-per-worker: workers and forks open in the window of their parent, also when they are started again; names follow the states', async () => {
    const tree = await startExomonad({ multiplexer: kind, config: 'layout = "pane-per-worker"\n' })
    onTestFinished(() => tree.stop())
    const gate = join(tree.scripts, 'gate')
    tree.script('index', {
      steps: [
        { do: 'file', path: gate },
        { do: 'complete', success: true, summary: 'done' },
      ],
    })
    await tree.call('up', { task: 'Lead all.' })
    await tree.call('spawn', {
      kind: 'subtree',
      specs: [{ name: 'lead', prompt: 'Lead.' }],
      dry_run: false,
    })
    await tree.call(
      'spawn_workers',
      { specs: ['index', 'query'].map((name) => ({ name, prompt: 'Work.' })) },
      { as: 'lead' },
    )
    await tree.call('fork', { name: 'scout', prompt: 'Look.' }, { as: 'lead' })
    await tree.call('spawn_workers', { specs: [{ name: 'top', prompt: 'Work.' }] })
    await Promise.all(['root', 'lead', 'query', 'scout', 'top'].map((name) => ready(tree, name)))
    await waitFor(
      'all in their places',
      async () =>
        expect(opened(await windows(tree))).toEqual(
          opened(['lead index query scout', 'root top']),
        ) ?? true,
    )

    const idle = [
      'main ○ idle',
      'main.lead ○ idle',
      'main.lead.query ○ idle',
      'main.lead (scout) ○ idle',
      'main.top ○ idle',
    ]
    for (const name of idle) await called(tree, name)
    await called(tree, 'main.lead.index ◐ running')
    writeFileSync(gate, '')
    await called(tree, 'main.lead.index ✓ done')
    const { pane, id } = await tree.agent('lead')
    // Each is woken by its children that rest or are done, at once or one after the other.
    const told = (name: string, text: string) =>
      tree.logged(
        name,
        text,
        (entry) => entry.kind === 'message' && String(entry['text']).includes(text),
      )
    await told('lead', '[CHILD COMPLETE] index')
    for (const child of ['query', 'scout']) await told('lead', `[CHILD IDLE] ${child} `)
    for (const child of ['top', 'lead']) await told('root', `[CHILD IDLE] ${child} `)
    // What the last of them wakes is on its way by then.
    let quiet = 0
    await waitFor('all to rest, with nothing to read', async () => {
      const rest = (node: any): boolean =>
        ['idle', 'done'].includes(node.state) && node.undelivered === 0 && node.children.every(rest)
      quiet = rest((await tree.tree()).root) ? quiet + 1 : 0
      return quiet === 5
    })
    const settled = [
      'main ○ idle',
      'main.lead (scout) ○ idle',
      'main.lead ○ idle',
      'main.lead.index ✓ done',
      'main.lead.query ○ idle',
      'main.top ○ idle',
    ]
    await waitFor(
      'all to idle',
      async () => (await names(tree)).join() === settled.toSorted().join(),
    )
    const windowName = async () =>
      (await layout.panes(tree)).find(({ agentId }) => agentId === id)?.windowName
    await waitFor(
      'its window to be called so',
      async () => (await windowName()) === 'main.lead ○ idle',
    )

    // A person who attaches to one of several panes is in that one.
    const query = await tree.agent('query')
    const { argv } = await tree.call('attach', { agent: 'query' })
    if (kind === 'tmux') expect(argv.at(-1)).toMatch(new RegExp(`(^|\\.)${query.pane}$`))
    const person = createHostedTerminal({
      argv,
      cwd: '/',
      // Zellij keeps its log in the temporary folder.
      env: { ...tree.repository.env, TERM: 'xterm-256color', TMPDIR: tree.repository.folder },
      columns: 200,
      rows: 51,
      onOutput: () => undefined,
    })
    try {
      let screen = ''
      await waitFor('the names of all four', async () => {
        screen = await person.capture(0)
        return [
          'main.lead ○',
          'main.lead.index ✓',
          'main.lead.query ○',
          'main.lead (scout) ○',
        ].every((name) => screen.includes(name))
      }).catch((error: unknown) => {
        throw new Error(`The person sees:\n${screen}`, { cause: error })
      })
      await waitFor('the person to be in front of it', () => layout.isInFront(tree, query.pane))
    } finally {
      person.dispose()
    }

    // A daemon that was killed: the next one takes panes and names as they are, and goes on with
    // them.
    await tree.crash()
    expect((await tree.agent('lead')).pane).toBe(pane)
    expect(await names(tree)).toEqual(settled.toSorted())
    process.kill((await tree.agent('query')).pid, 'SIGKILL')
    await waitFor('query to fail', async () => (await tree.agent('query')).state === 'failed')
    await waitFor('its pane to go, or to say so', async () =>
      (await names(tree)).every(
        (name) => !name.startsWith('main.lead.query') || name.endsWith('✗ failed'),
      ),
    )
    await tree.call('resume', { agent: 'query' })
    await called(tree, 'main.lead.query ○ idle')
    await waitFor(
      'all in their places',
      async () =>
        expect(opened(await windows(tree))).toEqual(
          opened(['lead index scout query', 'root top']),
        ) ?? true,
    )

    // The parent goes, its workers stay where they are.
    await layout.close(tree, pane)
    await waitFor('lead to fail', async () => (await tree.agent('lead')).state === 'failed')
    await waitFor(
      'all in their places',
      async () =>
        expect(opened(await windows(tree))).toEqual(opened(['index scout query', 'root top'])) ??
        true,
    )
    await tree.call('resume', { agent: id })
    await waitFor(
      'all in their places',
      async () =>
        expect(opened(await windows(tree))).toEqual(
          opened(['index scout query', 'lead', 'root top']),
        ) ?? true,
    )
  })

  it('window-per-agent: every agent has a window of its own, called as its pane is', async () => {
    const tree = await startExomonad({ multiplexer: kind })
    onTestFinished(() => tree.stop())
    await tree.call('up', { task: 'Lead all.' })
    await tree.call('spawn_workers', {
      specs: ['index', 'query'].map((name) => ({ name, prompt: 'Work.' })),
    })
    await Promise.all(['root', 'index', 'query'].map((name) => ready(tree, name)))
    await waitFor(
      'all in their places',
      async () =>
        expect(opened(await windows(tree))).toEqual(opened(['index', 'query', 'root'])) ?? true,
    )
    for (const name of ['main', 'main.index', 'main.query']) await called(tree, `${name} ○ idle`)
    // What an agent receives may make it run once more.
    const all = ['exomonad', 'main ○ idle', 'main.index ○ idle', 'main.query ○ idle']
      .toSorted()
      .join()
    await waitFor(
      `windows called ${all}`,
      async () => (await layout.windowNames(tree)).toSorted().join() === all,
    )
  })
}

describeWith(['tmux'], 'the layout in tmux', () => describeLayout('tmux'))

const reason = whyNoZellij()
// A process for every command of Zellij’s, and a person who waits for it.
if (reason === null)
  describe('the layout in Zellij', { timeout: 240_000 }, () => describeLayout('zellij'))
else describe.skip(`the layout in Zellij (skipped: ${reason})`, () => undefined)

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newAgentId, type PaneId } from '../../../src/domain/ids.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { useViewerBench, type HolderKind, type ViewerBench } from './bench.ts'

type Other = ReturnType<ViewerBench['another']>

/** What a viewer does that has much to do, or answers late. */
export function describeBusyViewer(kind: HolderKind): void {
  const bench = useViewerBench(kind)
  const cat = (name: string) => ({
    ...{ agentId: newAgentId(), name, cwd: bench.folder, env: {}, argv: ['/bin/cat'] },
    ...{ columns: 200, rows: 50 },
  })
  const asked = (): string => join(bench.folder, 'asked')
  const timesAsked = (): number => readFileSync(asked(), 'utf8').match(/new-tab/g)?.length ?? 0
  const open = async (other: Other): Promise<PaneId[]> => {
    const agents = await Promise.all(['one', 'two', 'three'].map((name) => other.open(cat(name))))
    return agents.map(({ paneId }) => paneId)
  }
  const ask = async (other: Other): Promise<PaneId[]> => {
    const { paneId } = await bench.holder.open(cat('one'))
    expect(await other.show(paneId)).toEqual(bench.holder.attachCommand(paneId))
    while (timesAsked() < 2) await other.show(paneId)
    return [paneId]
  }

  const lateOnes = [
    // None before the third was asked for, and one of them seconds after; the next two never.
    { asked: 'and says that it does not', by: open, lates: 3, never: 2, answer: 'exit 1' },
    { asked: 'and says that it did', by: open, lates: 1, never: 0, answer: 'echo 1; exit 0' },
    { asked: 'by a person', by: ask, lates: 1, never: 0, answer: 'echo 1; exit 0' },
  ]
  // A second client of tmux's for the same view ends by itself, whoever asked for it.
  it.each(kind === 'headless' ? lateOnes : lateOnes.slice(0, 1))(
    'shows each once, also where Zellij does late what it was asked, $asked',
    async (how) => {
      const binary = join(bench.folder, 'late-zellij')
      const times = `$(grep -c new-tab '${asked()}')`
      const words = `echo "$*" >> '${asked()}'; n=${times}; [ $n -gt ${how.lates + how.never} ] && exec zellij "$@"; case "$*" in *new-tab*)`
      const again = `i=0; until [ ${times} -ge ${Math.max(2, how.lates)} ] || [ $i -gt 400 ]; do i=$((i + 1)); sleep 0.1; done`
      // While Zellij is busy its answer may reach somebody else, or it says that there is no session.
      const late = `[ $n -le ${how.lates} ] && (${again}; sleep $([ $n = 1 ] && echo 4 || echo 1); for i in 1 2 3 4 5; do timeout 20 zellij "$@"; said=$?; [ $said = 0 ] || [ $said = 124 ] && break; sleep 1; done; echo "done late" >> '${asked()}') > /dev/null 2>&1 & echo "not now" >&2; ${how.answer}`
      writeFileSync(binary, `#!/bin/sh\n${words} ${late};; esac\nexec zellij "$@"\n`, {
        mode: 0o700,
      })
      const other = bench.another({ binary })
      await other.start()
      const shown = await how.by(other)
      await other.settled()
      // Zellij may be later still than the answer was: what comes then is closed beside other work.
      await waitFor(
        'all that was asked late',
        () => (readFileSync(asked(), 'utf8').match(/^done late$/gm)?.length ?? 0) >= how.lates,
      )
      if (kind === 'headless')
        await waitFor('what it shows twice to be closed', () =>
          readFileSync(asked(), 'utf8').includes('close-pane'),
        )
      for (const paneId of shown)
        await waitFor('one view of each', async () => (await bench.views(paneId)).length === 1, {
          limit: 60_000,
        })
      expect(timesAsked()).toBeGreaterThan(1)
    },
    240_000,
  )

  it('closes what it finds shown twice', async () => {
    const { paneId } = await bench.open({ name: 'one', argv: ['/bin/cat'] })
    const { id } = await bench.isShown(paneId)
    const twice = ['/bin/sh', '-c', 'exec "$@"', `exomonad:${paneId}`, '/bin/cat']
    await bench.zellij('new-pane', '--', ...twice)
    await waitFor('both', async () => (await bench.views(paneId)).length === 2)
    const other = bench.another()
    await other.start()
    await other.open(cat('two'))
    await waitFor('one view', async () => (await bench.views(paneId)).length === 1)
    expect((await bench.views(paneId))[0]?.id).toBe(id)
  })

  it('shows a hundred, which leave the list of panes as it is', async () => {
    const agents = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        bench.open({ name: `a${index}`, argv: ['/bin/cat'] }),
      ),
    )
    await bench.viewer.settled()
    const expected = agents.map(({ paneId }) => String(paneId)).toSorted()
    const tabs = await waitFor('all of them', async () => {
      const names = (await bench.zellij('query-tab-names'))
        .split('\n')
        .filter((name) => /^a\d+$/.test(name))
      if (names.length !== 100) throw new Error(`${String(names.length)}: ${names.join(' ')}`)
      return names
    })
    expect(new Set(tabs).size).toBe(100)
    expect((await bench.holder.list()).map(({ paneId }) => String(paneId)).toSorted()).toEqual(
      expected,
    )
    for (const { paneId, agentId } of [agents[0], agents[99]].flatMap((agent) => agent ?? []))
      expect(await bench.holder.inspect(paneId)).toMatchObject({
        agentId,
        dead: false,
        humanActiveAt: null,
      })
  }, 120_000)
}

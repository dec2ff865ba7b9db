import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runProgram, type RunResult } from '../../helpers/daemon.ts'
import { demoEndTree } from '../../helpers/demo-end.ts'
import { processesOf } from '../../helpers/demo.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { demo, LIMIT, place } from '../../helpers/own-demo.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

describeWith(['tmux'], 'the demo, in tmux', () => {
  it(
    verifies(
      'R004-04',
      verifies(
        'R004-10',
        verifies(
          'R004-11',
          verifies(
            'R004-14',
            verifies('R004-17', 'shows the whole course, stays with --keep, and goes as it says'),
          ),
        ),
      ),
    ),
    async () => {
      const own = place()
      const run = await demo(own, '--json', '--keep', '--multiplexer', 'tmux')
      const repository: string = run.json?.repo ?? ''
      const wrapper = join(repository, '..', 'exomonad')
      const exomonad = (...args: string[]): Promise<RunResult> =>
        runProgram(wrapper, args, { cwd: repository, env: own.env })
      onTestFinished(async () => void (await exomonad('down')))

      expect(run.stderr).toBe('')
      expect(run.json).toMatchObject({
        ok: true,
        root_branch: 'main',
        agents: 6,
        prs_merged: 6,
        failed_deliveries: 0,
      })
      expect(run.code).toBe(0)
      expect(Object.keys(run.json)).toEqual([
        'ok',
        'repo',
        'root_branch',
        'agents',
        'prs_merged',
        'events',
        'failed_deliveries',
        'elapsed_ms',
      ])

      const listed = await exomonad('events', '--json', '--since', '1h')
      const events: any[] = Array.isArray(listed.json)
        ? listed.json
        : (listed.json?.events ??
          listed.stdout
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)))
      const tree = (await exomonad('tree', '--json')).json
      const nodes = [
        tree.root,
        ...tree.root.children,
        ...tree.root.children.flatMap((child: any) => child.children),
      ]
      const id = (name: string): string => nodes.find((node: any) => node.name === name).id
      const of = (type: string, test: (event: any) => boolean = () => true): any[] =>
        events.filter((event) => event.type === type && test(event))
      const about = (name: string) => (event: any) => event.agentId === id(name)

      // The shape of the tree, and who made it.
      expect(
        of('agent.spawned').map(({ payload, actor }) => [
          payload.name,
          payload.kind,
          nodes.find((node: any) => node.id === actor)?.name,
        ]),
      ).toEqual(
        expect.arrayContaining(
          [
            ['time', 'subtree', 'root'],
            ['recurrence', 'worker', 'root'],
            ['table', 'worker', 'root'],
            ['duration', 'worker', 'time'],
            ['interval', 'worker', 'time'],
            ['planner', 'worker', 'time'],
          ].map(([name, kind, by]) => [name, kind, by === 'root' ? tree.root.name : by]),
        ),
      )
      // The planner was started when what it builds on had been merged.
      expect(of('agent.spawned', about('planner'))[0].seq).toBeGreaterThan(
        Math.max(
          ...of('pr.merged', ({ agentId }) =>
            [id('duration'), id('interval')].includes(agentId),
          ).map(({ seq }) => seq),
        ),
      )

      // A question, answered by the parent, used by the worker.
      const [asked] = of('question.asked', about('duration'))
      const [answered] = of(
        'question.answered',
        ({ payload }) => payload.question_id === asked.payload.question_id,
      )
      expect(answered.actor).toBe(id('time'))
      expect(readFileSync(join(repository, 'src', 'duration.ts'), 'utf8')).toMatch(
        /a bare[\s*]+number is refused/,
      )

      // What two siblings were about to do to each other, before either filed.
      const [foretold] = of(
        'conflict.foretold',
        ({ payload }) => [payload.name, payload.other].toSorted().join() === 'duration,interval',
      )
      expect(foretold.payload.files.map(({ path }: any) => path)).toEqual(['src/duration.ts'])
      for (const name of ['duration', 'interval'])
        expect(of('pr.opened', about(name))[0].seq).toBeGreaterThan(foretold.seq)
      expect(
        of('conflict.cleared', ({ payload }) => payload.pair === foretold.payload.pair),
      ).not.toEqual([])

      // A review with comments on lines, and the fix.
      const [review] = of(
        'pr.review',
        (event) => about('interval')(event) && event.payload.state === 'changes_requested',
      )
      expect(review.payload.comments.map(({ path, line }: any) => [path, line])).toEqual([
        ['src/interval.ts', 15],
        ['src/interval.ts', 16],
      ])
      expect(
        of(
          'pr.pushed',
          (event) =>
            about('interval')(event) &&
            event.payload.after_changes_requested &&
            event.seq > review.seq,
        ),
      ).not.toEqual([])
      expect(readFileSync(join(repository, 'src', 'interval.ts'), 'utf8')).toContain(
        'intervals.toSorted(',
      )

      // Checks: red, then green.
      const [failed] = of('ci.failed', about('table'))
      expect(failed.payload.jobs[0].log).toContain('Broken: test/text.test.ts')
      expect(
        of('ci.passed', (event) => about('table')(event) && event.seq > failed.seq),
      ).not.toEqual([])

      // The sibling that merged first, and the rebase by the stop check.
      const [merged] = of('pr.merged', about('duration'))
      // Not its first rebase where what is beside its lead was merged earlier still.
      const [rebased] = of(
        'rebase.done',
        (event) => about('interval')(event) && event.seq > merged.seq,
      )
      expect(rebased).toMatchObject({ actor: 'daemon', payload: { base: 'main.time' } })

      // A conflict, left in progress, resolved by the agent.
      const [conflict] = of('rebase.conflict', about('table'))
      expect(conflict.payload.files).toEqual(['src/index.ts'])
      const [resolved] = of(
        'rebase.done',
        (event) => about('table')(event) && event.seq > conflict.seq,
      )
      expect(resolved.actor).toBe(id('table'))
      expect(of('rebase.aborted')).toEqual([])
      expect(readFileSync(join(repository, 'src', 'index.ts'), 'utf8')).toMatch(
        /recurrence\.ts'\n.*table\.ts'\n$/,
      )

      // Who merged what.
      expect(of('pr.merged').map(({ payload, actor }) => [payload.base, actor])).toEqual(
        expect.arrayContaining([
          ['main.time', id('time')],
          ['main', tree.root.id],
        ]),
      )
      const git = (...args: string[]): string =>
        execFileSync('git', args, { cwd: repository, encoding: 'utf8', env: own.env })
      const parents = git('log', '--format=%p|%an|%s', 'main').trimEnd().split('\n')
      expect(parents.filter((line) => line.split('|')[0]!.includes(' '))).toHaveLength(1)
      expect(new Set(parents.map((line) => line.split('|')[1]))).toEqual(
        expect.objectContaining(
          new Set(['duration', 'interval', 'planner', 'recurrence', 'table']),
        ),
      )
      expect(of('delivery.acked').length).toBeGreaterThan(10)

      expect(git('rev-parse', 'main^{tree}').trim()).toBe(demoEndTree())

      expect((await exomonad('down')).code).toBe(0)
      await waitFor('processes to end', () => processesOf(own.folder).length === 0)
      expect(existsSync(join(repository, 'src', 'table.ts'))).toBe(true)
    },
    LIMIT + 30_000,
  )
})

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openGit } from '../src/adapters/git/open.ts'
import type { WorktreeSnapshot } from '../src/adapters/git/radar/radar-git.ts'
import { inspectRepository } from '../src/adapters/git/repository.ts'
import { createJudge, type Sides, type Verdict } from '../src/core/radar/judge.ts'
import { pairsOf, type Member } from '../src/core/radar/pairs.ts'
import { createResting } from '../src/core/radar/resting.ts'
import { createForkServer } from '../src/processes/fork-server/fork-server.ts'
import { RADAR_FOLDER } from '../src/runtime/paths.ts'
import { asBranchName, newAgentId, type AgentId, type Sha } from '../src/domain/ids.ts'
import { tempRepository } from '../test/helpers/temp-repository.ts'
import { atMost, median, type Figure } from './figures.ts'
import { cpuWithChildren, cpuWithLivingChildren } from './mail/process-cost.ts'
import { agentRow } from './rows.ts'

const FILES = 2_000
const AGENTS = 20
/** How often a change of one of them is judged. */
const TIMES = 20
/** `[radar] interval`, milliseconds. */
const INTERVAL = 30_000
/** Looks at all in which nothing changed. */
const LOOKS = 12
const ROW = Array.from({ length: 60 }, (_, line) => `line ${line}`)

/**
 * Twenty siblings in a repository of 2,000 files, each with work of its own: a snapshot of one that
 * changed a file, that judged against all others and the base, and a look at all.
 */
export async function measureRadar(): Promise<Figure[]> {
  const repository = await tempRepository({
    files: Object.fromEntries(
      Array.from({ length: FILES }, (_, index) => [
        `packages/p${index % 40}/src/f${index}.ts`,
        `${ROW.join('\n')}\n${index}\n`,
      ]),
    ),
  })
  const { exec, dispose } = createForkServer()
  try {
    const { commonDir } = await inspectRepository(repository.path, repository.env)
    // As the daemon has it: who starts a process is copied for it first.
    const git = openGit({ commonDir, environment: repository.env, exec })
    const base = (await git.resolve('HEAD'))!
    const parentId = newAgentId()
    const change = (member: Member, file: number, text: string): void => {
      const path = join(member.worktree, `packages/p${file % 40}/src/f${file}.ts`)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `${ROW.with(file % 60, text).join('\n')}\n${file}\n`)
    }
    const members: Member[] = []
    for (let index = 0; index < AGENTS; index += 1) {
      const name = `a${index}`
      const worktree = join(repository.folder, name)
      const branch = asBranchName(`main.${name}`)
      await git.addWorktree({ path: worktree, branch, create: true, at: base })
      const member = agentRow({ name, kind: 'worker', parentId, depth: 1, worktree, branch })
      // Ten files of its own, and two in which neighbours work as well.
      for (let own = 0; own < 10; own += 1) change(member, index * 40 + own, name)
      for (const shared of [index, index + 1]) change(member, 1_900 + shared, name)
      members.push(member)
    }
    const pairs = pairsOf(members)
    const judge = createJudge({ git })
    const snapshots = new Map<AgentId, WorktreeSnapshot>()
    const look = async (member: Member): Promise<number> => {
      const begun = performance.now()
      const found = await git.snapshotWorktree(member.worktree, snapshots.get(member.id))
      if (found.kind !== 'taken') throw new Error(found.why)
      snapshots.set(member.id, found)
      return performance.now() - begun
    }
    const tree = (await git.treesOf([base])).get(base)!
    const sides: Sides = ({ a, b }) => [
      snapshots.get(a.id)!,
      b === null ? { commit: base, head: base, tree } : snapshots.get(b.id)!,
    ]
    for (const member of members) await look(member)
    let verdicts: ReadonlyMap<string, Verdict> = await judge.judge(pairs, sides, new Map())

    const taken: number[] = []
    const judged: number[] = []
    let [takenCpu, judgedCpu] = [0, 0]
    for (let round = 0; round < TIMES; round += 1) {
      const member = members[round % AGENTS]!
      change(member, 1_900 + (round % AGENTS), `round ${round}`)
      const cpu = cpuWithLivingChildren()
      taken.push(await look(member))
      takenCpu += cpuWithLivingChildren() - cpu
      const begun = performance.now()
      verdicts = await judge.judge(pairs, sides, verdicts)
      judged.push(performance.now() - begun)
      judgedCpu += cpuWithLivingChildren() - cpu
    }

    const allOf = async (): Promise<number> => {
      const begun = performance.now()
      for (const member of members) await look(member)
      verdicts = await judge.judge(pairs, sides, verdicts)
      return performance.now() - begun
    }
    const cpuBefore = cpuWithLivingChildren()
    const resting = createResting({ git })
    for (let round = 0; round < LOOKS; round += 1) {
      for (const member of members) {
        // As by the clock.
        if (await resting.isSpared(member, snapshots)) continue
        await look(member)
        resting.looked(new Set([member.id]))
      }
      verdicts = await judge.judge(pairs, sides, verdicts)
    }
    const still = (cpuWithLivingChildren() - cpuBefore) / LOOKS
    for (const [index, member] of members.entries()) change(member, index * 40, 'all at once')
    const busy = await allOf()

    const merging = (wanted: readonly (readonly [Sha, Sha])[]): number => {
      const begun = performance.now()
      execFileSync('git', ['merge-tree', '--write-tree', '--stdin', '--name-only', '-z'], {
        cwd: repository.path,
        env: {
          ...repository.env,
          GIT_ALTERNATE_OBJECT_DIRECTORIES: join(commonDir, RADAR_FOLDER, 'objects'),
        },
        input: wanted.map(([one, other]) => `${one} ${other}\n`).join(''),
      })
      return performance.now() - begun
    }
    const commits = members.map(({ id }) => snapshots.get(id)!.commit)
    const everyPair = commits.flatMap((one, index) =>
      commits.slice(index + 1).map((other) => [one, other] as const),
    )
    const floorOfOne = median(
      commits.map((one, index) =>
        merging(commits.flatMap((other, at) => (at === index ? [] : [[one, other] as const]))),
      ),
    )
    const floorOfAll = merging(everyPair)
    const statusBefore = cpuWithChildren()
    const status = median(
      members.map(({ worktree }) => {
        const begun = performance.now()
        execFileSync('git', ['status', '--porcelain'], { cwd: worktree, env: repository.env })
        return performance.now() - begun
      }),
    )
    const statusCpu = cpuWithChildren() - statusBefore
    const share = (spent: number): number => (100 * spent) / INTERVAL
    const figure = (
      name: string,
      unit: Figure['unit'],
      value: number,
      floorName: string,
      floor: number,
      limit: number,
      samples: number,
    ): Figure => ({
      name: `radar, ${AGENTS} siblings, ${FILES} files: ${name}`,
      ...{ unit, value, floorName, floor, target: atMost(limit, unit, value), samples },
    })
    return [
      figure(
        'snapshot of a worktree that changed',
        'ms',
        median(taken),
        'git status',
        status,
        30,
        TIMES,
      ),
      figure(
        'a change judged against all others and the base',
        'ms',
        median(judged),
        `git merge-tree of the ${AGENTS - 1} pairs`,
        floorOfOne,
        50,
        TIMES,
      ),
      {
        name: `radar, ${AGENTS} siblings, ${FILES} files: the same two, CPU`,
        ...{ unit: 'ms', value: judgedCpu / TIMES, target: null, samples: TIMES },
        ...{ floorName: 'of it the snapshot', floor: takenCpu / TIMES },
      },
      figure(
        'a look at all, each of which changed',
        'ms',
        busy,
        `git merge-tree of the ${everyPair.length} pairs`,
        floorOfAll,
        1_500,
        1,
      ),
      figure(
        'CPU of one processor, all at work and none changed anything',
        '%',
        share(still),
        'git status of each',
        share(statusCpu),
        1,
        LOOKS,
      ),
    ]
  } finally {
    dispose()
    repository.remove()
  }
}

import { dirname, join } from 'node:path'
import { ExomonadError } from '../../domain/errors.ts'
import type { AgentId } from '../../domain/ids.ts'
import {
  boundText,
  LIMITS,
  type Bounds,
  type LimitName,
} from '../../domain/formats/resource-limits.ts'
import { readOwnGroups } from '../../processes/control-groups.ts'
import type { Exec } from '../../processes/exec.ts'
import { findGroups1, findGroups2, type TryJoin } from './find-groups.ts'
import { countsOf, isEmpty, makeGroup, removeEmpty, removeGroup, type Group } from './groups.ts'
import type { Behind, Limits } from './limits.ts'
import { partly, processOptions, refusal } from './of-process.ts'
import { parseOwnGroups } from './own-groups.ts'
import { createRecords, type LimitRecord } from './records.ts'
import { createSlices, sliceName } from './slices.ts'
import { watchCounts } from './watch-counts.ts'
import { choose, type Scope, type Tried, type Way, type Ways } from './ways.ts'

const TRY_LIMIT = 10_000
const NO_BOUND = { value: 0, key: 'limits' }

const FIX =
  'Start the daemon where it has a control group of its own (docs/security.md, “Limits”), or remove the key.'

/** Holds agents by what this machine has: control groups, systemd, or each process by itself. */
export function createLimits(options: {
  /** Where records go. Absolute. */
  readonly folder: string
  /** What groups of this repository are called. */
  readonly name: string
  /** Absolute path of hooks/limited.sh. */
  readonly script: string
  readonly exec: Exec
  readonly path: string
  /** XDG_RUNTIME_DIR of the systemd user manager. */
  readonly runtime: string
  readonly platform: NodeJS.Platform
}): Limits {
  const { name, script, exec, path, runtime, platform } = options
  const records = createRecords(options.folder)
  const own = async () => {
    const texts = await readOwnGroups()
    return texts === null ? [] : parseOwnGroups(texts)
  }
  const slices = createSlices({ exec, path, runtime, own, name })
  let known: Ways | undefined
  const holding = new Set<AgentId>()

  let last: Promise<unknown> = Promise.resolve()
  /** Groups lie in one folder, which goes with the last of them. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }

  const behind = (given: readonly string[]): string[] => ['/bin/sh', script, ...given, '--']

  const tryOptions = async (...given: string[]): Promise<boolean> => {
    const { exitCode } = await exec('/bin/sh', [script, ...given, '--', 'true'], {
      env: { PATH: path, LC_ALL: 'C' },
      timeout: TRY_LIMIT,
    })
    return exitCode === 0
  }
  const tryJoin: TryJoin = (group) => tryOptions('--join', group)

  const tryProcess = async (): Promise<Tried> => {
    const way: Tried['way'] = {}
    if (platform === 'linux' && (await tryOptions('--data', String(4 * 1024 ** 2))))
      way.memory = { kind: 'process' }
    if (await tryOptions('--nice', '1')) way.cpu_weight = { kind: 'process' }
    return { way, reasons: [] }
  }

  const find = async (): Promise<Ways> => {
    const tried: Tried[] = []
    const ways: (() => Promise<Tried>)[] =
      platform === 'linux'
        ? [
            async () => findGroups2(await own(), name, tryJoin),
            () => slices.try((slice, scope) => tryOptions(...sliceOptions(slice, scope))),
            async () => findGroups1(await own(), name, tryJoin),
          ]
        : [
            async () => ({
              way: {},
              reasons: [`${platform} has no control groups`],
            }),
          ]
    for (const one of [...ways, tryProcess]) {
      tried.push(await one())
      const found = choose(tried)
      if (LIMITS.every((limit) => found.of[limit] !== undefined)) return found
    }
    return choose(tried)
  }

  /** What was missing may be there by now. */
  const waysOf = async (wanted: readonly LimitName[]): Promise<Ways> => {
    const isKnown = wanted.every((limit) => (known?.of[limit]?.kind ?? 'process') !== 'process')
    if (known === undefined || !isKnown) known = await find()
    return known
  }

  const refuse = (limit: LimitName, { value, key }: NonNullable<Bounds[LimitName]>, why: string) =>
    new ExomonadError(
      'LIMITS_UNAVAILABLE',
      `A ${boundText(limit, value)} (${key}) can’t be kept on this machine: ${why}. ${FIX}`,
      { limit, key },
    )

  const optionsOf = ({ groups, ofProcess, bounds }: LimitRecord): string[] => [
    ...groups.flatMap((group) =>
      group.slice === undefined ? ['--join', group.path] : sliceOptions(group.slice, group.scope),
    ),
    ...processOptions(ofProcess, bounds),
  ]

  const behindOf = (record: LimitRecord): Behind => ({
    argv: behind(optionsOf(record)),
    notices: record.ofProcess.flatMap((limit) => {
      const bound = record.bounds[limit]
      if (bound === undefined) return []
      const text = boundText(limit, bound.value)
      return [`The ${text} (${bound.key}) is kept in part: ${partly(limit, bound.value)}.`]
    }),
  })

  const removeOne = async (group: Group, kill: boolean): Promise<boolean> => {
    if (group.slice !== undefined) {
      // Of one that was not asked yet where it lies nobody knows who is in it.
      if (!kill && (group.path === '' || !(await isEmpty(group.path)))) return false
      return slices.stop(group.slice).then(
        () => true,
        () => false,
      )
    }
    const gone = await removeGroup(group.path, kill)
    if (gone) await removeEmpty(dirname(group.path))
    return gone
  }

  const release = async (id: AgentId, kill: boolean): Promise<boolean> => {
    const record = await records.read(id)
    const left: Group[] = []
    for (const group of [...(record?.groups ?? []), ...(record?.former ?? [])])
      if (!(await removeOne(group, kill))) left.push(group)
    if (left.length > 0) return false
    await records.remove(id)
    return true
  }

  /** What it is to be held by: nothing of it is made yet. */
  const plan = (
    id: AgentId,
    bounds: Bounds,
    ways: Ways,
  ): Pick<LimitRecord, 'groups' | 'ofProcess'> => {
    const groups = new Map<string, Group & { holds: LimitName[] }>()
    const ofProcess: LimitName[] = []
    for (const limit of LIMITS) {
      const bound = bounds[limit]
      if (bound === undefined) continue
      const way: Way | undefined = ways.of[limit]
      const no = way?.kind === 'process' ? refusal(limit, bound.value) : undefined
      if (way === undefined || no !== undefined)
        throw refuse(limit, bound, [...(no === undefined ? [] : [no]), ...ways.reasons].join('; '))
      if (way.kind === 'process') {
        ofProcess.push(limit)
        continue
      }
      const key = way.kind === 'slice' ? 'slice' : way.base
      const group = groups.get(key) ?? {
        path: way.kind === 'slice' ? '' : join(way.base, id),
        version: way.kind === 'slice' ? (2 as const) : way.version,
        holds: [],
        ...(way.kind === 'slice' ? { slice: sliceName(name, id), scope: way.scope } : {}),
      }
      group.holds.push(limit)
      groups.set(key, group)
    }
    return { groups: [...groups.values()], ofProcess }
  }

  const hold = async (id: AgentId, bounds: Bounds): Promise<Behind> => {
    const limits = LIMITS.filter((limit) => bounds[limit] !== undefined)
    const planned = plan(id, bounds, await waysOf(limits))
    await release(id, false)
    const before = await records.read(id)
    const isSame = (one: Group) => (other: Group) =>
      one.slice === undefined ? one.path === other.path : one.slice === other.slice
    const former = [...(before?.groups ?? []), ...(before?.former ?? [])].filter(
      (group) => !planned.groups.some(isSame(group)),
    )
    const record: LimitRecord = {
      bounds,
      ...planned,
      former,
      noted: before?.noted ?? { made: '' },
    }
    await records.write(id, record)
    try {
      for (const group of record.groups) {
        if (group.slice === undefined) await makeGroup(group, bounds)
        else group.path = await slices.make(group.slice, bounds)
      }
    } catch (error) {
      known = undefined
      await release(id, false)
      throw refuse(
        limits[0] ?? 'memory',
        bounds[limits[0] ?? 'memory'] ?? NO_BOUND,
        (error as Error).message,
      )
    }
    if (record.groups.some(({ slice }) => slice !== undefined)) await records.write(id, record)
    return behindOf(record)
  }

  return {
    probe: async () => {
      const { of, reasons } = await find()
      const held = Object.entries(of) as [LimitName, Way][]
      const isPart = ([, way]: [LimitName, Way]): boolean => way.kind === 'process'
      return {
        of: Object.fromEntries(
          held.filter((one) => !isPart(one)).map(([limit, way]) => [limit, wayText(way)]),
        ),
        partly: Object.fromEntries(
          held
            .filter(isPart)
            .map(([limit]) => [
              limit,
              limit === 'memory' ? partly(limit, 0) : 'it is kept as niceness, up to 100',
            ]),
        ),
        reasons,
      }
    },
    hold: (id, bounds) => {
      holding.add(id)
      return inTurn(() => hold(id, bounds)).finally(() => holding.delete(id))
    },
    join: async (id) => {
      const record = await records.read(id)
      if (record === undefined) return undefined
      return behindOf(record)
    },
    list: records.list,
    met: async (id) => {
      const record = await records.read(id)
      if (record === undefined) return undefined
      const found = await Promise.all(record.groups.filter(({ path }) => path !== '').map(countsOf))
      const there = found.flatMap((one) => one ?? [])
      if (there.length === 0) return undefined
      const made = there.map((one) => one.made).join(':')
      const { made: notedOf, ...noted } = record.noted
      return {
        bounds: record.bounds as Bounds,
        made,
        counts: Object.assign({}, ...there.map(({ counts }) => counts)),
        noted: notedOf === made ? (noted as object) : {},
      }
    },
    note: (id, made, noted) =>
      inTurn(async () => {
        const record = await records.read(id)
        if (record === undefined) return
        await records.write(id, { ...record, noted: { made, ...noted } })
      }),
    // Who is held by nothing waits for nobody.
    release: async (id, { kill }) =>
      !holding.has(id) && !(await records.has(id)) ? true : inTurn(() => release(id, kill)),
    watch: async (id, listener) => {
      const record = await records.read(id)
      return watchCounts(
        (record?.groups ?? []).filter(({ path }) => path !== ''),
        listener,
      )
    },
  }
}

/** Of hooks/limited.sh. */
const sliceOptions = (slice: string, { runtime, property }: Scope = NO_SCOPE): string[] => [
  ...['--slice', slice, '--runtime', runtime],
  ...(property === '' ? [] : ['--scope', property]),
]
const NO_SCOPE: Scope = { runtime: '', property: '' }

const wayText = (way: Way): string =>
  way.kind === 'slice'
    ? 'a slice of the systemd user manager'
    : way.kind === 'group'
      ? `cgroup v${way.version} (${way.base})`
      : ''

import type { FileHunks } from '../../adapters/git/radar/radar-git.ts'
import type { Caller } from '../../domain/caller.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Agent } from '../../domain/records.ts'
import { ancestorsOf, resolveAddress } from '../agents/tree.ts'
import type { Deps } from '../deps.ts'
import type { FirstTouch } from './first-touch.ts'
import { bothSides, meeting, type BothSides } from './lines.ts'
import type { Pair } from './pairs.ts'
import type { RadarSide, RadarUse } from './radar-use-cases.ts'
import type { RadarPicture } from './picture.ts'
import type { Radar } from './radar.ts'

/** Of one hunk. */
const MOST_LINES = 200

/** What people and models are shown of the radar. */
export function createRadarView({
  store,
  git,
  gate,
  radar,
  firstTouch,
}: Pick<Deps, 'store' | 'git' | 'gate'> & {
  radar: Pick<Radar, 'look'>
  firstTouch: FirstTouch
}): RadarUse {
  const look = async (): Promise<{
    picture: RadarPicture
    agents: Agent[]
    at: number
    nameOf: (pair: Pair) => { a: string; b: string }
  }> => {
    const picture = await radar.look()
    if (!picture.enabled)
      throw new ExomonadError(
        'NOT_AVAILABLE',
        'The radar is off. Set enabled = true under [radar] in .exomonad/config.toml.',
      )
    if (picture.at === null)
      throw new ExomonadError('NOT_AVAILABLE', 'The daemon is about to end. Ask again.')
    const names = new Map<string, Set<AgentId>>()
    for (const { a, b } of picture.pairs)
      for (const one of [a, b])
        if (one !== null) names.set(one.name, (names.get(one.name) ?? new Set()).add(one.id))
    const own = ({ name, branch }: Pair['a']): string =>
      (names.get(name)?.size ?? 0) > 1 ? branch : name
    return {
      ...{ picture, at: picture.at },
      agents: await store.agents.list(),
      nameOf: ({ a, b, base }) => ({ a: own(a), b: b === null ? (base ?? '') : own(b) }),
    }
  }

  /** An agent sees what concerns itself, and all below it. */
  const isShown = (agents: readonly Agent[], caller: Caller, { a, b }: Pair): boolean =>
    caller.kind === 'human' ||
    [a, b].some(
      (one) =>
        one !== null &&
        (one.id === caller.agent.id ||
          ancestorsOf(agents, one.id).some(({ id }) => id === caller.agent.id)),
    )

  const sideOf = (own: FileHunks | undefined, other: FileHunks | undefined): RadarSide => ({
    change: own?.change ?? 'none',
    new_path: own === undefined || own.newPath === own.path ? null : gate.text(own.newPath),
    binary: own?.binary ?? false,
    hunks: meeting(own, other).map(({ base, own: now, text }) => ({
      base: [base.from, base.lines],
      own: [now.from, now.lines],
      text: text.slice(0, MOST_LINES).map((line) => gate.text(line)),
    })),
  })

  const findPair = (
    { pairs }: RadarPicture,
    agents: readonly Agent[],
    one: string,
    other: string,
  ): Pair => {
    const isBase = (name: string): boolean => pairs.some(({ base }) => base === name)
    const meant = (address: string) =>
      isBase(address) ? undefined : resolveAddress(agents, address)
    const [first, second] = [meant(one), meant(other)]
    const names = (pair: Pair, agent: Agent | undefined, name: string): boolean =>
      agent === undefined
        ? pair.base === name
        : pair.a.id === agent.id ||
          pair.b?.id === agent.id ||
          (pair.b === null && pair.base === agent.branch)
    const found = pairs.find(
      (pair) => first?.id !== second?.id && names(pair, first, one) && names(pair, second, other),
    )
    if (found !== undefined) return found
    throw new ExomonadError(
      'INVALID_ARG',
      `${one} and ${other} are not side by side: the radar compares agents of one parent that have a branch and work not merged yet, and each with its base. Without arguments it lists all pairs.`,
      { a: one, b: other },
    )
  }

  return {
    pairs: async (caller, a) => {
      const { picture, agents, at, nameOf } = await look()
      const only = a === undefined ? undefined : resolveAddress(agents, a)
      const pairs = picture.pairs
        .filter((pair) => isShown(agents, caller, pair))
        .filter((pair) => only === undefined || pair.a.id === only.id || pair.b?.id === only.id)
      return {
        pairs: pairs.map((pair) => {
          const { status = 'unknown', files = [] } = picture.verdicts.get(pair.id) ?? {}
          return { ...nameOf(pair), status, files: files.map((file) => gate.text(file)) }
        }),
        at,
      }
    },

    detail: async (caller, one, other) => {
      const { picture, agents, at, nameOf } = await look()
      const pair = findPair(picture, agents, one, other)
      if (!isShown(agents, caller, pair))
        throw new ExomonadError(
          'NOT_A_CHILD',
          `${caller.agent.name} can’t look at ${one} and ${other}: neither is ${caller.agent.name} or below it in the tree.`,
        )
      const verdict = picture.verdicts.get(pair.id)
      const { status = 'unknown', files = [], why = null, a, b } = verdict ?? {}
      const base = a === undefined || b === undefined ? null : await git.partedAt(a, b)
      const sidesOf: BothSides =
        base === null || a === undefined || b === undefined
          ? () => [undefined, undefined]
          : await bothSides(git, { base, a, b }, files)
      const names = nameOf(pair)
      const skippedBy = (agent: Pair['b']): string[] => {
        const found = agent === null ? undefined : picture.snapshots.get(agent.id)
        return found?.kind === 'taken' ? found.skipped.map((path) => gate.text(path)) : []
      }
      return {
        pair: {
          ...{ ...names, status, why: why === null ? null : gate.text(why) },
          files: await Promise.all(
            files.map(async (path) => {
              const [ours, others] = sidesOf(path)
              const first =
                pair.b === null
                  ? undefined
                  : await firstTouch.firstOf(ours?.path ?? path, pair.a.id, pair.b.id)
              return {
                path: gate.text(path),
                first: first === undefined ? null : first === pair.a.id ? names.a : names.b,
                ...{ a: sideOf(ours, others), b: sideOf(others, ours) },
              }
            }),
          ),
          skipped: { a: skippedBy(pair.a), b: skippedBy(pair.b) },
        },
        at,
      }
    },
  }
}

import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SLIMMING_FILE } from '../../runtime/paths.ts'
import { parseJson } from '../../domain/formats/parse-json.ts'
import { parseSha, type Sha } from '../../domain/ids.ts'
import type { Git } from './git.ts'
import type { Run } from './run.ts'

type Lending = Pick<Git, 'lendObjects' | 'tendBorrower' | 'slimBorrower' | 'endLending'>

/**
 * What the borrower needs is reachable here by a ref of its own for each of its tips, so that no
 * `git gc`, `prune` or `repack` on either side takes it. Named by time and commit: a push writes
 * one before its ref moves (the hook of forge/local/guard.ts), and only those that are older than
 * any push takes are taken away, so that nobody has to wait for a lock.
 */
export const KEPT_REFS = 'refs/exomonad/kept/'

/** Seconds. */
const LONGER_THAN_A_PUSH = 3600
/** From `<common-dir>/exomonad/origin.git/objects`: it may be moved with the repository. */
const ALTERNATES = '../../../objects\n'

interface Kept {
  readonly ref: string
  readonly time: number
  readonly sha: string
}

/** What is being taken out of a borrower, written down before it borrows. */
interface SlimPlan {
  /** Relative to its folder of objects: all there was before. */
  readonly files: readonly string[]
  /** Names of objects that are nowhere else. */
  readonly rest: readonly string[]
}

/** Refs that may go: nothing of the borrower stands there, or a newer one keeps the same. */
export function staleKept(
  kept: readonly Kept[],
  tips: ReadonlySet<string>,
  now: number,
): readonly string[] {
  const newest = new Map<string, number>()
  for (const { sha, time } of kept) newest.set(sha, Math.max(time, newest.get(sha) ?? 0))
  return kept
    .filter(
      ({ sha, time }) =>
        time < now - LONGER_THAN_A_PUSH && (!tips.has(sha) || time < (newest.get(sha) ?? 0)),
    )
    .map(({ ref }) => ref)
}

export function parseKept(text: string): Kept[] {
  return text.split('\n').flatMap((ref) => {
    const [, time = '', sha = ''] = /^refs\/exomonad\/kept\/(\d+)-([0-9a-f]+)$/.exec(ref) ?? []
    return sha === '' ? [] : [{ ref, time: Number(time), sha }]
  })
}

/**
 * A bare repository that borrows this one’s objects through `objects/info/alternates` in place of a
 * copy. It lies two folders below the common directory.
 */
export function createLending({ run, commonDir }: { run: Run; commonDir: string }): Lending {
  const alternates = (path: string): string => join(path, 'objects', 'info', 'alternates')
  const borrows = async (path: string): Promise<boolean> =>
    (await readOptional(alternates(path))).includes(ALTERNATES.trim())

  const lend = async (path: string): Promise<boolean> => {
    // A state folder that is a link to elsewhere keeps its own copy.
    if ((await realpath(dirname(dirname(path)))) !== (await realpath(commonDir))) return false
    await mkdir(dirname(alternates(path)), { recursive: true })
    await writeFile(`${alternates(path)}.new`, ALTERNATES)
    await rename(`${alternates(path)}.new`, alternates(path))
    return true
  }

  const listed = async (args: readonly string[], doing: string): Promise<string> =>
    run.output(doing, args, { reads: true })
  /** Its tips, with the refs that stand there. */
  const tipsOf = async (path: string): Promise<Map<Sha, string>> =>
    new Map(
      (
        await listed(
          [`--git-dir=${path}`, 'for-each-ref', '--format=%(objectname) %(refname)'],
          `list the branches of ${path}`,
        )
      )
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => [
          parseSha(line.slice(0, line.indexOf(' '))),
          line.slice(line.indexOf(' ') + 1),
        ]),
    )

  /** Makes all of its tips reachable here, and takes away what it needs no more. */
  const keep = async (path: string): Promise<void> => {
    const kept = parseKept(
      await listed(['for-each-ref', '--format=%(refname)', KEPT_REFS], 'list what is kept'),
    )
    // After the refs: one that is written meanwhile is none of those looked at.
    const tips = await tipsOf(path)
    const now = Math.floor(Date.now() / 1000)
    const has = new Set(kept.map(({ sha }) => sha))
    const lacks = [...tips].filter(([sha]) => !has.has(sha))
    if (lacks.length > 0) {
      const refspecs = lacks.map(([sha, ref]) => `+${ref}:${KEPT_REFS}${now}-${sha}`)
      const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--update-shallow']
      await run.output(
        `bring in what ${path} has`,
        [...args, '--no-auto-maintenance', '--no-recurse-submodules', '--', path, ...refspecs],
        { remote: path },
      )
    }
    const stale = staleKept(kept, new Set(tips.keys()), now)
    if (stale.length > 0)
      await run.output('let go of what is needed no more', ['update-ref', '--stdin'], {
        input: stale.map((ref) => `delete ${ref}\n`).join(''),
      })
  }

  /** Where this repository’s history is cut off, the borrower’s is cut off, too. */
  const followShallow = async (path: string): Promise<void> => {
    const [here, there] = [join(commonDir, 'shallow'), join(path, 'shallow')]
    const [ours, theirs] = await Promise.all([readOptional(here), readOptional(there)])
    if (ours === theirs) return
    if (ours === '') return rm(there, { force: true })
    await copyFile(here, `${there}.exomonad`)
    await rename(`${there}.exomonad`, there)
  }

  /**
   * What a partial clone lacks, the borrower lacks as well: that is fine for pushes and fetches, and
   * nothing that a gc could pack.
   */
  const followPartial = async (path: string): Promise<void> => {
    const config = join(path, 'config')
    if (!/^\s*promisor = true$/m.test(await readOptional(join(commonDir, 'config')))) return
    if (/^\s*autogc = false$/m.test(await readOptional(config))) return
    const args = ['config', '--file', config, 'receive.autogc', 'false']
    await run.output(`configure ${path}`, args)
  }

  /** Names of all objects in one repository’s own folder, while it borrows none. */
  const ownObjects = async (path: string): Promise<string[]> => {
    const args = ['cat-file', '--batch-all-objects', '--unordered', '--batch-check=%(objectname)']
    return lines(await listed([`--git-dir=${path}`, ...args], `list the objects of ${path}`))
  }
  /** Those that are not here. */
  const absentHere = async (names: readonly string[]): Promise<string[]> => {
    const found = await run.output('look for objects', ['cat-file', '--batch-check'], {
      input: names.map((name) => `${name}\n`).join(''),
      reads: true,
      // A partial clone would fetch what it lacks.
      env: { GIT_NO_LAZY_FETCH: '1' },
    })
    return lines(found).flatMap((line) => /^(\S+) missing$/.exec(line)?.[1] ?? [])
  }

  const planFile = (path: string): string => join(path, SLIMMING_FILE)
  const writePlan = async (path: string, plan: SlimPlan): Promise<void> => {
    await writeFile(`${planFile(path)}.new`, JSON.stringify(plan))
    await rename(`${planFile(path)}.new`, planFile(path))
  }
  const readPlan = async (path: string): Promise<SlimPlan | null> => {
    const text = await readOptional(planFile(path))
    if (text === '') return null
    const { files, rest } = parseJson(text) as SlimPlan
    return { files: files.filter((file) => /^(?:[0-9a-f]{2}|pack)\/[^/]+$/.test(file)), rest }
  }

  /** From the moment that it borrows: what is here as well goes, however often this is cut off. */
  const takeOut = async (path: string, { files, rest }: SlimPlan): Promise<true> => {
    const objects = join(path, 'objects')
    await Promise.all([followShallow(path), followPartial(path)])
    // Of pushes meanwhile; from here on the hook keeps what they bring.
    await keep(path)
    let pack: string | undefined
    if (rest.length > 0) {
      // Nobody reaches them any more. They stay, in a pack of their own.
      const args = [`--git-dir=${path}`, 'pack-objects', '-q', join(objects, 'pack', 'pack')]
      const input = rest.map((name) => `${name}\n`).join('')
      pack = (await run.output(`pack what only ${path} has`, args, { input })).trim()
    }
    const isPack = (file: string): boolean => pack !== undefined && file.includes(`pack-${pack}.`)
    await removeAll(files.filter((file) => !isPack(file)).map((file) => join(objects, file)))
    await rm(planFile(path), { force: true })
    return true
  }

  /** Takes out of the folder of its own what is here as well. */
  const slim = async (path: string): Promise<boolean> => {
    const objects = join(path, 'objects')
    // Before the objects are listed: of what comes meanwhile nothing is taken away.
    const loose = (await readdir(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name))
    const files = (
      await Promise.all(
        [...loose, 'pack'].map(async (folder) =>
          (await readdir(join(objects, folder))).map((name) => join(folder, name)),
        ),
      )
    ).flat()
    const own = await ownObjects(path)
    await keep(path)
    const plan = { files, rest: await absentHere(own) }
    await writePlan(path, plan)
    if (await lend(path)) return takeOut(path, plan)
    await rm(planFile(path), { force: true })
    return false
  }

  return {
    lendObjects: async (path) => {
      if (await lend(path)) await Promise.all([followShallow(path), followPartial(path)])
    },
    tendBorrower: async (path, { refs = true } = {}) => {
      if (!(await borrows(path))) return
      await followShallow(path)
      if (!refs) return
      await followPartial(path)
      await keep(path)
    },
    slimBorrower: async (path) => {
      if (!(await borrows(path))) return slim(path)
      const plan = await readPlan(path)
      return plan !== null && takeOut(path, plan)
    },
    endLending: async () => {
      const refs = await listed(['for-each-ref', '--format=%(refname)', KEPT_REFS], 'list refs')
      if (refs === '') return
      await run.output('let go of what is kept', ['update-ref', '--stdin'], {
        input: refs.replaceAll(/^(?=refs)/gm, 'delete '),
      })
    },
  }
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** The index of a pack goes before the pack, so that nobody looks for objects in what is gone. */
async function removeAll(files: readonly string[]): Promise<void> {
  const isIndex = (file: string): boolean => file.endsWith('.idx')
  for (const file of [...files.filter(isIndex), ...files.filter((one) => !isIndex(one))])
    await rm(file, { force: true })
}

/** Empty where it is not there. */
const readOptional = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })

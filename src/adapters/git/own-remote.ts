import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { realpathSync } from 'node:fs'
import type { BranchName, Sha } from '../../domain/ids.ts'
import type { LookUp } from './look-up.ts'
import { parseRefs } from './refs.ts'
import type { Run } from './run.ts'

/**
 * Branches of the local forge's bare repository, read where it lies: `ls-remote` starts three
 * processes for each question. Undefined where the remote of that name is another repository, or
 * this one can't be read: it has to be asked like any remote then.
 */
export interface OwnRemote {
  tip(remote: string, branch: BranchName): Promise<Sha | null | undefined>
  /** Of these branches, or of all. */
  tips(remote: string, branches?: readonly BranchName[]): Promise<Map<BranchName, Sha> | undefined>
}

/** The remote that is none of our own. */
export const NO_OWN_REMOTE: OwnRemote = { tip: async () => undefined, tips: async () => undefined }

const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** `path`: the bare repository. `lookUp`: a git kept in it. */
export function createOwnRemote({
  run,
  commonDir,
  path,
  lookUp,
}: {
  run: Run
  commonDir: string
  path: string
  lookUp?: LookUp | undefined
}): OwnRemote {
  const config = join(commonDir, 'config')
  const known = new Map<string, { readonly version: string; readonly isOwn: Promise<boolean> }>()

  const namesIt = async (remote: string): Promise<boolean> => {
    const url = await run.attempt(['remote', 'get-url', '--', remote], { reads: true })
    return url.exitCode === 0 && real(url.stdout.replace(/\n$/, '')) === real(path)
  }
  /** Asked again whenever the configuration changes: git replaces that file as a whole. */
  const isOwn = async (remote: string): Promise<boolean> => {
    const { ino, size, mtimeNs } = await stat(config, { bigint: true })
    const version = [ino, size, mtimeNs].join(' ')
    const before = known.get(remote)
    if (before?.version === version) return before.isOwn
    const asked = namesIt(remote)
    known.set(remote, { version, isOwn: asked })
    return asked
  }
  const isThere = async (remote: string): Promise<boolean> => {
    try {
      await access(join(path, 'HEAD'))
      return await isOwn(remote)
    } catch {
      return false
    }
  }
  const list = async (...patterns: string[]): Promise<Map<BranchName, Sha> | undefined> => {
    const listed = await run.attempt(
      [`--git-dir=${path}`, 'for-each-ref', '--format=%(objectname) %(refname)', ...patterns],
      { reads: true },
    )
    return listed.exitCode === 0 ? parseRefs(listed.stdout, 'refs/heads/') : undefined
  }
  const read = async (
    branches: readonly BranchName[],
  ): Promise<Map<BranchName, Sha> | undefined> => {
    const names = [...new Set(branches)]
    const kept =
      lookUp === undefined
        ? [undefined]
        : await Promise.all(names.map((branch) => lookUp.commit(`refs/heads/${branch}`)))
    if (names.length === 0) return new Map()
    if (kept.includes(undefined)) return list(...names.map((branch) => `refs/heads/${branch}`))
    return new Map(
      names.flatMap((branch, index) => (kept[index] == null ? [] : [[branch, kept[index]]])),
    )
  }

  return {
    tip: async (remote, branch) => {
      const refs = (await isThere(remote)) ? await read([branch]) : undefined
      return refs === undefined ? undefined : (refs.get(branch) ?? null)
    },
    tips: async (remote, branches) => {
      if (!(await isThere(remote))) return undefined
      return branches === undefined ? list('refs/heads/') : read(branches)
    },
  }
}

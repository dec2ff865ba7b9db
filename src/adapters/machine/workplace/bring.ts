import { lstat, mkdir, readlink, realpath, rm, symlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Exec } from '../../../processes/exec.ts'
import { copyLink, isWithin } from '../copy-link.ts'
import { copyTree, type CopyMethod } from './copy-tree.ts'
import { inside, refuseLinks } from './within.ts'

/** Brings whole files and folders from one worktree into another; `entry` is relative to both. */
export interface Bring {
  /**
   * To where nothing is. Links inside go along as links: relative ones, and whole paths into the
   * first worktree, mean the same place of the second one. False where `reflink` can’t be done.
   * OUTSIDE_ROOT for relative links that lead out of the worktree.
   */
  copy(copied: Copied & { method: CopyMethod; /** For programs. */ path: string }): Promise<boolean>
  /** A link to where the entry really is, in place of what is there. */
  link(copied: Copied): Promise<void>
  /** Takes that link away again. */
  unlink(copied: Omit<Copied, 'from'>): Promise<void>
}

interface Copied {
  readonly from: string
  readonly to: string
  readonly entry: string
}

export function createBring(exec: Exec): Bring {
  /** Below a folder, links to follow nowhere. Relative to it. */
  const linksIn = async (folder: string, path: string): Promise<string[]> => {
    const found = await exec('find', ['.', '-type', 'l', '-print0'], {
      cwd: folder,
      env: { PATH: path },
    })
    if (found.exitCode !== 0)
      throw new ExomonadError(
        'SPAWN_FAILED',
        `Links in ${folder} could not be looked at: ${found.startError ?? found.stderr.slice(0, 500)}`,
      )
    return found.stdout.split('\0').filter((name) => name !== '')
  }

  /** Of a copied folder. */
  const adjust = async ({ from, to, entry }: Copied, path: string): Promise<void> => {
    for (const name of await linksIn(join(to, entry), path)) {
      const link = join(to, entry, name)
      const text = await readlink(link)
      const beside = dirname(join(from, entry, name))
      const pointedTo = resolve(beside, text)
      if (isWithin(from, pointedTo)) {
        if (!isAbsolute(text)) continue
        await rm(link)
        await symlink(relative(beside, pointedTo) || '.', link)
      } else if (!isAbsolute(text))
        throw new ExomonadError(
          'OUTSIDE_ROOT',
          `${join(entry, name)} is a symbolic link to ${text}, which leads out of ${from} and would mean another place elsewhere.`,
          { file: join(entry, name), target: text },
        )
    }
  }

  return {
    copy: async ({ method, path, ...copied }) => {
      const { from, to, entry } = copied
      const [source, target] = [inside(from, entry), inside(to, entry)]
      const facts = await lstat(source)
      await refuseLinks(to, facts.isSymbolicLink() ? dirname(target) : target, entry)
      if (facts.isSymbolicLink()) {
        await mkdir(dirname(target), { recursive: true })
        await copyLink({ root: from, file: entry, target })
        return true
      }
      const done = await copyTree(exec, { from: source, to: target, method, path })
      if (done && facts.isDirectory()) await adjust(copied, path)
      return done
    },
    link: async ({ from, to, entry }) => {
      const target = inside(to, entry)
      // Where that worktree has a link itself, it may go before this one does.
      const real = await realpath(inside(from, entry))
      await refuseLinks(to, dirname(target), entry)
      await mkdir(dirname(target), { recursive: true })
      const found = await lstat(target).catch(() => undefined)
      if (found?.isSymbolicLink() === true) await rm(target)
      else if (found !== undefined) return
      await symlink(real, target)
    },
    unlink: async ({ to, entry }) => {
      const target = inside(to, entry)
      if ((await lstat(target).catch(() => undefined))?.isSymbolicLink() === true) await rm(target)
    },
  }
}

import { access, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Paths } from '../../../runtime/paths.ts'
import type { Git } from '../../git/git.ts'
import { forgeKeyEnvironment, installGuard } from './guard.ts'

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

export interface LocalRemote {
  /** Its name in the repository. */
  readonly remote: string
  /** It was made just now: nothing has been pushed to it. */
  readonly created: boolean
  /** What git needs to be let past the guard when the daemon pushes. */
  readonly pushEnvironment: () => Promise<Record<string, string>>
}

/**
 * The remote of the local forge. A configured one must exist (CONFIG_INVALID). Otherwise a guarded
 * bare repository at `paths.origin`, made where it is missing and known as `exomonad`: `origin`
 * stays free for where its owner will publish. It borrows this repository’s objects. Calling it
 * again changes nothing: `created` is false.
 */
export async function ensureLocalRemote({
  git,
  paths,
  configuredRemote,
}: {
  git: Git
  paths: Pick<Paths, 'origin' | 'state'>
  configuredRemote: string | undefined
}): Promise<LocalRemote> {
  const remotes = await git.remotes()
  if (configuredRemote !== undefined) {
    if (remotes.has(configuredRemote))
      return { remote: configuredRemote, created: false, pushEnvironment: async () => ({}) }
    const known = [...remotes.keys()].join(', ') || 'none'
    throw new ExomonadError(
      'CONFIG_INVALID',
      `forge.local.remote names "${configuredRemote}", which is no remote of this repository (there: ${known}). Add it with \`git remote add\`, or remove the key to use a repository of exomonad’s own.`,
      { key: 'forge.local.remote', found: configuredRemote },
    )
  }

  const made = !(await exists(join(paths.origin, 'HEAD')))
  if (!(await exists(paths.origin))) {
    await mkdir(paths.state, { recursive: true, mode: 0o700 })
    // In one step: one that a crash left without its hook would keep nothing of what it borrows.
    const draft = `${paths.origin}.new`
    await rm(draft, { recursive: true, force: true })
    await git.initBare(draft)
    await git.lendObjects(draft)
    await installGuard({ state: paths.state, origin: draft })
    await rename(draft, paths.origin)
  } else {
    if (made) await git.initBare(paths.origin)
    await installGuard(paths)
    await git.tendBorrower(paths.origin)
  }
  const pushEnvironment = async () => {
    // A history that was cut off since, or is whole now.
    await git.tendBorrower(paths.origin, { refs: false })
    return forgeKeyEnvironment(paths)
  }

  for (const [name, url] of remotes) {
    if (url === paths.origin) return { remote: name, created: made, pushEnvironment }
    // The repository was moved: the remote still names the old place.
    if (url.endsWith('/exomonad/origin.git') && !(await exists(url))) {
      await git.removeRemote(name)
      remotes.delete(name)
    }
  }
  const name = ['exomonad', 'exomonad-local'].find((candidate) => !remotes.has(candidate))
  if (name === undefined) {
    throw new ExomonadError(
      'INVALID_ARG',
      'The remotes exomonad and exomonad-local are both taken. Set forge.local.remote to the one to use.',
    )
  }
  await git.addRemote(name, paths.origin)
  return { remote: name, created: true, pushEnvironment }
}

import { access, cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { ExomonadError } from '../../../domain/errors.ts'
import { examplesFolder, type Workspace } from './workspace.ts'

export interface DemoRepository {
  /** The library’s folder in the repository; empty for the top. */
  readonly folder: string
  /** The root’s branch. */
  readonly branch: string
  /** Its tip before any agent worked. */
  readonly start: string
}

/** The example library as a repository of its own. */
export async function prepareLibrary(workspace: Workspace): Promise<DemoRepository> {
  await cp(join(examplesFolder(), 'library'), workspace.repository, { recursive: true })
  await workspace.git('init', '--quiet')
  return finish(workspace, '', 'Begin the timetable library: tests first')
}

/**
 * A clone of somebody’s repository, cut off from where it came from, with the library in a folder
 * of its own.
 */
export async function prepareClone(
  workspace: Workspace,
  source: string,
  cwd: string,
): Promise<DemoRepository> {
  const from = await sourceOf(source, cwd)
  // Plain copies and no hard links: whatever happens here, the original's objects are not touched.
  const args = ['clone', '--quiet', '--no-hardlinks', '--', from, workspace.repository]
  const cloned = await workspace.run('git', args, workspace.folder)
  if (cloned.exitCode !== 0) {
    throw new ExomonadError(
      'INVALID_ARG',
      `${source} could not be cloned: ${cloned.stderr.trim()}. Give the path or URL of a git repository.`,
      {
        found: source,
      },
    )
  }
  for (const remote of (await workspace.git('remote')).split('\n').filter(Boolean))
    await workspace.git('remote', 'remove', remote)
  if (
    (await workspace.run('git', ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])).exitCode !==
    0
  ) {
    throw new ExomonadError(
      'NO_COMMITS',
      `${source} has no commit yet. Make one, or run \`exomonad demo\` without --repo.`,
    )
  }
  if ((await workspace.run('git', ['symbolic-ref', '--quiet', 'HEAD'])).exitCode !== 0)
    await workspace.git('switch', '--quiet', '-c', 'exomonad-demo')
  await workspace.run('git', ['rm', '-r', '--quiet', '--ignore-unmatch', '--', '.exomonad'])
  await rm(join(workspace.repository, '.exomonad'), { recursive: true, force: true })
  const folder = await freeFolder(workspace.repository)
  await cp(join(examplesFolder(), 'library'), join(workspace.repository, folder), {
    recursive: true,
  })
  // The clone's own attributes must not change how these files are written.
  await writeFile(join(workspace.repository, folder, '.gitattributes'), '* -text !filter !merge\n')
  return finish(workspace, folder, `Add ${folder}/, a library for the agents to finish`)
}

async function finish(
  workspace: Workspace,
  folder: string,
  subject: string,
): Promise<DemoRepository> {
  await workspace.git('add', '--force', '--', folder === '' ? '.' : folder)
  await workspace.git('commit', '--quiet', '--no-verify', '--message', subject)
  await mkdir(join(workspace.repository, '.exomonad'), { recursive: true })
  return {
    folder,
    branch: await workspace.git('symbolic-ref', '--short', 'HEAD'),
    start: await workspace.git('rev-parse', 'HEAD'),
  }
}

/** A path that exists as an absolute one, anything else (a URL) as it is. */
async function sourceOf(source: string, cwd: string): Promise<string> {
  const path = isAbsolute(source) ? source : resolve(cwd, source)
  return access(path).then(
    () => path,
    () => source,
  )
}

async function freeFolder(repository: string): Promise<string> {
  for (let count = 1; ; count++) {
    const name = count === 1 ? 'exomonad-demo' : `exomonad-demo-${count}`
    const free = await access(join(repository, name)).then(
      () => false,
      () => true,
    )
    if (free) return name
  }
}

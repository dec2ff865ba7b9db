import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openGit } from '../../../../src/adapters/git/open.ts'
import { createRun } from '../../../../src/adapters/git/run.ts'
import { requireSharedSubmodules } from '../../../../src/adapters/git/worktrees/submodules.ts'
import { exec } from '../../../../src/processes/exec.ts'
import { tempRepository } from '../../../helpers/temp-repository.ts'

const MISSING = '1234567890'.repeat(4)

/**
 * A worktree of a repository, with an empty folder `lib` for a submodule of this name, and another
 * repository beside them.
 */
async function world(name: string, wanted?: string) {
  const repository = await tempRepository()
  onTestFinished(() => repository.remove())
  const elsewhere = join(repository.folder, 'elsewhere')
  await repository.git('clone', '-q', '--bare', repository.path, elsewhere)
  const sha = wanted ?? (await repository.git('rev-parse', 'HEAD'))
  const config = ['config', '--file', '.gitmodules']
  await repository.git(...config, `submodule.${name}.path`, 'lib')
  await repository.git(...config, `submodule.${name}.url`, 'https://nowhere.invalid/lib')
  await repository.git('update-index', '--add', '--cacheinfo', `160000,${sha},lib`)
  await repository.git('add', '.gitmodules')
  await repository.git('commit', '-qm', 'Submodule')
  const worktree = join(repository.folder, 'worktree')
  await repository.git('worktree', 'add', '-q', worktree)
  const filled = () => existsSync(join(worktree, 'lib', 'README.md'))
  const commonDir = join(repository.path, '.git')
  const git = openGit({ commonDir, environment: repository.env })
  const place = (...parts: string[]): string => {
    const path = join(commonDir, ...parts)
    mkdirSync(dirname(path), { recursive: true })
    return path
  }
  const fill = () => git.fillSubmodules(worktree, repository.path)
  return { repository, elsewhere, commonDir, place, fill, filled }
}

describe('the name of a submodule', () => {
  it('may have folders in it', async () => {
    const { elsewhere, place, fill, filled } = await world('some/lib')
    renameSync(elsewhere, place('modules', 'some', 'lib'))
    expect(await fill()).toEqual([])
    expect(filled()).toBe(true)
  })

  it.each(['../../../elsewhere', 'x/../../../../elsewhere', '/elsewhere', 'a=b'])(
    'is refused as %s',
    async (name) => {
      const { fill, filled } = await world(name)
      const reason = `its name ${JSON.stringify(name)} is not allowed`
      expect(await fill()).toEqual([{ path: 'lib', reason }])
      expect(filled()).toBe(false)
    },
  )
})

describe('the repository of a submodule', () => {
  it.each([['modules/lib'], ['modules']])('is not read through a link %s', async (at) => {
    const { repository, elsewhere, place, fill, filled } = await world('lib')
    if (at === 'modules') {
      mkdirSync(join(repository.folder, 'others'))
      renameSync(elsewhere, join(repository.folder, 'others', 'lib'))
      symlinkSync(join(repository.folder, 'others'), place(at))
    } else symlinkSync(elsewhere, place(at))
    const reason = 'it is not checked out in the main worktree'
    expect(await fill()).toEqual([{ path: 'lib', reason }])
    expect(filled()).toBe(false)
  })

  it('runs no program that its configuration names', async () => {
    const { repository, elsewhere, place, fill, commonDir } = await world('lib', MISSING)
    const mark = join(repository.folder, 'ran')
    renameSync(elsewhere, place('modules', 'lib'))
    for (const [key, value] of [
      ['core.repositoryFormatVersion', '1'],
      ['extensions.partialClone', 'origin'],
      ['remote.origin.promisor', 'true'],
      ['remote.origin.url', repository.path],
      ['remote.origin.uploadpack', `touch '${mark}'; false`],
    ] as const)
      await repository.git(`--git-dir=${join(commonDir, 'modules', 'lib')}`, 'config', key, value)
    const reason = 'the main worktree’s has no commit 1234567890'
    expect(await fill()).toEqual([{ path: 'lib', reason }])
    // Nor where a worktree is looked over that is to be removed.
    writeFileSync(join(commonDir, 'modules', 'lib', 'refs', 'heads', 'lost'), `${MISSING}\n`)
    const run = createRun({ commonDir, environment: repository.env, exec })
    await requireSharedSubmodules(run, commonDir).catch(() => {})
    expect(existsSync(mark)).toBe(false)
  })

  it('is looked over in its own place alone, when a worktree is to be removed', async () => {
    const { repository, elsewhere, place, commonDir } = await world('lib')
    const run = createRun({ commonDir, environment: repository.env, exec })
    const look = () => requireSharedSubmodules(run, commonDir)
    symlinkSync(elsewhere, place('modules', 'lib'))
    await expect(look()).resolves.toBeUndefined()
    renameSync(elsewhere, place('modules', 'own'))
    await expect(look()).rejects.toThrow(/submodule own has commits that are on no remote/)
    renameSync(join(commonDir, 'modules'), join(repository.folder, 'others'))
    symlinkSync(join(repository.folder, 'others'), join(commonDir, 'modules'))
    await expect(look()).resolves.toBeUndefined()
  })
})

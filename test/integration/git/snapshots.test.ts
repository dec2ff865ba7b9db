import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Git } from '../../../src/adapters/git/git.ts'
import { openGit } from '../../../src/adapters/git/open.ts'
import { inspectRepository } from '../../../src/adapters/git/repository.ts'
import type { BranchName, Sha } from '../../../src/domain/ids.ts'
import {
  tempRepository,
  type TempRepository,
  type TempRepositoryOptions,
} from '../../helpers/temp-repository.ts'

async function open(
  options: TempRepositoryOptions = {},
): Promise<{ repository: TempRepository; git: Git }> {
  const repository = await tempRepository(options)
  onTestFinished(() => repository.remove())
  const facts = await inspectRepository(repository.path, repository.env)
  return { repository, git: openGit({ commonDir: facts.commonDir, environment: repository.env }) }
}

describe('snapshots of a worktree', () => {
  it('say what changed between two of them, and not what was changed before', async () => {
    const { repository, git } = await open({
      files: {
        'kept.txt': '1',
        'edited.txt': '1',
        'gone.txt': '1',
        'old name.txt': 'x'.repeat(500),
        'dirty.txt': '1',
      },
    })
    const at = (name: string): string => join(repository.path, name)
    writeFileSync(at('.gitignore'), 'build/\n')
    writeFileSync(at('dirty.txt'), 'changed before')
    writeFileSync(at('untracked before.txt'), 'there before')
    const before = await git.snapshotTree(repository.path)
    expect(await git.changedPaths(before, await git.snapshotTree(repository.path))).toEqual([])

    // Within the second in which the index was written, and of the same length.
    writeFileSync(at('edited.txt'), '2')
    writeFileSync(at('új ünicode.txt'), 'new')
    mkdirSync(at('deep/er'), { recursive: true })
    writeFileSync(at('deep/er/line\nend'), 'new')
    symlinkSync('kept.txt', at('link'))
    rmSync(at('gone.txt'))
    renameSync(at('old name.txt'), at('new name.txt'))
    mkdirSync(at('build'))
    writeFileSync(at('build/ignored'), 'x')
    expect(await git.changedPaths(before, await git.snapshotTree(repository.path))).toEqual(
      [
        'deep/er/line\nend',
        'edited.txt',
        'gone.txt',
        'link',
        'new name.txt',
        'old name.txt',
        'új ünicode.txt',
      ].toSorted(),
    )
    // A file that was dirty before counts once it changes again.
    writeFileSync(at('dirty.txt'), 'changed again')
    expect(await git.changedPaths(before, await git.snapshotTree(repository.path))).toContain(
      'dirty.txt',
    )
  })

  it('leave the index and the status as they are, what is staged, in conflict or meant to be added included', async () => {
    const { repository, git } = await open({ files: { 'a.txt': '1', 'b.txt': '1' } })
    const at = (name: string): string => join(repository.path, name)
    await repository.git('checkout', '-q', '-b', 'other')
    await repository.commit({ 'a.txt': 'theirs' })
    await repository.git('checkout', '-q', 'main')
    await repository.commit({ 'a.txt': 'ours' })
    await repository.git('merge', '-q', 'other').catch(() => {})
    writeFileSync(at('b.txt'), 'staged')
    await repository.git('add', 'b.txt')
    writeFileSync(at('b.txt'), 'and changed again')
    writeFileSync(at('intended.txt'), 'x')
    await repository.git('add', '--intent-to-add', 'intended.txt')
    const [index, status] = [
      readFileSync(at('.git/index')),
      await repository.git('status', '--porcelain=v2'),
    ]
    const tree = await git.snapshotTree(repository.path)
    expect(await git.changedPaths((await git.resolve('HEAD')) as Sha, tree)).toEqual([
      'a.txt',
      'b.txt',
      'intended.txt',
    ])
    expect(await repository.git('cat-file', '-p', `${tree}:b.txt`)).toBe('and changed again')
    expect(readFileSync(at('.git/index')).equals(index)).toBe(true)
    expect(await repository.git('status', '--porcelain=v2')).toBe(status)
  })

  it('work in linked worktrees, folders of a repository without a commit, and beside repositories that git can’t take in', async () => {
    const { repository, git } = await open()
    const path = join(repository.folder, 'linked')
    await git.addWorktree({
      path,
      branch: 'linked' as BranchName,
      create: true,
      at: (await git.resolve('HEAD')) as Sha,
    })
    const before = await git.snapshotTree(path)
    mkdirSync(join(path, 'nested'))
    await repository.gitIn(join(path, 'nested'), 'init', '-q')
    writeFileSync(join(path, 'beside.txt'), 'x')
    expect(await git.changedPaths(before, await git.snapshotTree(path))).toEqual(['beside.txt'])

    const unborn = await open({ files: null })
    writeFileSync(join(unborn.repository.path, 'first.txt'), 'x')
    const empty = await unborn.repository.git('hash-object', '-t', 'tree', '-w', '/dev/null')
    expect(
      await unborn.git.changedPaths(
        empty as Sha,
        await unborn.git.snapshotTree(unborn.repository.path),
      ),
    ).toEqual(['first.txt'])
  })

  it('may be asked for by many at once, in the middle of an agent’s own git, and after one was killed half-way', async () => {
    const { repository, git } = await open({ files: { 'a.txt': '1' } })
    const before = await git.snapshotTree(repository.path)
    // What one that was cut off left behind.
    writeFileSync(join(repository.path, '.git', 'exomonad-snapshot-index'), 'half')
    writeFileSync(join(repository.path, '.git', 'exomonad-snapshot-index.lock'), '')
    const asked = Array.from({ length: 40 }, async (_, index) => {
      writeFileSync(join(repository.path, `file-${index}.txt`), String(index))
      return git.changedPaths(before, await git.snapshotTree(repository.path))
    })
    const own = repository.commit({ 'by-the-agent.txt': 'x' })
    const answers = await Promise.all(asked)
    await own
    // Each sees what was there when it asked.
    expect(
      answers.flatMap((paths, index) => (paths.includes(`file-${index}.txt`) ? [] : [index])),
    ).toEqual([])
    expect(await repository.git('status', '--porcelain')).toContain('?? file-39.txt')
  })

  it('fail in words where the worktree is gone', async () => {
    const { repository, git } = await open()
    await expect(git.snapshotTree(join(repository.folder, 'nowhere'))).rejects.toMatchObject({
      code: 'GIT_FAILED',
    })
  })
})

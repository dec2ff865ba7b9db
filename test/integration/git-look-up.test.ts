import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createLookUp } from '../../src/adapters/git/look-up.ts'
import { openGit } from '../../src/adapters/git/open.ts'
import { exec } from '../../src/adapters/exec.ts'
import { tempRepository } from '../helpers/temp-repository.ts'

/** Commits looked up by a git that is kept, against one that is started for each. */

async function open() {
  const repository = await tempRepository()
  const commonDir = join(repository.path, '.git')
  const started: string[] = []
  const lookUp = createLookUp({ commonDir, environment: repository.env })
  onTestFinished(() => {
    lookUp.close()
    repository.remove()
  })
  const counted: typeof exec = (file, args, options) => {
    started.push(args.join(' '))
    return exec(file, args, options)
  }
  const kept = openGit({ commonDir, environment: repository.env, lookUp, exec: counted })
  return { repository, lookUp, kept, started, plain: openGit({ commonDir, environment: repository.env }) }
}

it('answers as git that is started does, also about what changed since', async () => {
  const { repository, kept, plain, started } = await open()
  await repository.git('tag', '-a', '-m', 'x', 'v1')
  const ask = async (): Promise<void> => {
    for (const revision of ['main', 'refs/heads/main', 'HEAD', 'main~1', 'v1', 'refs/heads/other', 'nonsense', 'HEAD:README.md', '-x', 'a b', '']) {
      expect([revision, await kept.resolve(revision)]).toEqual([revision, await plain.resolve(revision)])
    }
  }
  await ask()
  const before = started.length
  const second = await repository.commit({ 'a.txt': 'a' })
  expect(await kept.resolve('main')).toBe(second)
  await repository.git('branch', 'other')
  await repository.git('pack-refs', '--all')
  await repository.git('gc', '-q', '--prune=now')
  expect(await kept.resolve('refs/heads/other')).toBe(second)
  await repository.git('branch', '-D', 'other')
  expect(await kept.resolve('refs/heads/other')).toBeNull()
  expect(await kept.present([second as never, 'd'.repeat(40) as never])).toEqual(new Set([second]))
  expect(started.length - before).toBe(0)
  await ask()
})

it('is done without where it can’t be had, or ends', async () => {
  const { repository, kept, lookUp, started } = await open()
  const head = await repository.git('rev-parse', 'HEAD')
  expect(await kept.resolve('main\n')).toBeNull()
  expect(await Promise.all(Array.from({ length: 50 }, () => kept.resolve('main')))).toEqual(Array.from({ length: 50 }, () => head))
  lookUp.close()
  const before = started.length
  expect(await kept.resolve('main')).toBe(head)
  expect(started.length).toBeGreaterThan(before)
  const broken = createLookUp({ commonDir: join(repository.folder, 'nowhere'), environment: repository.env })
  for (let tries = 0; tries < 5; tries++) expect(await broken.commit('main')).toBeUndefined()
})

import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openGit } from '../../../../src/adapters/git/open.ts'
import { tempRepository } from '../../../helpers/temp-repository.ts'

it('large files are not looked for in what is no plain file', async () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12\n`
  const repository = await tempRepository()
  onTestFinished(() => repository.remove())
  const { path, env } = repository
  // Without the program that the attribute names nothing would be committed as it is.
  await repository.commit({ 'one.bin': pointer, 'two.bin': pointer, 'three.bin': pointer })
  await repository.commit({ '.gitattributes': '*.bin filter=lfs\n' })
  const git = openGit({ commonDir: join(path, '.git'), environment: env })
  for (const name of ['one.bin', 'two.bin']) rmSync(join(path, name))
  execFileSync('mkfifo', [join(path, 'one.bin')])
  symlinkSync(join(path, 'three.bin'), join(path, 'two.bin'))
  expect(await git.fillLargeFiles(path)).toMatchObject({ files: ['three.bin'] })

  rmSync(join(path, '.gitattributes'))
  execFileSync('mkfifo', [join(path, '.gitattributes')])
  expect(await git.fillLargeFiles(path)).toBeNull()
})

import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { demo, expectNothingLeft, LIMIT, place } from '../../helpers/own-demo.ts'
import { tempRepository } from '../../helpers/temp-repository.ts'

describe('the demo, on a repository of somebody', () => {
  it(
    'works on a clone with --repo and changes neither that repository nor its remotes',
    async () => {
      const own = place()
      const theirs = await tempRepository({
        name: 'their project',
        branch: 'release/1.0',
        files: { 'README.md': '# Theirs\n', '.gitignore': '*.ts\n' },
      })
      onTestFinished(() => theirs.remove())
      const remote = join(theirs.folder, 'remote.git')
      await theirs.gitIn(theirs.folder, 'init', '--bare', '-q', remote)
      await theirs.git('remote', 'add', 'origin', remote)
      await theirs.git('push', '-q', 'origin', 'HEAD')
      const state = async (): Promise<string[]> => [
        await theirs.gitIn(remote, 'for-each-ref'),
        await theirs.git('for-each-ref'),
        await theirs.git('status', '--porcelain'),
        await theirs.git('count-objects', '-v'),
        await theirs.gitIn(remote, 'count-objects', '-v'),
      ]
      const before = await state()
      const run = await demo(own, '--multiplexer', 'headless', '--repo', theirs.path)
      expect(run.stderr).toBe('')
      expect(run.code, run.stdout).toBe(0)
      expect(run.stdout).toContain('6 agents, 6 pull requests merged')
      expect(run.stdout).toContain('All tests of the library pass on release/1.0')
      expect(await state()).toEqual(before)
      await expectNothingLeft(own)
    },
    LIMIT,
  )

  it('says so in one error where there is nothing to clone, and leaves nothing', async () => {
    const own = place()
    const missing = await demo(own, '--repo', join(own.folder, 'nowhere'))
    expect(missing.code).toBe(1)
    expect(missing.stderr).toContain('could not be cloned')
    const empty = await tempRepository({ files: null })
    onTestFinished(() => empty.remove())
    const run = await demo(own, '--json', '--repo', empty.path)
    expect(run.json).toMatchObject({ code: 'NO_COMMITS' })
    await expectNothingLeft(own)
  })
})

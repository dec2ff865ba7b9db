import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startExomonad } from '../../helpers/daemon.ts'

describe('files and folders', () => {
  it('are taken along from inside only, written through no link, and git clean takes no state', async () => {
    const tree = await startExomonad({ config: '[worktree]\ninclude = ["conf/**", ".env"]' })
    onTestFinished(() => tree.stop())
    const outside = join(tree.repository.folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'victim'), 'untouched')
    await tree.repository.commit({ '.gitignore': '.env\nconf/\n' }, 'Ignore')
    writeFileSync(join(tree.repository.path, '.env'), 'SECRET=1\n')
    mkdirSync(join(tree.repository.path, 'conf'))
    writeFileSync(join(tree.repository.path, 'conf', 'victim'), 'written')

    // A branch from elsewhere with links in the places where ignored files go.
    const side = join(tree.repository.folder, 'side')
    await tree.repository.git('worktree', 'add', '-q', '-b', 'from/elsewhere', side)
    symlinkSync(outside, join(side, 'conf'))
    await tree.repository.gitIn(side, 'add', '-f', 'conf')
    await tree.repository.gitIn(side, 'commit', '-qm', 'Link')
    await tree.repository.git('worktree', 'remove', side)
    const refused = await tree.command([
      'spawn',
      'workers',
      'linked=go',
      '--branch',
      'from/elsewhere',
      '--json',
    ])
    expect(refused.json.errors[0]).toMatchObject({
      code: 'OUTSIDE_ROOT',
      error: expect.stringMatching(/conf.*symbolic link/),
    })
    expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('untouched')
    expect(await tree.agent('linked')).toBeUndefined()
    expect((await tree.repository.git('worktree', 'list')).split('\n')).toHaveLength(1)

    const { spawned, errors } = await tree.call('spawn_workers', {
      specs: [{ name: '../../../escape', prompt: 'x' }],
    })
    expect(errors).toEqual([])
    expect(spawned[0]).toMatchObject({
      branch: 'main.escape',
      worktree: join(tree.repository.path, '.exomonad', 'worktrees', 'escape'),
    })
    expect(readFileSync(join(spawned[0].worktree, 'conf', 'victim'), 'utf8')).toBe('written')

    await tree.logged('escape', 'its start', (entry) => entry['kind'] === 'ready')
    const { pid } = await tree.agent('escape')
    await tree.repository.git('clean', '-fdxq')
    await tree.repository.gitIn(spawned[0].worktree, 'clean', '-fdxq')
    expect(await tree.agent('escape')).toMatchObject({ pid })
    expect(existsSync(join(tree.state, 'store.db'))).toBe(true)
    expect((await tree.repository.git('worktree', 'list')).split('\n')).toHaveLength(2)
    await tree.call('send', { to: 'escape', message: 'still there?' })
    await tree.logged(
      'escape',
      'the message',
      (entry) => entry['kind'] === 'message' && entry['text'].includes('still there?'),
    )
  })

  it('links that stay inside go along, set-up commands know whom they are for, and empty submodules are said', async () => {
    const setup = [
      'sh',
      '-c',
      'env | grep ^EXOMONAD_ | sort > "$EXOMONAD_REPOSITORY/../$EXOMONAD_AGENT_NAME.env"',
    ]
    const fill = [
      'sh',
      '-c',
      'case $EXOMONAD_AGENT_NAME in filled) touch vendor/one/here "vendor/two words/here";; esac',
    ]
    const tree = await startExomonad({
      config: `[worktree]\ninclude = ["conf/**"]\nsetup = [${JSON.stringify(setup)}, ${JSON.stringify(fill)}]\n`,
    })
    onTestFinished(() => tree.stop())
    const { repository } = tree
    const head = await repository.git('rev-parse', 'HEAD')
    for (const path of ['vendor/one', 'vendor/two words']) {
      await repository.git('config', '-f', '.gitmodules', `submodule.${path}.path`, path)
      await repository.git('config', '-f', '.gitmodules', `submodule.${path}.url`, './nowhere')
      await repository.git('update-index', '--add', '--cacheinfo', `160000,${head},${path}`)
      mkdirSync(join(repository.path, path), { recursive: true })
    }
    await repository.git('config', '-f', '.gitmodules', 'submodule.none.path', 'not/of/this/commit')
    await repository.git('add', '.gitmodules')
    await repository.commit({ '.gitignore': 'conf/\n' }, 'Submodules')
    mkdirSync(join(repository.path, 'conf'))
    writeFileSync(join(repository.path, 'conf', 'real'), 'real')
    symlinkSync(join(repository.path, 'conf', 'real'), join(repository.path, 'conf', 'link'))

    const { spawned, errors } = await tree.call('spawn_workers', {
      specs: ['Ünïcode näme', 'filled'].map((name) => ({ name, prompt: 'x' })),
    })
    expect(errors).toEqual([])
    const [bare, filled] = spawned
    expect(readlinkSync(join(bare.worktree, 'conf', 'link'))).toBe('real')
    expect(
      readFileSync(join(repository.folder, 'unicode-name.env'), 'utf8').trim().split('\n'),
    ).toEqual([
      `EXOMONAD_AGENT_ID=${bare.agent_id}`,
      'EXOMONAD_AGENT_NAME=unicode-name',
      'EXOMONAD_BASE_BRANCH=main',
      'EXOMONAD_BRANCH=main.unicode-name',
      `EXOMONAD_PARENT_ID=${(await tree.tree()).root.id}`,
      expect.stringMatching(/^EXOMONAD_PORT_BASE=2\d\d\d0$/),
      `EXOMONAD_REPOSITORY=${repository.path}`,
      'EXOMONAD_ROLE=dev',
      expect.stringMatching(/^EXOMONAD_SLOT=[12]$/),
      `EXOMONAD_WORKTREE=${bare.worktree}`,
    ])
    expect(bare.warnings).toEqual([
      expect.stringMatching(
        /^The submodules vendor\/one, vendor\/two words are empty .*submodule.*update/,
      ),
    ])
    expect(filled.warnings).toEqual([])

    symlinkSync('../..', join(repository.path, 'conf', 'way-out'))
    const refused = await tree.call('spawn_workers', { specs: [{ name: 'out', prompt: 'x' }] })
    expect(refused.errors[0]).toMatchObject({
      code: 'OUTSIDE_ROOT',
      error: expect.stringMatching(/conf\/way-out.*leads out/),
    })
    expect(await tree.agent('out')).toBeUndefined()
  })
})

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad } from '../../helpers/daemon.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { waitFor } from '../../helpers/wait-for.ts'

describeWith(['tmux'], 'a configuration that names another multiplexer', () => {
  it('holds once no agent runs in the one before: they stay there across a crash of the daemon', async () => {
    const tree = await startExomonad({ multiplexer: 'tmux' })
    onTestFinished(() => tree.stop())
    await tree.call('spawn_workers', { specs: [{ name: 'stays', prompt: 'x' }] })
    await waitFor('it to idle', async () => (await tree.agent('stays')).state === 'idle')
    const { pid } = await tree.agent('stays')
    const file = join(tree.repository.path, '.exomonad', 'config.toml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('kind = "tmux"', 'kind = "headless"'))
    await tree.crash()

    await tree.command(['daemon', 'start'])
    await tree.call('send', { to: 'stays', message: 'still there?' })
    await waitFor('the message', () =>
      tree
        .log('stays')
        .some((entry) => entry['kind'] === 'message' && entry['text'].includes('still there?')),
    )
    expect(await tree.agent('stays')).toMatchObject({ pid })

    await tree.command(['down'])
    // An id of a terminal of the headless host.
    expect((await tree.command(['resume', '--all'])).stdout).toMatch(/stays .*in pane p-[0-9a-f]+/)
  })
  it('has its socket where TMUX_TMPDIR says, once no agent runs in the one that another daemon found', async () => {
    const tree = await startExomonad({ multiplexer: 'tmux' })
    onTestFinished(() => tree.stop())
    const env = { TMUX_TMPDIR: tree.repository.folder }
    const folder = join(tree.repository.folder, `tmux-${String(process.getuid?.())}`)
    await tree.call('spawn_workers', { specs: [{ name: 'stays', prompt: 'x' }] })
    await waitFor('it to idle', async () => (await tree.agent('stays')).state === 'idle')
    const { pid } = await tree.agent('stays')
    await tree.crash()

    await tree.command(['daemon', 'start'], { env })
    await tree.call('send', { to: 'stays', message: 'still there?' })
    await waitFor('the message', () =>
      tree
        .log('stays')
        .some((entry) => entry['kind'] === 'message' && entry['text'].includes('still there?')),
    )
    expect(await tree.agent('stays')).toMatchObject({ pid })
    // Who asks tmux has it make the folder.
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])

    await tree.command(['down'], { env })
    await tree.command(['resume', '--all'], { env })
    await waitFor('it to run again', async () => (await tree.agent('stays')).state === 'idle')
    const [socket = ''] = readdirSync(folder)
    expect(socket).toMatch(/^exomonad-/)
    // From a shell that knows nothing of it.
    expect((await tree.run(['attach', 'stays', '--print'])).stdout).toContain(join(folder, socket))
    await tree.command(['down'])
  })
})

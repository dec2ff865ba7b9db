import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad } from '../helpers/daemon.ts'
import { describeWith } from '../helpers/require-tool.ts'
import { waitFor } from '../helpers/wait-for.ts'

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

    await tree.run(['daemon', 'start'])
    await tree.call('send', { to: 'stays', message: 'still there?' })
    await waitFor('the message', () => tree.log('stays').some((entry) => entry['kind'] === 'message' && entry['text'].includes('still there?')))
    expect(await tree.agent('stays')).toMatchObject({ pid })

    await tree.run(['down'])
    // An id of a terminal of the headless host.
    expect((await tree.run(['resume', '--all'])).stdout).toMatch(/stays .*in pane p-[0-9a-f]+/)
  })
})

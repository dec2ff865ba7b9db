import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * A tree whose processes take this machine for a Mac (test/fixtures/platform/as-macos.js): listed by
 * ps, no /proc, macOS's flags for copies. docs/platforms.md says what that shows, and what it can't.
 */
const AS_MACOS = join(import.meta.dirname, '..', '..', 'fixtures', 'platform', 'as-macos.js')
const LIMIT = { limit: 60_000 }

describeWith(['tmux', 'ps'], 'as on macOS', () => {
  const folder = mkdtempSync(join(tmpdir(), 't-as-macos-'))
  const log = join(folder, 'log')
  let tree: Exomonad
  beforeAll(async () => {
    const preloaded = `--import=${pathToFileURL(AS_MACOS).href}`
    tree = await startExomonad({
      multiplexer: 'tmux',
      env: { NODE_OPTIONS: preloaded, AS_MACOS_LOG: log },
    })
  })
  afterAll(async () => {
    await tree?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('works, is folded back, and goes on after a crash of the daemon', async () => {
    tree.script('auth', {
      steps: [
        { do: 'write', path: 'auth.txt', content: 'in' },
        { do: 'commit', message: 'Add auth' },
        { do: 'tool', name: 'file_pr', input: { title: 'Auth', body: 'It.' } },
      ],
    })
    tree.script('idler', { steps: [] })
    await tree.call('spawn_workers', {
      specs: ['auth', 'idler'].map((name) => ({ name, prompt: 'Do it' })),
    })
    await waitFor('the pull request', async () => (await tree.agent('auth'))?.pr != null, LIMIT)
    await tree.crash()
    const { number } = (await tree.agent('auth')).pr
    await tree.call('merge_pr', { pr_number: number })
    await waitFor('the merge', async () => (await tree.agent('auth')).pr.state === 'merged', LIMIT)
    // It is the program that was there before: adopted, and not begun anew.
    expect((await tree.events()).filter(({ type }) => type === 'agent.resumed')).toEqual([])
    await tree.call('kill', { agent: 'idler' })
    expect(await tree.agent('idler')).toMatchObject({ state: 'killed' })

    const noted = readFileSync(log, 'utf8').trim().split('\n')
    expect(noted).toContain(`${await tree.daemonPid()} started`)
    // Nobody there looks for what Linux alone has.
    expect(noted.filter((line) => !line.endsWith(' started'))).toEqual([])
  })
})

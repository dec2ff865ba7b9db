import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../helpers/daemon.ts'
import { processesOf } from '../helpers/demo.ts'
import { isAlive } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { serversAmong, whyNoZellij } from '../helpers/zellij.ts'

/** Command lines of what was started out of the folder. */
const programs = (folder: string): string[] => processesOf(folder).map(commandLine)

const serversOf = (folder: string): number[] =>
  serversAmong(
    processesOf(folder)
      .filter((pid) => commandLine(pid).includes('zellij --server'))
      .map(Number),
  )

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return 'ended meanwhile'
  }
}

/** Whether a paste waits for its Enter in some pane. */
const pastedOnly = (tree: Exomonad): boolean => {
  const folder = join(tree.state, 'zellij', 'panes')
  const records = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return records.some((name) => {
    const { pasted, entered } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    return pasted !== null && pasted !== entered
  })
}

async function prepare(): Promise<Exomonad> {
  const tree = await startExomonad({ multiplexer: 'zellij' })
  onTestFinished(() => tree.stop())
  return tree
}

const reason = whyNoZellij()
const title = 'a tree in Zellij'
if (reason !== null) describe.skip(`${title} (skipped: ${reason})`, () => undefined)
else
  describe(title, () => {
    it('grows, is spoken to, goes on while its daemon is killed, and is attached to', async () => {
      const tree = await prepare()
      tree.script('w', { steps: [] })
      expect(await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })).toMatchObject({ errors: [] })
      const { pid } = await tree.agent('w')
      await tree.crash()
      expect(isAlive(pid)).toBe(true)
      await tree.call('send', { to: 'w', message: 'after the crash' })
      await tree.logged('w', 'the message', (entry) => JSON.stringify(entry).includes('after the crash'))
      expect((await tree.agent('w')).pid).toBe(pid)
      const attached = await tree.run(['call', 'attach', '-'], { input: JSON.stringify({ agent: 'w' }) })
      expect(attached.json).toMatchObject({ multiplexer: 'zellij', argv: expect.arrayContaining([expect.any(String)]) })
    })

    it('hears every message once, many at once and one whose daemon is killed before Enter', async () => {
      const tree = await startExomonad({ multiplexer: 'zellij', init: false })
      onTestFinished(() => tree.stop())
      const config = join(tree.repository.path, '.exomonad', 'config.toml')
      // Long enough for a daemon to be killed meanwhile.
      writeFileSync(config, readFileSync(config, 'utf8').replace('enter_delay_ms = 20', 'enter_delay_ms = 1500'))
      await tree.run(['init'])
      tree.script('w', { steps: [] })
      await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
      await tree.logged('w', 'its start', ({ kind }) => kind === 'ready')
      const heard = (): string[] => tree.log('w').flatMap(({ kind, text }) => (kind === 'message' ? [...String(text).matchAll(/word-\d+-/g)].map(String) : []))
      const words = Array.from({ length: 20 }, (_, index) => `word-${index}-`)
      await Promise.all(words.map((word) => tree.call('send', { to: 'w', message: `Look at ${word}` })))
      await waitFor('all of them', () => heard().length >= words.length, { limit: 60_000 })
      await waitFor('it to idle', async () => (await tree.agent('w')).state === 'idle')

      const daemon = await tree.daemonPid()
      await tree.call('send', { to: 'w', message: 'Look at word-20-' })
      await waitFor('the paste', () => pastedOnly(tree))
      process.kill(daemon, 'SIGKILL')
      await waitFor('the daemon to be gone', () => !isAlive(daemon))
      expect(heard()).not.toContain('word-20-')
      await tree.tree()
      await waitFor('the last', () => heard().includes('word-20-'), { limit: 60_000 })
      await waitFor('it to be known', async () => (await tree.agent('w')).undelivered === 0 && (await tree.agent('w')).undecided === 0)
      expect(heard().toSorted()).toEqual([...words, 'word-20-'].toSorted())
    })

    it.each(['stopped', 'running'])('is ended by deinit, session and all, with its daemon %s', async (daemon) => {
      const tree = await prepare()
      const { folder } = tree.repository
      tree.script('w', { steps: [] })
      await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
      const { pid } = await tree.agent('w')
      expect(serversOf(folder)).toHaveLength(1)
      if (daemon === 'stopped') await tree.run(['daemon', 'stop'])
      expect(await tree.run(['deinit', '--json', '--force'])).toMatchObject({ code: 0 })
      expect(isAlive(pid)).toBe(false)
      await waitFor('all its processes to be gone', () => programs(folder).length === 0)
    })

    it('is there from the first init on that is run in it', async () => {
      const tree = await startExomonad({ init: false })
      onTestFinished(() => tree.stop())
      rmSync(join(tree.repository.path, '.exomonad'), { recursive: true })
      const { json } = await tree.run(['init', '--json'], { env: { TMPDIR: tree.repository.folder, ZELLIJ: '0' } })
      expect(json.multiplexer).toEqual({ kind: 'zellij', why: expect.stringMatching(/^this is Zellij \d/), refused: [], written: true, change: null })
      expect(readFileSync(json.config, 'utf8')).toContain('\n[multiplexer]\nkind = "zellij"\n')
      expect((await tree.tree()).root.branch).toBe('main')
    })

    it('goes there from elsewhere by init, down and resume', async () => {
      const tree = await startExomonad({ multiplexer: 'headless' })
      onTestFinished(() => tree.stop())
      const env = { TMPDIR: tree.repository.folder }
      tree.script('w', { steps: [] })
      await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
      const moved = await tree.run(['init', '--json'], { env: { ...env, ZELLIJ: '0' } })
      expect(moved.json.multiplexer).toMatchObject({ kind: 'zellij', written: true, change: expect.stringContaining('exomonad down') })
      await tree.run(['down'])
      await tree.run(['resume', '--all'], { env })
      await waitFor('the agent to run', async () => (await tree.agent('w')).pid !== null)
      expect(serversOf(tree.repository.folder)).toHaveLength(1)
    })
  })

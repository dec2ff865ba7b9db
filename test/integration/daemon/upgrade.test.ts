import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config/load.ts'
import { ALL_TOOLS } from '../../../src/tools/all.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { hasHistory, installEarlier, removeBuilds, type Installed } from '../../helpers/earlier.ts'
import { isAlive } from '../../helpers/processes.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * An exomonad of before, built from this repository’s history, is replaced by today’s while its
 * agents work: the way of a person who installs a new version over the old one.
 */
const EARLIER = [
  /** The first that was bundled: store version 1. */
  { commit: '6bebd348', terminals: 'tmux', ended: 'stopped', tasks: false },
  { commit: '6bebd348', terminals: 'headless', ended: 'killed', tasks: false },
  /** Store version 6, and two hosts, one for terminals and one for what has none. */
  { commit: 'c1bbe2af', terminals: 'tmux', ended: 'killed', tasks: true },
  /** Store version 8, and one host. */
  { commit: '8a0acf2b', terminals: 'headless', ended: 'stopped', tasks: true },
] as const

const isBuildable = await hasHistory()
if (!isBuildable)
  console.warn(
    'upgrade: skipped, this checkout has no history to build from (git fetch --unshallow)',
  )

afterAll(removeBuilds)

describe.skipIf(!isBuildable).each(EARLIER)(
  'an exomonad of before ($commit, $terminals)',
  (earlier) => {
    const { commit, terminals, ended, tasks } = earlier
    let folder: string
    let installed: Installed
    let tree: Exomonad

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'e-'))
      installed = await installEarlier(commit, join(folder, 'lib'))
      tree = await startExomonad({
        init: false,
        bin: installed.bin,
        agent: installed.agent,
        multiplexer: terminals,
      })
    })
    afterAll(async () => {
      await installed?.upgrade()
      await tree?.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    /** By the command line of the version that is installed. */
    const earlierCall = async (tool: string, input: unknown = {}): Promise<any> => {
      const { code, json, stdout, stderr } = await tree.run(['call', tool, '-'], {
        input: JSON.stringify(input),
      })
      if (code !== 0) throw new Error(`call ${tool}: ${stdout}${stderr}`)
      return json
    }
    const shape = (root: any): any[] => {
      const flatten = (node: any): any[] => [node, ...node.children.flatMap(flatten)]
      return flatten(root).map(({ id, name, branch, pid, kind }) => ({
        id,
        name,
        branch,
        pid,
        kind,
      }))
    }

    it('has its configuration understood', async () => {
      const toolNames = ALL_TOOLS.map(({ name }) => name)
      await loadConfig(installed.exampleConfig, { toolNames })
    })

    it('is taken over as it stands, and goes on', async () => {
      const init = await tree.run(['init'])
      expect([init.code, init.stdout]).toEqual([0, expect.anything()])
      tree.script('worker', {
        steps: [
          { do: 'write', path: 'a.txt', content: 'a' },
          { do: 'commit', message: 'Add a' },
          { do: 'tool', name: 'file_pr', input: { title: 'Add a', body: 'It was missing.' } },
        ],
        on: [{ match: 'say something', steps: [toParent('heard it')] }],
      })
      tree.script('asker', {
        steps: [
          toParent('sent before'),
          { do: 'tool', name: 'question', input: { message: 'which one?', timeout: 0 } },
        ],
      })
      tree.script('writer', {
        steps: [{ do: 'write', path: 'not-committed.txt', content: 'b' }],
        stop: false,
      })
      await earlierCall('spawn_workers', {
        specs: [
          { name: 'worker', prompt: 'Add a' },
          { name: 'asker', prompt: 'Ask' },
          { name: 'writer', prompt: 'Write' },
        ],
      })
      await tree.logged('worker', 'its stop', ({ kind }) => kind === 'stop')
      await tree.logged('asker', 'its stop', ({ kind }) => kind === 'stop')
      await tree.logged('writer', 'its file', ({ kind }) => kind === 'step')
      if (tasks)
        await earlierCall('spawn_background_task', { command: 'read x; echo "got $x"; cat' })
      const before = shape((await earlierCall('tree')).root)
      const { pull_requests: pulls } = await earlierCall('pr_list')
      const { pid } = (await tree.run(['daemon', 'status', '--json'])).json

      await installed.upgrade()
      // The daemon of before still runs: what it does not understand is not left at that.
      expect(await tree.run(['tree'])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/another exomonad.*exomonad daemon stop/),
      })
      if (ended === 'killed') process.kill(pid, 'SIGKILL')
      else expect(await tree.run(['daemon', 'stop'])).toMatchObject({ code: 0 })
      await waitFor('the earlier daemon to be gone', () => !isAlive(pid))
      const start = await tree.run(['daemon', 'start'])
      expect([start.code, start.stdout]).toEqual([0, expect.stringContaining('The daemon runs')])

      expect(shape((await tree.tree()).root)).toEqual(before)
      for (const { pid: running } of before)
        if (running !== null) expect(isAlive(running)).toBe(true)
      const [pull] = (await tree.call('pr_list')).pull_requests
      expect(pull).toMatchObject({ number: 1, head_sha: pulls[0].head_sha, state: 'open' })
      const inbox = JSON.stringify(await tree.call('inbox'))
      expect(inbox).toContain('sent before')
      expect(inbox).toContain('asker asks: which one?')
      expect((await tree.run(['doctor', '--json'])).json).toMatchObject({ ok: true })
    })

    it('has its agents hear, answer and be answered, and their work merged', async () => {
      await tree.call('send', { to: 'worker', message: 'say something' })
      await tree.logged(
        'worker',
        'its reply',
        ({ kind, name, status }) => kind === 'tool' && name === 'send' && status === 200,
      )
      await waitFor('the reply to be there', async () =>
        JSON.stringify(await tree.call('inbox')).includes('heard it'),
      )
      await tree.run(['answer', 'asker', 'the second'])
      await tree.logged('asker', 'the answer', ({ text }) => String(text).includes('the second'))
      const merged = await tree.call('merge_pr', { pr_number: 1 })
      expect(merged).toMatchObject({ merged: true, local_synced: true })
      expect(existsSync(join(tree.repository.path, 'a.txt'))).toBe(true)
      const { worktree } = await tree.agent('writer')
      expect(existsSync(join(worktree, 'not-committed.txt'))).toBe(true)
      const texts = tree.log('worker').filter(({ text }) => String(text).includes('say something'))
      expect(texts).toHaveLength(1)
    })

    it('has new agents beside its own, all of which can be ended', async () => {
      tree.script('new', { steps: [toParent('I am new')] })
      await tree.call('spawn_workers', { specs: [{ name: 'new', prompt: 'x' }] })
      await tree.logged('new', 'its mail', ({ kind }) => kind === 'tool')
      const running = shape((await tree.tree()).root).flatMap(({ pid }) => pid ?? [])
      if (tasks) {
        const task = (await tree.tree()).root.children.find(
          ({ command }: { command: string | null }) => command !== null,
        )
        await tree.call('write_stdin', { agent_id: task.id, data: 'a line' })
        await waitFor('its output', async () =>
          JSON.stringify(await tree.call('screen', { agent: task.id })).includes('got a line'),
        )
      }
      const hosts = hostsOf(tree.state)
      expect((await tree.run(['down'])).code).toBe(0)
      for (const pid of [...running, ...hosts])
        await waitFor(`process ${pid} to end`, () => !isAlive(pid))
    })

    it('refuses the store that today’s has written, and says what to do', async () => {
      await installed.downgrade()
      const refused = await tree.run(['daemon', 'start'])
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(/STORE_TOO_NEW/)
      expect(refused.stderr).toMatch(/newer exomonad.*Use that exomonad/s)
      const [copy] = readdirSync(join(tree.state, 'backups')).filter((name) =>
        name.includes('-version-'),
      )
      expect(copy).toBeDefined()
      if (tasks) {
        const backup = join(tree.state, 'backups', copy ?? '')
        const restored = await tree.run(['store', 'restore', backup])
        expect([restored.code, restored.stderr]).toEqual([0, expect.not.stringContaining('✗')])
        expect(JSON.stringify(await earlierCall('tree'))).toContain('main.worker')
        await tree.run(['daemon', 'stop'])
      }
      await installed.upgrade()
      expect((await tree.run(['daemon', 'start'])).code).toBe(0)
      if (!tasks) expect(shape((await tree.tree()).root)).toHaveLength(tasks ? 6 : 5)
    })
  },
)

const toParent = (message: string) => ({
  do: 'tool',
  name: 'send',
  input: { to: '${env.EXOMONAD_PARENT_ID}', message },
})

/** Those that hold terminals or processes for this repository, of any version. */
const hostsOf = (state: string): number[] =>
  ['pty-host.json', 'runner.json', 'detached-host.json']
    .map((name) => join(state, name))
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, 'utf8')).pid as number)

import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHostedTerminal } from '../../../src/adapters/terminals/detached/hosted-terminal.ts'
import { repositoryHash, terminalsOf } from '../../../src/runtime/paths.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { layoutIn } from '../../helpers/terminals/layout.ts'
import { processesOf } from '../../helpers/demo.ts'
import { isAlive } from '../../helpers/processes.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { serversAmong, whyNoZellij } from '../../helpers/terminals/zellij.ts'
import { verifies } from '../../requirements.ts'

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

async function prepare(): Promise<Exomonad> {
  const tree = await startExomonad({ multiplexer: 'zellij' })
  onTestFinished(() => tree.stop())
  return tree
}

const reason = whyNoZellij()
const title = verifies('R004-21', 'a tree in Zellij')
if (reason !== null) describe.skip(`${title} (skipped: ${reason})`, () => undefined)
else
  describe(title, () => {
    it('grows, asks, is answered, merges, goes on while its daemon is killed, is attached to, and ends', async () => {
      const tree = await prepare()
      tree.script('w', {
        steps: [
          {
            do: 'tool',
            name: 'question',
            input: { message: 'Which way?', timeout: 60 },
            as: 'asked',
          },
          { do: 'write', path: 'work.txt', content: 'done\n' },
          { do: 'commit', message: 'Add work' },
          { do: 'tool', name: 'file_pr', input: { title: 'Add work', body: 'As asked.' } },
        ],
      })
      expect(
        await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] }),
      ).toMatchObject({ errors: [] })
      const { pid, pane } = await tree.agent('w')
      // Zellij shows it and holds nothing.
      expect(pane).toMatch(/^(%\d|p-)/)
      await tree.logged('w', 'its start', ({ kind }) => kind === 'ready')
      await waitFor('the question', async () =>
        (await tree.command(['inbox', '--json'])).stdout.includes('Which way?'),
      )
      await tree.call('answer_question', { agent: 'w', message: 'that way' })
      await waitFor('the pull request', async () => (await tree.agent('w')).pr != null)
      await waitFor('its tab', async () => (await layoutIn.zellij.panes(tree)).length === 1)

      await tree.crash()
      expect(isAlive(pid)).toBe(true)
      await tree.call('send', { to: 'w', message: 'after the crash' })
      await tree.logged('w', 'the message', (entry) =>
        JSON.stringify(entry).includes('after the crash'),
      )
      expect((await tree.agent('w')).pid).toBe(pid)

      const attached = await tree.run(['attach', 'w', '--print', '--json'])
      expect(attached.json).toMatchObject({
        multiplexer: 'zellij',
        argv: expect.arrayContaining(['attach']),
      })
      const person = createHostedTerminal({
        argv: attached.json.argv,
        cwd: '/',
        env: { ...tree.repository.env, TERM: 'xterm-256color', TMPDIR: tree.repository.folder },
        columns: 120,
        rows: 40,
        onOutput: () => undefined,
      })
      onTestFinished(() => person.dispose())
      await waitFor('the person to be in front of it', () => layoutIn.zellij.isInFront(tree, pane))

      await waitFor('it to be idle', async () => (await tree.agent('w')).state === 'idle')
      expect(
        await tree.call('merge_pr', { pr_number: (await tree.agent('w')).pr.number }),
      ).toMatchObject({ merged: true })
      await tree.call('kill', { agent: 'w' })
      await waitFor('its program to end', () => !isAlive(pid))
      await waitFor('its view to go', async () => (await layoutIn.zellij.panes(tree)).length === 0)
    })

    it('names agents of a session of an older version, with what to do, and leaves their programs alone', async () => {
      const tree = await prepare()
      tree.script('w', { steps: [] })
      await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
      const { id } = await tree.agent('w')
      await tree.command(['down'])
      // As the version before left it: the pane in the store is one of Zellij’s, whose session the
      // program runs in.
      const program = spawn('sleep', ['600'], {
        env: { PATH: process.env['PATH'] ?? '', EXOMONAD_AGENT_ID: id },
      })
      onTestFinished(() => void program.kill('SIGKILL'))
      const ended = new Promise((resolve) => program.once('exit', resolve))
      const former = terminalsOf(repositoryHash(dirname(tree.state))).formerZellijSession
      const folder = join(tree.state, 'zellij', 'panes')
      mkdirSync(folder, { recursive: true })
      writeFileSync(
        join(folder, 'one.json'),
        JSON.stringify({ agentId: id, name: 'main.w ○ idle', framed: false, pasted: null }),
      )
      writeFileSync(join(folder, 'one.pid'), `${program.pid}\n`)
      const store = new Database(join(tree.state, 'store.db'))
      store
        .prepare(
          "update agents set paneId = 'terminal_3', pid = ?, state = 'running', stateReason = null where id = ?",
        )
        .run(program.pid, id)
      store.close()

      const what = expect.stringContaining(`zellij attach ${former}`)
      expect((await tree.command(['doctor', '--json'])).json.findings).toContainEqual(
        expect.objectContaining({
          subject: 'zellij',
          status: 'warning',
          found: expect.stringContaining('main.w'),
          fix: what,
        }),
      )
      await waitFor('it to be reported', async () => (await tree.agent('w')).state === 'failed')
      expect(JSON.stringify(await tree.agent('w'))).toEqual(what)
      expect(readFileSync(join(tree.state, 'logs', 'daemon.log'), 'utf8')).toContain(
        `zellij attach ${former}`,
      )
      expect(program.exitCode).toBeNull()
      expect(program.signalCode).toBeNull()
      await tree.call('resume', { agent: 'w' })
      await ended
      expect((await tree.agent('w')).pane).toMatch(/^(%\d|p-)/)
    })

    it.each(['stopped', 'running'])(
      'is ended by deinit, session and all, with its daemon %s',
      async (daemon) => {
        const tree = await prepare()
        const { folder } = tree.repository
        tree.script('w', { steps: [] })
        await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
        const { pid } = await tree.agent('w')
        await waitFor('its session', () => serversOf(folder).length === 1)
        if (daemon === 'stopped') await tree.command(['daemon', 'stop'])
        expect(await tree.command(['deinit', '--json', '--force'])).toMatchObject({ code: 0 })
        expect(isAlive(pid)).toBe(false)
        await waitFor('all its processes to be gone', () => programs(folder).length === 0)
      },
    )

    it('is there from the first init on that is run in it', async () => {
      const tree = await startExomonad({ init: false })
      onTestFinished(() => tree.stop())
      rmSync(join(tree.repository.path, '.exomonad'), { recursive: true })
      const { json } = await tree.command(['init', '--json'], {
        env: { TMPDIR: tree.repository.folder, ZELLIJ: '0' },
      })
      expect(json.multiplexer).toEqual({
        kind: 'zellij',
        why: expect.stringMatching(/^this is Zellij \d/),
        refused: [],
        written: true,
        change: null,
      })
      expect(readFileSync(json.config, 'utf8')).toContain('\n[multiplexer]\nkind = "zellij"\n')
      expect((await tree.tree()).root.branch).toBe('main')
    })

    it('goes there from elsewhere by init, down and resume', async () => {
      const tree = await startExomonad({ multiplexer: 'headless' })
      onTestFinished(() => tree.stop())
      const env = { TMPDIR: tree.repository.folder }
      tree.script('w', { steps: [] })
      await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
      const moved = await tree.command(['init', '--json'], { env: { ...env, ZELLIJ: '0' } })
      expect(moved.json.multiplexer).toMatchObject({
        kind: 'zellij',
        written: true,
        change: expect.stringContaining('exomonad down'),
      })
      await tree.command(['down'])
      await tree.command(['resume', '--all'], { env })
      await waitFor('the agent to run', async () => (await tree.agent('w')).pid !== null)
      await waitFor('its session', () => serversOf(tree.repository.folder).length === 1)
    })
  })

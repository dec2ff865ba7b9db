import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { repositoryHash } from '../../../src/runtime/paths.ts'
import { runProgram } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'
import { processesOf, type DemoPlace } from '../../helpers/demo.ts'
import { startPostgres, whyNoPostgres } from '../../helpers/postgres.ts'
import { tempRepository } from '../../helpers/temp-repository.ts'
import { demo, LIMIT, place } from '../../helpers/own-demo.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

const tmuxSocket = (repository: string): string =>
  join(
    '/tmp',
    `tmux-${process.getuid?.() ?? 0}`,
    `exomonad-${repositoryHash(join(repository, '.git'))}`,
  )

/** No demo folder, process or tmux server is left. */
async function expectNothingLeft({ folder }: DemoPlace, repository?: string): Promise<void> {
  expect(readdirSync(folder).filter((name) => name.startsWith('exomonad'))).toEqual([])
  await waitFor('the demo’s processes to be gone', () => processesOf(folder).length === 0)
  if (repository === undefined) return
  const server = await runProgram('tmux', ['-S', tmuxSocket(repository), 'list-sessions'], {
    env: { PATH: process.env['PATH'] ?? '' },
  })
  expect(server.code).not.toBe(0)
}

describe('the demo, without tmux', () => {
  it(
    verifies(
      'R004-18',
      'runs in headless terminals, on PostgreSQL where there is one, and leaves no folder, process, socket or schema',
    ),
    async () => {
      const own = place()
      const server = whyNoPostgres() === null ? await startPostgres() : undefined
      onTestFinished(async () => server?.dispose())
      const onPostgres = server === undefined ? [] : ['--store', 'postgres']
      const run = await demo(
        server === undefined
          ? own
          : { ...own, env: { ...own.env, EXOMONAD_STORE_URL: server.url() } },
        ...['--json', '--multiplexer', 'headless', ...onPostgres],
      )
      expect(run.stderr).toBe('')
      expect(run.json).toMatchObject({ ok: true, prs_merged: 6, failed_deliveries: 0 })
      expect(run.code).toBe(0)
      await expectNothingLeft(own)
      expect(
        await server?.sql("select nspname from pg_namespace where nspname like 'exomonad%'"),
      ).toEqual(server === undefined ? undefined : [])
    },
    LIMIT,
  )

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

  it(
    'cleans up after Ctrl-C',
    async () => {
      const own = place()
      const child = spawn(process.execPath, [BIN, 'demo', '--multiplexer', 'headless'], {
        cwd: own.folder,
        env: own.env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => (output += String(chunk)))
      // Closed, not only ended: by then all that it said has been read.
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
      await waitFor('workers to be spawned', () => output.includes('duration (worker)'), {
        limit: 60_000,
      })
      child.kill('SIGINT')
      expect(await ended).toBe(1)
      expect(output).toContain('interrupted')
      await expectNothingLeft(own)
    },
    LIMIT,
  )
})

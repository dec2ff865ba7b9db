import { spawn } from 'node:child_process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BIN } from '../../helpers/programs.ts'
import { startPostgres, whyNoPostgres } from '../../helpers/postgres.ts'
import { demo, expectNothingLeft, LIMIT, place } from '../../helpers/own-demo.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

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

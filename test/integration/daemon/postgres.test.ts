import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { endTerminals, startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { type Server, startPostgres, whyNoPostgres } from '../../helpers/postgres.ts'
import { isAlive } from '../../helpers/processes.ts'
import { BIN } from '../../helpers/programs.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** The real daemon with its store on a real PostgreSQL, which goes away under it. */
const LIMIT = { limit: 60_000 }
const hooks = join(import.meta.dirname, '..', '..', '..', 'hooks')

describe.skipIf(whyNoPostgres() !== null)('a daemon whose store is on PostgreSQL', () => {
  let server: Server
  let tree: Exomonad
  beforeAll(async () => {
    server = await startPostgres()
    tree = await startExomonad({
      config:
        '[store]\nkind = "postgres"\nurl_file = "~/store-url"\n[liveness]\nreconcile_every = 1\n',
      prepareHome: (home) =>
        writeFileSync(join(home, 'store-url'), `${server.url()}\n`, { mode: 0o600 }),
    })
  })
  afterAll(async () => {
    await tree?.stop()
    await server?.dispose()
  })
  const schemaOf = async (): Promise<string> => {
    const [row] = await server.sql(
      "select nspname from pg_namespace where nspname like 'exomonad%'",
    )
    return String(row?.['nspname'])
  }

  it('keeps its records there, and no file of SQLite', async () => {
    tree.script('first', { steps: [{ do: 'complete', success: true, summary: 'done' }] })
    await tree.call('spawn_workers', { specs: [{ name: 'first', prompt: 'x' }] })
    await waitFor('it to be done', async () => (await tree.agent('first'))?.outcome?.success, LIMIT)
    const rows = await server.sql(`select name from ${await schemaOf()}.agents order by seq`)
    expect(rows.map(({ name }) => name)).toContain('first')
    expect(existsSync(join(tree.state, 'store.db'))).toBe(false)
  })

  it('says so to tools while the server is gone, lets hooks pass, loses nothing and goes on by itself', async () => {
    const go = join(tree.scripts, 'go')
    tree.script('steady', {
      steps: [
        { do: 'tool', name: 'send', input: { to: '${env.EXOMONAD_PARENT_ID}', message: 'before' } },
        { do: 'file', path: go },
        {
          do: 'sh',
          command: `echo '{"tool_name":"Bash"}' | sh ${hooks}/tool.sh; echo "left with $?"`,
        },
        { do: 'tool', name: 'send', input: { to: '${env.EXOMONAD_PARENT_ID}', message: 'during' } },
        { do: 'stop' },
      ],
    })
    tree.script('waiter', {
      steps: [{ do: 'tool', name: 'wait', input: { timeout: 100 }, as: 'found' }],
    })
    await tree.call('spawn_workers', {
      specs: [
        { name: 'steady', prompt: 'x' },
        { name: 'waiter', prompt: 'x' },
      ],
    })
    await tree.logged('steady', 'its mail to be sent', ({ kind }) => kind === 'tool')
    await waitFor(
      'the other to wait',
      async () => (await tree.agent('waiter'))?.state === 'waiting',
      LIMIT,
    )
    const [pid, waiter] = [await tree.daemonPid(), await tree.agent('waiter')]

    await server.kill()
    const refused = await tree.refusal('tree')
    expect(refused).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      error: expect.stringMatching(/no server listens there.*Start it.*Try again/s),
    })
    writeFileSync(go, '')
    const hook = await tree.logged('steady', 'a hook', ({ kind }) => kind === 'sh')
    expect(hook).toMatchObject({ stdout: expect.stringContaining('left with 0') })
    expect(hook['stderr']).toContain('waits in the spool')
    const during = await tree.logged(
      'steady',
      'a tool to be refused',
      ({ kind, input }) => kind === 'tool' && input?.message === 'during',
    )
    expect(during).toMatchObject({ status: 503, answer: { code: 'STORE_UNAVAILABLE' } })
    await tree.logged('steady', 'its turn to end', ({ kind }) => kind === 'stop')
    expect([isAlive(pid), await tree.daemonPid()]).toEqual([true, pid])

    await server.start()
    await waitFor('the store to be back', () => tree.tree(), LIMIT)
    const inbox = JSON.stringify(await tree.call('inbox'))
    expect(inbox).toContain('before')
    expect(inbox).not.toContain('during')
    // The wait that was open takes what comes now.
    const { id: steady } = await tree.agent('steady')
    await tree.call('send', { to: waiter.id, message: 'are you there' }, { as: steady })
    expect(
      await tree.logged(
        'waiter',
        'its mail',
        ({ kind, name }) => kind === 'tool' && name === 'wait',
      ),
    ).toMatchObject({ status: 200, answer: { message: 'are you there' } })
    await waitFor(
      'the spool to be read',
      () =>
        readdirSync(join(tree.state, 'spool')).filter((name) => !name.startsWith('.')).length === 0,
      LIMIT,
    )
    expect(await tree.daemonPid()).toBe(pid)
  })

  it('is itself killed while the server is gone, and adopts its agents when both are back', async () => {
    const before = await tree.agent('waiter')
    await server.kill()
    await tree.crash()
    const start = await tree.command(['daemon', 'start'])
    expect(start.code).not.toBe(0)
    expect(start.stderr).toMatch(/no server listens there/)
    await server.start()
    expect(await tree.agent('waiter')).toMatchObject({ id: before.id, pid: before.pid })
    expect(isAlive(before.pid)).toBe(true)
  })

  it('of a second clone is refused while this one runs, and its tree is not taken for its own after that', async () => {
    const other = await startExomonad({
      config: `[store]\nkind = "postgres"\nurl_file = "~/store-url"\nschema = "${await schemaOf()}"\n`,
      init: false,
      prepareHome: (home) => writeFileSync(join(home, 'store-url'), server.url(), { mode: 0o600 }),
    })
    onTestFinished(() => other.stop())
    const init = await other.command(['init'])
    const said = `${init.stdout}${init.stderr}`
    expect(said).toMatch(/Another daemon has this store .*process \d+, for \d+/)
    expect(said).toContain(tree.repository.path)
    await tree.command(['daemon', 'stop'])
    expect((await other.command(['daemon', 'start'])).stderr).toMatch(
      /tree of another repository: .*Nothing was touched/,
    )
    expect(await tree.agent('first')).toMatchObject({ name: 'first' })
    expect(readFileSync(join(tree.state, 'tree-id'), 'utf8')).not.toBe('')
  })

  describe('in a backup', () => {
    let file: string
    let clone: string
    const inClone = (...args: string[]) => tree.run(args, { cwd: clone })
    const stateOfClone = (): string => join(clone, '.git', 'exomonad')
    const schemas = async (): Promise<string[]> =>
      (
        await server.sql(
          "select nspname as name from pg_namespace where nspname like 'exomonad%' order by 1",
        )
      ).map(({ name }) => String(name))
    const agentsIn = async (schema: string): Promise<string[]> =>
      (await server.sql(`select name from ${schema}.agents order by seq`)).map(({ name }) =>
        String(name),
      )
    /** `restore`, killed with all that it started as soon as that is so. */
    const killedOnce = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
      const child = spawn(process.execPath, [BIN, 'restore', file], {
        cwd: clone,
        env: tree.repository.env,
        stdio: 'ignore',
        detached: true,
      })
      const ended = new Promise((resolve) => child.once('exit', resolve))
      await waitFor(what, isSo, LIMIT)
      process.kill(-(child.pid ?? 0), 'SIGKILL')
      await ended
    }
    const names = (node: any): string[] => [node.name, ...node.children.flatMap(names)]
    let before: string[]
    let own: string

    beforeAll(async () => {
      file = join(tree.repository.folder, 'tree.tar.gz')
      clone = join(tree.repository.folder, 'clone')
      own = await schemaOf()
      before = names((await tree.tree()).root)
      expect(before).toContain('steady')
      expect((await tree.run(['backup', file])).code).toBe(0)
      await tree.repository.gitIn(
        tree.repository.folder,
        ...['clone', '-q', tree.repository.path, clone],
      )
      await tree.run(['down'])
    })
    afterAll(async () => {
      if (!existsSync(stateOfClone())) return
      await inClone('down')
      await endTerminals(join(clone, '.git'), tree.repository.env)
    })

    it('comes into a schema of the clone’s own, there once, after kills amid its rows and behind its commit', async () => {
      // Agents are there, events come; none is committed.
      await server.sql(`
        create function public.hold() returns trigger language plpgsql as
          $$ begin perform pg_sleep(600); return null; end $$;
        create function public.arm() returns event_trigger language plpgsql as
          $$ begin if to_regclass('events') is not null then
            create or replace trigger held before insert on events
              for each statement execute function public.hold();
          end if; end $$;
        create event trigger arm on ddl_command_end when tag in ('CREATE TABLE')
          execute function public.arm()`)
      const asleep = "from pg_stat_activity where wait_event = 'PgSleep'"
      await killedOnce(
        'rows on their way',
        async () => (await server.sql(`select 1 ${asleep}`)).length > 0,
      )
      await server.sql(`select pg_terminate_backend(pid, 20000) ${asleep}`)
      await server.sql(
        'drop event trigger arm; drop function public.hold() cascade; drop function public.arm()',
      )
      expect((await inClone('daemon', 'start')).stderr).toMatch(/restore .* was cut off/)

      // What comes right after the commit waits for somebody to read from it.
      const accepted = join(stateOfClone(), 'accepted.json')
      execFileSync('mkfifo', [accepted])
      const [other = ''] = (await schemas()).filter((name) => name !== own)
      await killedOnce('a commit', async () => (await agentsIn(other)).length > 0)
      rmSync(accepted)

      const restored = await inClone('restore', file, '--json')
      expect([restored.code, restored.json]).toMatchObject([
        0,
        { agents: before.length - 1, kept: null, lacking: [] },
      ])
      expect(await schemas()).toEqual([own, other].toSorted())
      expect(await agentsIn(other)).toEqual(await agentsIn(own))
      const left = readdirSync(stateOfClone())
      expect(left.filter((name) => /^restoring|^moving|^store\.db/.test(name))).toEqual([])
      const found = await tree.run(['call', 'tree', '{}'], { cwd: clone })
      expect(names(found.json.root)).toEqual(before)
      expect((await inClone('inbox')).stdout).toContain('before')
      expect((await inClone('store', 'check')).code).toBe(0)
    })

    it('is refused where the database has a tree, and with --force that one’s schema gets another name', async () => {
      await inClone('down')
      const refused = await inClone('restore', file)
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/a tree in schema .* already, with \d+ agents.*--force/),
      })
      expect(existsSync(join(stateOfClone(), 'restoring'))).toBe(false)
      const restored = await inClone('restore', '--force', file, '--json')
      const [, kept = ''] = /^schema (\S+)$/.exec(restored.json.kept) ?? []
      expect(await schemas()).toContain(kept)
      expect(await agentsIn(kept)).toEqual(await agentsIn(own))
    })
  })
})

import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { PullRequestSnapshot } from '../../../src/adapters/forge/forge.ts'
import type { LocalForge } from '../../../src/adapters/forge/local/options.ts'
import { ExomonadError } from '../../../src/domain/errors.ts'
import type { BranchName, Sha } from '../../../src/domain/ids.ts'
import { openLocalForge } from '../../helpers/local-forge.ts'
import { isAlive } from '../../helpers/processes.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

type Options = Parameters<typeof openLocalForge>[0]

const name = (text: string): BranchName => text as BranchName

/** A forge whose check is this shell script. */
async function start(
  script: string,
  options: Options & { timeoutMs?: number; parallel?: number } = {},
) {
  const fixture = await openLocalForge({
    ...options,
    ci: {
      argv: ['sh', '-c', script],
      timeoutMs: options.timeoutMs ?? 60_000,
      parallel: options.parallel ?? 2,
    },
  })
  onTestFinished(() => fixture.close())
  const { git, repository, remote, paths } = fixture
  let worktrees = 0
  const grow = async (branch: string, files: Record<string, string>): Promise<Sha> => {
    const known = await git.resolve(`refs/heads/${branch}`)
    const path = join(repository.folder, `tree-${++worktrees}`)
    await git.addWorktree({
      path,
      branch: name(branch),
      create: known === null,
      at: (await git.resolve('refs/heads/main'))!,
    })
    for (const [file, content] of Object.entries(files)) writeFileSync(join(path, file), content)
    await repository.gitIn(path, 'add', '-A')
    await repository.gitIn(path, 'commit', '-q', '-m', 'Work')
    const head = (await repository.gitIn(path, 'rev-parse', 'HEAD')) as Sha
    await git.removeWorktree(path)
    await git.push(remote, { sha: head, branch: name(branch), expected: known })
    return head
  }
  const file = async (
    branch: string,
    headSha: Sha,
    forge: LocalForge = fixture.forge,
  ): Promise<number> => {
    const filed = await forge.file({
      head: name(branch),
      headSha,
      base: name('main'),
      title: branch,
      body: '',
      draft: false,
      agentId: null,
    })
    if (filed.kind !== 'filed') throw new Error(filed.kind)
    return filed.number
  }
  const look = async (
    number: number,
    forge: LocalForge = fixture.forge,
  ): Promise<PullRequestSnapshot> => {
    const [result] = await forge.snapshots([number])
    if (result === undefined || !('snapshot' in result)) throw new Error(JSON.stringify(result))
    return result.snapshot
  }
  const ended = (number: number, forge: LocalForge = fixture.forge): Promise<PullRequestSnapshot> =>
    waitFor(`the checks of #${number}`, async () => {
      const snapshot = await look(number, forge)
      return snapshot.checksState === 'pending' || snapshot.checksState === 'none'
        ? undefined
        : snapshot
    })
  const tidy = () =>
    waitFor(
      'the run’s folder to be gone',
      () => !existsSync(paths.ciWork) || readdirSync(paths.ciWork).length === 0,
    )
  return { ...fixture, grow, file, look, ended, tidy }
}

/** A folder for notes of the script, known before the repository is. */
function notes(): string {
  const folder = mkdtempSync(join(tmpdir(), 't-notes-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
const readPid = (path: string): Promise<number> =>
  waitFor(`a process id in ${path}`, () => Number(readFileSync(path, 'utf8')) || undefined)

describe('checks of the local forge', () => {
  it(
    verifies(
      'R004-09',
      'run the head in a throwaway worktree with an environment and HOME of their own',
    ),
    async () => {
      const folder = notes()
      const { grow, file, ended, repository, tidy, git, forge } = await start(
        `env > '${folder}/env'; pwd > '${folder}/pwd'; git rev-parse HEAD > '${folder}/head'; test -f a.txt`,
      )
      const head = await grow('main.a', { 'a.txt': 'a' })
      const number = await file('main.a', head)
      const hints: number[] = []
      onTestFinished(forge.onHint((hinted) => hints.push(hinted)))
      await forge.ensureChecks(number)
      expect(await ended(number)).toMatchObject({
        checksState: 'passed',
        checksRequired: true,
        checks: [{ name: 'ci', status: 'passed', required: true, logTail: null }],
      })
      await waitFor('a hint', () => hints.includes(number))
      const variables = Object.fromEntries(
        readFileSync(join(folder, 'env'), 'utf8')
          .split('\n')
          .map((line) => line.split('=', 2)),
      )
      expect(variables).toMatchObject({ CI: 'true' })
      expect(variables['HOME']).not.toBe(repository.home)
      expect(variables['GIT_CONFIG_GLOBAL']).toBeUndefined()
      expect(variables['XDG_RUNTIME_DIR']).toBeUndefined()
      expect(readFileSync(join(folder, 'head'), 'utf8').trim()).toBe(head)
      await tidy()
      expect(existsSync(readFileSync(join(folder, 'pwd'), 'utf8').trim())).toBe(false)
      expect(await git.worktrees()).toHaveLength(1)
    },
  )

  it('run once per head and command, also when a snapshot finds a head that nobody announced', async () => {
    const folder = notes()
    const { grow, file, ended, look, forge } = await start(
      `echo run >> '${folder}/runs'; cat a.txt; test "$(cat a.txt)" = good`,
    )
    const number = await file('main.a', await grow('main.a', { 'a.txt': 'bad' }))
    await Promise.all([forge.ensureChecks(number), forge.ensureChecks(number), look(number)])
    const red = await ended(number)
    expect(red).toMatchObject({
      checksState: 'failed',
      checks: [{ status: 'failed', logTail: 'bad' }],
    })
    await forge.ensureChecks(number)
    expect(readFileSync(join(folder, 'runs'), 'utf8')).toBe('run\n')
    await grow('main.a', { 'a.txt': 'good' })
    expect(await ended(number)).toMatchObject({ checksState: 'passed' })
    expect(readFileSync(join(folder, 'runs'), 'utf8')).toBe('run\nrun\n')
  })

  it('run again on the same head when asked to, whatever came of them; those that run are left alone', async () => {
    const folder = notes()
    const { grow, file, look, ended, forge } = await start(
      `echo run >> '${folder}/runs'; while [ -f '${folder}/hold' ]; do sleep 0.02; done; test -f '${folder}/good'`,
    )
    const runs = () => readFileSync(join(folder, 'runs'), 'utf8').split('\n').length - 1
    const head = await grow('main.a', { 'a.txt': 'a' })
    const number = await file('main.a', head)
    await forge.ensureChecks(number)
    const first = await ended(number)
    expect(first).toMatchObject({ checksState: 'failed' })

    writeFileSync(join(folder, 'hold'), '')
    writeFileSync(join(folder, 'good'), '')
    // Whichever of the two gets there first, and only that one.
    expect(
      (await Promise.all([forge.rerunChecks(number), forge.rerunChecks(number)])).toSorted(),
    ).toEqual(['running', 'started'])
    expect(await look(number)).toMatchObject({ checksState: 'pending' })
    await waitFor('the second run', () => runs() === 2)
    expect(await forge.rerunChecks(number)).toBe('running')
    rmSync(join(folder, 'hold'))
    const second = await ended(number)
    expect(second).toMatchObject({ head: { sha: head }, checksState: 'passed' })
    expect(second.checks[0]?.run).not.toBe(first.checks[0]?.run)
    expect(runs()).toBe(2)

    expect(await forge.rerunChecks(number)).toBe('started')
    expect(await ended(number)).toMatchObject({ checksState: 'passed' })
    expect(runs()).toBe(3)
    await forge.close(number, 'human')
    await expect(forge.rerunChecks(number)).rejects.toMatchObject({ code: 'PR_NOT_MERGEABLE' })
  })

  it('keep the log as a file, and hand out its end without control characters', async () => {
    const { grow, file, ended, forge } = await start(
      `i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo "line $i"; done; printf '\\033[31mred\\033[0m \\033]0;title\\007ünï\\n' >&2; exit 3`,
    )
    const number = await file('main.a', await grow('main.a', { 'a.txt': 'a' }))
    const [check] = (await ended(number)).checks
    expect(check?.logTail?.split('\n')).toHaveLength(60)
    expect(check?.logTail?.endsWith('line 200\nred ünï')).toBe(true)
    expect(statSync(check!.url!).mode & 0o077).toBe(0)
    const whole = await forge.checkLog(number, 'ci')
    expect(whole.startsWith('line 1\n')).toBe(true)
    await expect(forge.checkLog(number, 'nope')).rejects.toMatchObject({ code: 'INVALID_ARG' })
  })

  it('end at the time limit with everything they started', async () => {
    const folder = notes()
    const { grow, file, ended, tidy } = await start(
      `trap '' TERM; sh -c 'trap "" TERM; echo $$ > ${folder}/child; while :; do sleep 60; done' & echo $$ > '${folder}/parent'; wait; wait; sleep 60`,
      // Enough for a busy machine to start both.
      { timeoutMs: 8_000 },
    )
    const number = await file('main.a', await grow('main.a', { 'a.txt': 'a' }))
    const snapshot = await ended(number)
    expect(snapshot).toMatchObject({
      checksState: 'failed',
      checks: [{ status: 'timed_out', logTail: expect.stringContaining('the time is up') }],
    })
    for (const who of ['parent', 'child']) {
      const pid = await readPid(join(folder, who))
      await waitFor(`${who} to be gone`, () => !isAlive(pid))
    }
    await tidy()
  })

  it('leave no process behind when they end by themselves', async () => {
    const folder = notes()
    const { grow, file, ended } = await start(
      `sh -c 'echo $$ > ${folder}/child; exec sleep 600' & until test -s '${folder}/child'; do sleep 0.02; done`,
    )
    const number = await file('main.a', await grow('main.a', { 'a.txt': 'a' }))
    expect(await ended(number)).toMatchObject({ checksState: 'passed' })
    const pid = await readPid(join(folder, 'child'))
    await waitFor('the background process to be gone', () => !isAlive(pid))
  })

  it('cancel the runs of heads that were superseded, waiting or under way', async () => {
    const folder = notes()
    const { grow, file, ended, look, store, forge } = await start(
      `if [ "$(cat a.txt)" = slow ]; then echo $$ > '${folder}/slow'; exec sleep 600; fi`,
      {
        parallel: 1,
      },
    )
    const number = await file('main.a', await grow('main.a', { 'a.txt': 'slow' }))
    await forge.ensureChecks(number)
    const pid = await readPid(join(folder, 'slow'))
    const other = await file('main.b', await grow('main.b', { 'a.txt': 'slow', 'b.txt': 'b' }))
    expect(await look(other)).toMatchObject({
      checksState: 'pending',
      checks: [{ status: 'queued' }],
    })
    await grow('main.b', { 'a.txt': 'quick' })
    await grow('main.a', { 'a.txt': 'quick' })
    expect(await ended(number)).toMatchObject({ checksState: 'passed' })
    expect(await ended(other)).toMatchObject({ checksState: 'passed' })
    expect(isAlive(pid)).toBe(false)
    expect((await store.pulls.checks({})).map((row) => row.status).toSorted()).toEqual([
      'cancelled',
      'cancelled',
      'passed',
      'passed',
    ])
  })

  it('stop when the pull request is closed', async () => {
    const folder = notes()
    const { grow, file, forge, tidy } = await start(`echo $$ > '${folder}/pid'; exec sleep 600`)
    const number = await file('main.a', await grow('main.a', { 'a.txt': 'a' }))
    await forge.ensureChecks(number)
    const pid = await readPid(join(folder, 'pid'))
    await forge.close(number, 'human')
    await waitFor('the check to be gone', () => !isAlive(pid))
    await tidy()
  })

  it('never run more at once than allowed', async () => {
    const folder = notes()
    const { grow, file, ended, forge } = await start(
      `mkdir '${folder}/busy' || { echo overlap; exit 1; }; i=0; while [ $i -lt 20 ]; do i=$((i+1)); test -d '${folder}/busy' || exit 1; done; rmdir '${folder}/busy'`,
      { parallel: 1 },
    )
    const numbers: number[] = []
    for (const letter of ['a', 'b', 'c', 'd'])
      numbers.push(
        await file(`main.${letter}`, await grow(`main.${letter}`, { [`${letter}.txt`]: letter })),
      )
    await Promise.all(numbers.map((number) => forge.ensureChecks(number)))
    for (const number of numbers)
      expect(await ended(number)).toMatchObject({ checksState: 'passed' })
  })

  it('that a stopping daemon cut off are interrupted, and run again by the next', async () => {
    const folder = notes()
    const script = `if [ -e '${folder}/go' ]; then exit 0; fi; echo $$ > '${folder}/pid'; exec sleep 600`
    const { grow, file, forge, reopen, ended, store, tidy } = await start(script)
    const number = await file('main.a', await grow('main.a', { 'a.txt': 'a' }))
    await forge.ensureChecks(number)
    const pid = await readPid(join(folder, 'pid'))
    await forge.dispose()
    expect(isAlive(pid)).toBe(false)
    await tidy()
    expect((await store.pulls.checks({})).map((row) => row.status)).toEqual(['interrupted'])
    writeFileSync(join(folder, 'go'), '')
    const next = reopen()
    await next.resumeChecks()
    expect(await ended(number, next)).toMatchObject({ checksState: 'passed' })
    expect((await store.pulls.checks({})).map((row) => row.status)).toEqual([
      'interrupted',
      'passed',
    ])
  })

  it('that a killed daemon left are ended, cleared away and run again', async () => {
    const folder = notes()
    const script = `if [ -e '${folder}/go' ]; then exit 0; fi; sleep 600 & echo $! > '${folder}/child'; echo $$ > '${folder}/pid'; wait`
    const { repository, grow, file, forge, ended, store, paths, git } = await start(script)
    const number = await file('main.a', await grow('main.a', { 'a.txt': 'a' }))
    const fixture = join(
      import.meta.dirname,
      '..',
      '..',
      'fixtures',
      'forge',
      'checking-process.ts',
    )
    const facts = { path: repository.path, env: repository.env, number, argv: ['sh', '-c', script] }
    const daemon = spawn(process.execPath, [fixture, JSON.stringify(facts)], {
      env: repository.env,
      stdio: 'ignore',
    })
    onTestFinished(() => void daemon.kill('SIGKILL'))
    const pids = [await readPid(join(folder, 'pid')), await readPid(join(folder, 'child'))]
    const gone = new Promise((resolve) => daemon.once('exit', resolve))
    daemon.kill('SIGKILL')
    await gone
    expect(pids.map(isAlive)).toEqual([true, true])
    expect((await store.pulls.checks({})).map((row) => row.status)).toEqual(['running'])
    expect(readdirSync(paths.ciWork)).toHaveLength(1)

    writeFileSync(join(folder, 'go'), '')
    await forge.resumeChecks()
    await waitFor('the old run to be gone', () => !pids.some(isAlive))
    expect(await ended(number)).toMatchObject({ checksState: 'passed' })
    expect((await store.pulls.checks({})).map((row) => row.status)).toEqual([
      'interrupted',
      'passed',
    ])
    await waitFor('no worktree to be left', async () => (await git.worktrees()).length === 1)
  })

  it('say nothing of the merge where that could not be made, and are run again', async () => {
    let fails = false
    const { git, repository, remote, grow, file, look, ended, store, forge } = await start(
      'test ! -e b.txt',
      {
        withGit: ({ mergeTrees }) => ({
          mergeTrees: async (pairs) => {
            // A merge with itself is what a run is prepared by.
            const [first] = pairs
            if (!fails || first?.[0] !== first?.[1]) return mergeTrees(pairs)
            fails = false
            throw new ExomonadError('GIT_FAILED', 'out of memory')
          },
        }),
      },
    )
    const head = await grow('main.a', { 'a.txt': 'a' })
    const base = (await repository.commit({ 'b.txt': 'b' })) as Sha
    await git.push(remote, { sha: base, branch: name('main') })
    const merged = await git.mergeTree(base, head)
    if (merged.kind !== 'clean') throw new Error(merged.kind)
    const number = await file('main.a', head)
    fails = true
    await forge.ensureChecks(number)
    const statuses = async () => (await store.pulls.checks({})).map(({ status }) => status)
    await waitFor(
      'the first run to be over',
      async () => !['queued', 'running'].includes((await statuses())[0]!),
    )
    expect(await statuses()).toEqual(['interrupted'])
    expect((await forge.results!.known(merged.tree)).state).toBe('unknown')
    expect(await look(number)).toMatchObject({ checksState: 'pending' })
    expect(await ended(number)).toMatchObject({ checksState: 'failed' })
    expect(await statuses()).toEqual(['interrupted', 'failed'])
    expect((await forge.results!.known(merged.tree)).state).toBe('failed')
  })

  it('are over as they ended also where the store did not take that at first', async () => {
    const { grow, file, look, store, forge, tidy } = await start('exit 1')
    const { updateCheck } = store.pulls
    let refused = 0
    store.pulls.updateCheck = async (id, patch) => {
      if (patch.finishedAt === undefined || refused > 0) return updateCheck(id, patch)
      refused += 1
      throw new Error('the disk is full')
    }
    const number = await file('main.a', await grow('main.a', { 'a.txt': 'a' }))
    await forge.ensureChecks(number)
    await waitFor('the end to be refused', () => refused === 1)
    await tidy()
    expect((await store.pulls.checks({})).map(({ status }) => status)).toEqual(['running'])
    expect(await look(number)).toMatchObject({ checksState: 'failed' })
    expect(await store.pulls.checks({})).toMatchObject([
      { status: 'failed', exitCode: 1, finishedAt: expect.any(Number) },
    ])
    expect(await forge.rerunChecks(number)).toBe('started')
  })

  it('fail with the reason where the command can’t be started', async () => {
    const { repository, grow, file, reopen, ended } = await start('true')
    const forge = reopen({ argv: [join(repository.folder, 'no such program')] })
    const number = await file('main.a', await grow('main.a', { 'a.txt': 'a' }), forge)
    expect(await ended(number, forge)).toMatchObject({
      checksState: 'failed',
      checks: [{ logTail: expect.stringContaining('could not be started') }],
    })
  })

  it('run nothing while the configuration is not trusted, and say so', async () => {
    const folder = notes()
    let trusted = false
    const { grow, file, look, ended, forge } = await start(`touch '${folder}/ran'`, {
      trusted: async () => {
        if (!trusted) throw new ExomonadError('UNTRUSTED_CONFIG', 'Run `exomonad trust`.')
      },
    })
    const number = await file('main.a', await grow('main.a', { 'a.txt': 'a' }))
    await forge.ensureChecks(number)
    expect(await look(number)).toMatchObject({
      checksState: 'pending',
      checks: [{ logTail: expect.stringContaining('exomonad trust') }],
    })
    expect(existsSync(join(folder, 'ran'))).toBe(false)
    trusted = true
    expect(await ended(number)).toMatchObject({ checksState: 'passed' })
  })
})

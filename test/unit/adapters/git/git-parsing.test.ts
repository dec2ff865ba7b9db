import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Exec, ExecResult } from '../../../../src/processes/exec.ts'
import { gitFailure } from '../../../../src/adapters/git/failure.ts'
import { createCoalescer, createMutex } from '../../../../src/adapters/git/mutex.ts'
import { parsePush } from '../../../../src/adapters/git/remotes.ts'
import { createRun } from '../../../../src/adapters/git/run.ts'
import { gitVariables } from '../../../../src/adapters/git/settings.ts'
import { parseWorktreeList } from '../../../../src/adapters/git/worktrees/worktree-list.ts'
import { parseStatus } from '../../../../src/adapters/git/worktrees/worktree-state.ts'

const sha = 'a'.repeat(40)
const failed = (stderr: string, more: Partial<ExecResult> = {}): ExecResult => ({
  exitCode: 128,
  signal: null,
  stdout: '',
  stderr,
  timedOut: false,
  startError: null,
  ...more,
})
const path = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0'))

describe('reading what git prints', () => {
  it('finds every path of a status, whatever its name', () => {
    fc.assert(
      fc.property(
        fc.array(path),
        fc.array(path),
        fc.array(path),
        (changed, untracked, conflicted) => {
          const entries = [
            `# branch.oid ${sha}`,
            '# branch.head release/1.2',
            ...changed.map((name) => `1 .M N... 100644 100644 100644 ${sha} ${sha} ${name}`),
            ...conflicted.map(
              (name) => `u UU N... 100644 100644 100644 100644 ${sha} ${sha} ${sha} ${name}`,
            ),
            ...untracked.map((name) => `? ${name}`),
            '! ignored',
          ]
          expect(parseStatus(`${entries.join('\0')}\0`)).toEqual({
            branch: 'release/1.2',
            head: sha,
            dirty: [...changed, ...conflicted, ...untracked],
            conflicted,
          })
        },
      ),
    )
  })

  it('recognizes unborn and detached heads in a status', () => {
    expect(parseStatus('# branch.oid (initial)\0# branch.head main\0')).toMatchObject({
      branch: 'main',
      head: null,
    })
    expect(parseStatus(`# branch.oid ${sha}\0# branch.head (detached)\0`)).toMatchObject({
      branch: null,
      head: sha,
    })
  })

  it('finds every worktree of a list, whatever its path', () => {
    fc.assert(
      fc.property(fc.array(path), (paths) => {
        const text = paths
          .map((name) => `worktree ${name}\0HEAD ${sha}\0branch refs/heads/main\0prunable gone\0\0`)
          .join('')
        expect(parseWorktreeList(`worktree /bare\0bare\0\0${text}`)).toEqual([
          { path: '/bare', branch: null, head: null, bare: true, prunable: false },
          ...paths.map((name) => ({
            path: name,
            branch: 'main',
            head: sha,
            bare: false,
            prunable: true,
          })),
        ])
      }),
    )
  })

  it('reads the outcome of a push, with what the remote said', () => {
    expect(parsePush('To /x\n*\tabc:refs/heads/a\t[new branch]\nDone\n', '')).toEqual({
      kind: 'pushed',
    })
    expect(parsePush('To /x\n=\tabc:refs/heads/a\t[up to date]\nDone\n', '')).toEqual({
      kind: 'pushed',
    })
    expect(
      parsePush(
        'To /x\n!\tabc:refs/heads/a\t[remote rejected] (hook declined)\nDone\n',
        'remote: not yours        \nerror: failed to push some refs\n',
      ),
    ).toEqual({
      kind: 'rejected',
      reason: '[remote rejected] (hook declined); not yours',
      cause: 'not yours',
    })
    expect(
      parsePush(
        'To /x\n!\tabc:refs/heads/a\t[remote rejected] (unpacker error)\n',
        'fatal: unable to read 1e8b\nerror: remote unpack failed: eof\n',
      ),
    ).toEqual({
      kind: 'rejected',
      reason:
        '[remote rejected] (unpacker error); fatal: unable to read 1e8b; error: remote unpack failed: eof',
      cause: 'fatal: unable to read 1e8b',
    })
    expect(
      parsePush(
        'To /x\n!\tabc:refs/heads/a\t[rejected] (non-fast-forward)\n',
        'error: failed to push some refs to x\n',
      ),
    ).toMatchObject({
      cause: '[rejected] (non-fast-forward)',
    })
    expect(parsePush('', 'fatal: no')).toBeNull()
  })
})

describe('failures', () => {
  const codes: [string, string, Partial<ExecResult>?, { remote: string }?][] = [
    ['DISK_FULL', 'error: unable to write file a: No space left on device'],
    ['DISK_FULL', '', { exitCode: null, startError: 'ENOSPC' }],
    [
      'DISK_FULL',
      'remote: fatal: unable to write loose object file: No space left on device',
      {},
      { remote: 'origin' },
    ],
    // Where there is room, something else keeps it from writing.
    [
      'GIT_FAILED',
      "fatal: cannot update ref 'refs/heads/a': couldn't write '/x/.git/refs/heads/a.lock'",
    ],
    ['BRANCH_EXISTS', "fatal: a branch named 'main.a' already exists"],
    ['BRANCH_CHECKED_OUT', "fatal: 'main' is already checked out at '/x y'"],
    ['BRANCH_CHECKED_OUT', "fatal: 'main' is already used by worktree at '/x y'"],
    [
      'FORGE_UNAVAILABLE',
      "fatal: '/x' does not appear to be a git repository",
      {},
      { remote: 'origin' },
    ],
    [
      'FORGE_UNAVAILABLE',
      'error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502\nfatal: expected flush after ref listing',
      {},
      { remote: 'origin' },
    ],
    [
      'FORGE_UNAVAILABLE',
      'fetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF',
      {},
      { remote: 'origin' },
    ],
    [
      'GIT_FAILED',
      'error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413',
      {},
      { remote: 'origin' },
    ],
    ['FORGE_UNAVAILABLE', '', { exitCode: null, timedOut: true }, { remote: 'origin' }],
    ['GIT_FAILED', "fatal: '/x' does not appear to be a git repository"],
    ['GIT_FAILED', 'fatal: something new\nhint: try harder'],
  ]
  it.each(codes)('are %s for %s', (code, stderr, more, options) => {
    const error = gitFailure('do it', failed(stderr, more), { cwd: '/', ...options })
    expect(error.code).toBe(code)
    expect(error.message).not.toContain('hint:')
  })

  it('say where a branch is checked out, and which folder is gone', () => {
    expect(
      gitFailure('do it', failed("fatal: 'main' is already checked out at '/x y'"), { cwd: '/' })
        .facts,
    ).toMatchObject({
      branch: 'main',
      worktree: '/x y',
    })
    expect(
      gitFailure('do it', failed('', { exitCode: null, startError: 'ENOENT' }), {
        cwd: '/nowhere/at/all',
      }).message,
    ).toContain('/nowhere/at/all is gone')
  })
})

describe('running git', () => {
  const LOCKED = "fatal: Unable to create '/x/.git/index.lock': File exists."
  const scripted = (results: ExecResult[]) => {
    const calls: { args: readonly string[]; env: Readonly<Record<string, string>> }[] = []
    const exec: Exec = async (_file, args, options) => {
      calls.push({ args, env: options?.env ?? {} })
      return results[Math.min(calls.length, results.length) - 1]!
    }
    return {
      calls,
      run: createRun({
        commonDir: '/repo/.git',
        environment: { PATH: '/bin', LANGUAGE: 'de' },
        exec,
      }),
    }
  }

  it('waits for a lock that another git holds, and gives up in the end', async () => {
    const soon = scripted([
      failed(LOCKED),
      failed(LOCKED),
      failed('', { exitCode: 0, stdout: 'done' }),
    ])
    expect(await soon.run.output('try', ['status'])).toBe('done')
    expect(soon.calls).toHaveLength(3)
    const never = scripted([failed(LOCKED)])
    await expect(never.run.output('try', ['status'])).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('index.lock'),
    })
  })

  it('has hooks, pager, prompts and editors off in every command', async () => {
    const { calls, run } = scripted([failed('', { exitCode: 0 })])
    await run.attempt(['fetch'], { remote: 'origin', settings: ['a.b=c'] })
    const { args, env } = calls[0]!
    expect(args.slice(0, 2)).toEqual(['--no-pager', '--git-dir=/repo/.git'])
    for (const setting of ['core.hooksPath=/dev/null', 'commit.gpgSign=false', 'a.b=c'])
      expect(args[args.indexOf(setting) - 1]).toBe('-c')
    expect(env).toEqual({
      PATH: '/bin',
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_MERGE_AUTOEDIT: 'no',
      GIT_ASKPASS: '',
      GIT_EDITOR: ':',
      GIT_SEQUENCE_EDITOR: ':',
      GCM_INTERACTIVE: 'never',
    })
    expect(gitVariables({})).not.toHaveProperty('LANGUAGE')
  })
})

describe('locks', () => {
  it('run work one after the other, in order, past failures', async () => {
    const lock = createMutex()
    const order: string[] = []
    let inside = 0
    const work = (name: string, fails: boolean) =>
      lock(async () => {
        expect(++inside).toBe(1)
        await Promise.resolve()
        order.push(name)
        inside--
        if (fails) throw new Error(name)
        return name
      })
    const results = await Promise.allSettled([work('a', false), work('b', true), work('c', false)])
    expect(order).toEqual(['a', 'b', 'c'])
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('join calls of one key, but give a late one a run that began after it', async () => {
    const coalesce = createCoalescer()
    const gates: (() => void)[] = []
    const work = () => new Promise<void>((resolve) => gates.push(resolve))
    const first = coalesce('k', work)
    const late = [coalesce('k', work), coalesce('k', work), coalesce('k', work)]
    const other = coalesce('other', work)
    expect(gates).toHaveLength(2)
    gates[0]!()
    await first
    await new Promise((resolve) => setImmediate(resolve))
    expect(gates).toHaveLength(3)
    gates[1]!()
    gates[2]!()
    await Promise.all([...late, other])
    expect(gates).toHaveLength(3)
  })
})

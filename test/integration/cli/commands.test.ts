import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { runProgram, startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { isAlive } from '../../helpers/processes.ts'
import { BIN } from '../../helpers/programs.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const IDLE = { steps: [] }

describe('the daemon’s commands', () => {
  let tree: Exomonad
  beforeAll(async () => {
    tree = await startExomonad()
  })
  afterAll(() => tree?.stop())
  // Whatever the one before has left of it.
  beforeEach(() => tree.command(['daemon', 'start']))

  it('start once, whoever asks and however often, and report the truth', async () => {
    const pid = await tree.daemonPid()
    expect((await tree.command(['daemon', 'start', '--json'])).json).toMatchObject({
      running: true,
      started: false,
      pid,
    })
    expect((await tree.command(['daemon', 'stop', '--json'])).json).toEqual({ stopped: true, pid })
    expect((await tree.command(['daemon', 'stop', '--json'])).json).toEqual({
      stopped: false,
      pid: null,
    })
    expect(await tree.command(['daemon', 'status', '--json'])).toMatchObject({
      code: 1,
      json: { running: false },
    })
    const starts = await Promise.all(
      Array.from({ length: 4 }, () => tree.run(['daemon', 'start', '--json'])),
    )
    expect(new Set(starts.map((result) => result.json.pid)).size).toBe(1)
    expect(starts.map((result) => result.code)).toEqual([0, 0, 0, 0])
    expect((await tree.run(['daemon', 'logs', '-n', '5'])).stdout).toContain('ready')
  })

  it('distinguish one that does not answer just now from one that is not there', async () => {
    const pid = await tree.daemonPid()
    process.kill(pid, 'SIGSTOP')
    onTestFinished(() => {
      if (isAlive(pid)) process.kill(pid, 'SIGCONT')
    })
    expect(await tree.command(['daemon', 'status', '--json'])).toMatchObject({
      code: 1,
      json: { running: true, pid: null },
    })
    expect((await tree.command(['ps', '--json'])).json.repositories).toMatchObject([
      { state: 'silent', pid },
    ])
    const { findings } = (await tree.command(['doctor', '--fix', '--json'])).json
    expect(findings).toContainEqual(
      expect.objectContaining({
        subject: 'daemon',
        status: 'problem',
        found: expect.stringContaining('does not answer'),
      }),
    )
    // It is waited for, for 20 s: on a busy machine the others would take longer.
    const stopping = tree.run(['daemon', 'stop', '--json'])
    expect((await tree.run(['daemon', 'status'])).stdout).toContain('does not answer')
    process.kill(pid, 'SIGCONT')
    expect(await stopping).toMatchObject({ code: 0, json: { stopped: true, pid } })
  })

  it('say that the folder they are called in is gone, in words', async () => {
    const { folder, env } = tree.repository
    const inGone = (words: string) =>
      runProgram(
        'sh',
        [
          '-c',
          `mkdir gone; cd gone; rmdir ../gone; exec "$0" "$1" ${words}`,
          process.execPath,
          BIN,
        ],
        { cwd: folder, env },
      )
    const { code, stderr } = await inGone('tree')
    expect(code).toBe(1)
    expect(stderr).toContain(`The folder ${join(folder, 'gone')} does not exist.`)
    expect(await inGone('status --short')).toMatchObject({ stdout: '', stderr: '' })
  })

  it('say why it doesn’t start', async () => {
    await tree.command(['daemon', 'stop'])
    const config = join(tree.repository.path, '.exomonad', 'config.toml')
    const before = readFileSync(config)
    onTestFinished(() => writeFileSync(config, before))
    writeFileSync(config, '[limts]\n')
    const result = await tree.run(['daemon', 'start', '--json'])
    expect(result).toMatchObject({ code: 1, json: { code: 'CONFIG_INVALID' } })
    expect(result.stderr).toContain('did you mean "limits"?')
  })

  it('list the daemons of all repositories', async () => {
    // One that is too busy to answer within a moment is listed as silent.
    const running = await waitFor('it to answer', async () => {
      const { repositories } = (await tree.command(['ps', '--json'])).json
      return repositories[0]?.state !== 'silent' && repositories[0]?.agents !== null && repositories
    })
    expect(running).toMatchObject([
      { repository: tree.repository.path, state: 'running', agents: { agents: 0 } },
    ])
    await tree.command(['daemon', 'stop'])
    expect((await tree.command(['ps', '--json'])).json.repositories).toMatchObject([
      { repository: tree.repository.path, state: 'stopped', pid: null },
    ])
    expect((await tree.run(['ps'], { cwd: '/' })).stdout).toContain('○ stopped')
    await tree.command(['down'])
    renameSync(tree.repository.path, `${tree.repository.path}-away`)
    onTestFinished(() => {
      if (!existsSync(tree.repository.path))
        renameSync(`${tree.repository.path}-away`, tree.repository.path)
    })
    expect((await tree.command(['ps', '--json'], { cwd: '/' })).json.repositories).toMatchObject([
      { state: 'gone' },
    ])
    expect((await tree.run(['ps', '--prune', '--json'], { cwd: '/' })).json.repositories).toEqual(
      [],
    )
    renameSync(`${tree.repository.path}-away`, tree.repository.path)
  })
})

describe('who one is', () => {
  let tree: Exomonad
  beforeAll(async () => {
    tree = await startExomonad()
  })
  afterAll(() => tree?.stop())

  it('is decided by token and place: an agent never becomes the owner', async () => {
    tree.script('w', IDLE)
    const { spawned } = await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
    const worktree: string = spawned[0].worktree
    const inside = await tree.run(['tree', '--json'], { cwd: worktree })
    expect(inside).toMatchObject({ code: 1, json: { code: 'NOT_ALLOWED' } })
    const withId = await tree.command(['tree', '--json'], {
      env: { EXOMONAD_AGENT_ID: spawned[0].agent_id },
    })
    expect(withId).toMatchObject({ code: 1, json: { code: 'NOT_ALLOWED' } })
    for (const argv of [['init'], ['daemon', 'stop'], ['trust'], ['down'], ['deinit'], ['ps']]) {
      expect(
        await tree.command([...argv, '--json'], {
          cwd: worktree,
          env: { EXOMONAD_AGENT_ID: 'x', EXOMONAD_TOKEN: 'y' },
        }),
        argv.join(' '),
      ).toMatchObject({
        code: 1,
        json: { code: 'NOT_ALLOWED' },
      })
    }
    const forged = await tree.command(['tree', '--json'], {
      env: { EXOMONAD_AGENT_ID: spawned[0].agent_id, EXOMONAD_TOKEN: 'forged' },
    })
    expect(forged).toMatchObject({ code: 1, json: { code: 'NOT_ALLOWED' } })
    const token = join(tree.state, 'auth', spawned[0].agent_id)
    const agent = await tree.run(['note', 'from a file of mine', '--json'], {
      cwd: worktree,
      env: { EXOMONAD_AGENT_ID: spawned[0].agent_id, EXOMONAD_AUTH_FILE: token },
    })
    expect(agent).toMatchObject({ code: 0, json: { status: 'sent' } })
    const asAnother = await tree.command(['tree', '--as', 'root', '--json'], {
      env: { EXOMONAD_AGENT_ID: spawned[0].agent_id, EXOMONAD_AUTH_FILE: token },
    })
    expect(asAnother).toMatchObject({ code: 1, json: { code: 'NOT_ALLOWED' } })
  })

  it('is an agent’s in an adopted worktree too, wherever that lies', async () => {
    const elsewhere = join(tree.repository.folder, 'elsewhere')
    await tree.repository.git('worktree', 'add', '-q', '-b', 'old/work', elsewhere)
    expect((await tree.command(['tree', '--json'], { cwd: elsewhere })).code).toBe(0)
    tree.script('rescue', IDLE)
    expect(
      (await tree.command(['spawn', 'workers', 'rescue=go on', '--branch', 'old/work', '--json']))
        .json,
    ).toMatchObject({
      errors: [],
      spawned: [{ worktree: elsewhere }],
    })
    expect(await tree.run(['tree', '--json'], { cwd: elsewhere })).toMatchObject({
      code: 1,
      json: { code: 'NOT_ALLOWED' },
    })
  })
})

/**
 * What a shell offers for a line, in which the last word is being completed; FILES where it is the
 * shell’s own files, FOLDERS for folders.
 */
const SHELLS: Readonly<
  Record<string, (script: string, words: readonly string[]) => readonly string[]>
> = {
  bash: (script, words) => {
    const stubs = `compopt() { [ "$2" = dirnames ] && echo FOLDERS || echo FILES; }`
    return [
      '-c',
      `${stubs}\n${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _exomonad; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash',
      ...words,
    ]
  },
  zsh: (script, words) => {
    const stubs = `compdef() { : }; _files() { [[ "$1" == -/ ]] && print FOLDERS || print FILES }\n_describe() { print -rl -- \${(P)2%%:*} }`
    return ['-f', '-c', `${stubs}\n${script}\nwords=("$@"); CURRENT=$#; _exomonad`, 'zsh', ...words]
  },
  fish: (script, words) => [
    ...['--no-config', '-c'],
    `${script}\nfunction __fish_complete_path; echo FILES; end\nfunction __fish_complete_directories; echo FOLDERS; end\ncomplete -C "$argv" | string replace -r '\\t.*' ''`,
    words.join(' '),
  ],
}

describe('completion', () => {
  let tree: Exomonad
  beforeAll(async () => {
    tree = await startExomonad()
    for (const name of ['zebra', 'zorilla']) tree.script(name, IDLE)
    await tree.call('spawn_workers', {
      specs: ['zebra', 'zorilla'].map((name) => ({ name, prompt: 'x' })),
    })
    await tree.call('kill', { agent: 'zorilla' })
    mkdirSync(join(tree.repository.folder, 'bin'))
    writeFileSync(
      join(tree.repository.folder, 'bin', 'exomonad'),
      `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`,
      { mode: 0o755 },
    )
  })
  afterAll(() => tree?.stop())

  const completer = async (shell: string) => {
    const script = (await tree.command(['completion', shell])).stdout
    const env = {
      ...tree.repository.env,
      PATH: `${join(tree.repository.folder, 'bin')}:${tree.repository.env['PATH']}`,
    }
    const complete = (...words: string[]): string[] => {
      const result = spawnSync(shell, [...SHELLS[shell]!(script, ['exomonad', ...words])], {
        encoding: 'utf8',
        cwd: tree.repository.path,
        env,
      })
      expect(result.stderr).toBe('')
      return result.stdout.split('\n').filter((line) => line !== '')
    }
    // A busy daemon is not waited for: whoever presses Tab once more has it.
    const completes = (words: string[], to: string[]): Promise<boolean> =>
      waitFor(
        `${words.join(' ')} to be completed`,
        () =>
          complete(...words)
            .toSorted()
            .join() === to.join(),
      )
    return { complete, completes }
  }

  it('in bash offers commands, options, choices, and the tree’s agents', async () => {
    const { complete, completes } = await completer('bash')
    expect(complete('tr')).toEqual(['trust', 'tree'])
    expect(complete('tree', '--w')).toEqual(['--watch'])
    expect(complete('pr', '')).toEqual([
      'list',
      'show',
      'commits',
      'diff',
      'checks',
      'file',
      'merge',
      'review',
    ])
    expect(complete('pr', 'list', '--state', 'm')).toEqual(['merged'])
    for (const live of ['kill z', 'wait 5m z', 'send z', '--as z', '--as main send z'])
      await completes(live.split(' '), ['zebra'])
    for (const all of ['logs z', 'events --agent z'])
      await completes(all.split(' '), ['zebra', 'zorilla'])
    await completes(['resume', ''], ['zorilla'])
    await completes(['kill', 'main.'], ['main.zebra'])
    expect(complete('call', 'merge')).toEqual(['merge_pr'])
    expect(complete('up', '--agent', 'c')).toEqual(['claude', 'codex'])
    // As Bash splits it, which puts back what stands before the colon.
    expect(complete('spawn', 'workers', '-a', 'acp', ':', 'c')).toEqual([
      'claude-agent-acp',
      'codex-acp',
    ])
    expect(complete('spawn', 'workers', '-a', 'acp', ':')).toContain('gemini')
    expect(complete('subagent', 'delegate', '--server', 'o')).toEqual(['opencode'])
    for (const files of ['spawn workers --file', 'store restore', 'run cat'])
      expect(complete(...files.split(' '), '')).toEqual(['FILES'])
    for (const nothing of ['subagent delegate --agent', 'nonsense', 'events --last'])
      expect(complete(...nothing.split(' '), '')).toEqual([])
  })

  it.each(Object.keys(SHELLS))(
    'in %s offers live agents by name, files and folders where they are meant, else nothing',
    async (shell) => {
      if (process.env['CI'] === undefined && spawnSync(shell, ['--version']).error !== undefined)
        return
      const { complete, completes } = await completer(shell)
      expect(complete('tr').toSorted()).toEqual(['tree', 'trust'])
      await completes(['kill', 'z'], ['zebra'])
      expect(complete('config', 'check', '')).toEqual(['FILES'])
      expect(complete('-C', '')).toEqual(['FOLDERS'])
      expect(complete('kill', 'nobody')).toEqual([])
    },
  )
})

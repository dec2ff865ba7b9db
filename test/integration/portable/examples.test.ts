import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { commandsOf, parsedBy } from '../../helpers/command-lines.ts'
import { runProgram, startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'

const EXAMPLES = join(import.meta.dirname, '..', '..', '..', 'examples')

interface Workflow {
  readonly jobs: Readonly<Record<string, { steps: { name?: string; run?: string }[] }>>
}

describe('the GitHub Action', () => {
  let tree: Exomonad
  let bin: string
  let origin: string
  beforeAll(async () => {
    tree = await startExomonad({ init: false })
    bin = join(tree.repository.folder, 'bin')
    origin = join(tree.repository.folder, 'github.git')
    mkdirSync(bin)
    const program = (name: string, script: string): void =>
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    program('exomonad', `exec '${process.execPath}' '${BIN}' "$@"`)
    for (const name of ['npm', 'gh']) program(name, `echo "$0" "$@" >>'${join(bin, 'called')}'`)
    const git = (...args: string[]): Buffer =>
      execFileSync('git', args, { cwd: tree.repository.path, env: tree.repository.env })
    git('init', '--quiet', '--bare', origin)
    git('remote', 'add', 'origin', origin)
  })
  afterAll(() => tree?.stop())

  it('has an agent work on an issue, and its work pushed and proposed', async () => {
    tree.script('issue', {
      steps: [
        { do: 'write', path: 'zone.txt', content: 'UTC' },
        { do: 'commit', message: 'Know zones' },
        { do: 'tool', name: 'file_pr', input: { title: 'Zones', body: 'They are known.' } },
      ],
    })
    const { jobs } = parse(
      readFileSync(join(EXAMPLES, 'github-action', 'exomonad.yml'), 'utf8'),
    ) as Workflow
    const steps = (jobs['work']?.steps ?? []).filter(({ run }) => run !== undefined)
    expect(steps).toHaveLength(5)
    for (const { name, run = '' } of steps) {
      // As the runner does it.
      const result = await runProgram('bash', ['-e', '-o', 'pipefail', '-c', run], {
        cwd: tree.repository.path,
        timeout: 100_000,
        env: {
          ...tree.repository.env,
          PATH: `${bin}:${tree.repository.env['PATH']}`,
          CI: 'true',
          NUMBER: '7',
          TITLE: 'Zones are unknown; $(touch oops)',
          BODY: 'Please.',
        },
      })
      expect({ name, ...result }).toMatchObject({ code: 0 })
    }
    const pushed = execFileSync('git', ['-C', origin, 'show', 'exomonad/issue-7:zone.txt'])
    expect(pushed.toString()).toBe('UTC')
    expect(readFileSync(join(bin, 'called'), 'utf8')).toMatch(
      /npm install --global exomonad .*\n.*gh pr create --head exomonad\/issue-7 /,
    )
    expect((await tree.command(['daemon', 'status', '--json'])).json).toMatchObject({
      running: false,
    })
  })
})

describe('the devcontainer', () => {
  it('keeps what lies outside of the repository, and runs commands that there are', async () => {
    const text = readFileSync(join(EXAMPLES, 'devcontainer', 'devcontainer.json'), 'utf8')
    const container = JSON.parse(text) as { mounts: string[]; postCreateCommand: string }
    expect(container.mounts.join()).toContain('target=/home/node/.local/state/exomonad,')
    const commands = commandsOf(container.postCreateCommand).filter(
      ([program]) => program === 'exomonad',
    )
    expect(commands).toHaveLength(2)
    for (const [, ...words] of commands) await expect(parsedBy(words)).resolves.toBeTypeOf('string')
  })
})

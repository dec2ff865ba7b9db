import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { main } from '../../../../src/bin/cli.ts'
import { readEnvironment } from '../../../../src/config/environment.ts'
import type { Host } from '../../../../src/surfaces/cli/host.ts'

const top = mkdtempSync(join(tmpdir(), 't-completion-'))
afterAll(() => rmSync(top, { recursive: true, force: true }))

let home: string
beforeEach(() => {
  home = mkdtempSync(join(top, "it's "))
})

async function run(
  argv: readonly string[],
  variables: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  let out = ''
  let err = ''
  const code = await main(['completion', ...argv], {
    environment: readEnvironment({ HOME: home, LANG: 'C.UTF-8', ...variables }),
    cwd: home,
    host: {} as Host,
    onInterrupt: () => () => {},
    terminal: {
      stdout: { write: (text: string) => ((out += text), true) },
      stderr: { write: (text: string) => ((err += text), true) },
      stdin: (async function* () {})(),
    },
  })
  return { code, out, err }
}

/** What an interactive shell in that home has to complete `exomonad`. */
function shellSays(shell: string, ...args: string[]): string {
  const { stdout, stderr, status } = spawnSync(shell, args, {
    encoding: 'utf8',
    env: { HOME: home, PATH: `/usr/bin:/bin:${join(home, 'bin')}`, TERM: 'dumb' },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringMatching(/rror/) })
  return stdout.trim()
}
const there = (shell: string): boolean =>
  process.env['CI'] === 'true' || spawnSync(shell, ['-c', 'exit']).status === 0
const allFiles = (): string[] =>
  readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((name) => lstatSync(join(home, name)).isFile())
    .toSorted()

describe('exomonad completion --install', () => {
  it('has bash complete it, says how to undo that, and changes nothing a second time', async () => {
    writeFileSync(join(home, '.bashrc'), 'alias ll="ls -l"', { mode: 0o600 })
    const first = await run(['bash', '--install'])
    expect(first).toMatchObject({ code: 0, err: '' })
    expect(first.out).toContain('~/.bashrc')
    expect(first.out).toContain('Undo: exomonad completion bash --uninstall')
    expect(shellSays('bash', '--noprofile', '-ic', 'alias ll; complete -p exomonad')).toBe(
      "alias ll='ls -l'\ncomplete -F _exomonad exomonad",
    )
    const once = readFileSync(join(home, '.bashrc'), 'utf8')
    expect((await run(['bash', '--install'])).out).toContain('already')
    expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe(once)
    expect(statSync(join(home, '.bashrc')).mode & 0o777).toBe(0o600)
    // No draft is left.
    expect(allFiles()).toEqual(['.bashrc', '.local/share/exomonad/completion.bash'])
  })

  it.skipIf(!there('zsh'))(
    'has zsh complete it, with or without its completion begun',
    async () => {
      await run(['zsh', '--install'])
      const asked = ['-ic', 'print -r -- $_comps[exomonad]']
      expect(shellSays('zsh', ...asked)).toBe('_exomonad')
      writeFileSync(
        join(home, '.zshrc'),
        `autoload -Uz compinit && compinit\n${readFileSync(join(home, '.zshrc'), 'utf8')}`,
      )
      expect(shellSays('zsh', ...asked)).toBe('_exomonad')
    },
  )

  it.skipIf(!there('fish'))('has fish complete it, which looks for it by itself', async () => {
    await run(['--install'], { SHELL: '/usr/bin/fish' })
    expect(allFiles()).toEqual(['.config/fish/completions/exomonad.fish'])
    // It asks no script about a program that isn't there.
    mkdirSync(join(home, 'bin'))
    const program = join(home, 'bin', 'exomonad')
    writeFileSync(program, "#!/bin/sh\nprintf 'tree\\tThe tree\\n'\n", { mode: 0o755 })
    expect(shellSays('fish', '-c', 'complete -C "exomonad "')).toBe('tree\tThe tree')
  })

  it('leaves lines that somebody moved where they are, and puts old ones right', async () => {
    await run(['bash', '--install'])
    const block = readFileSync(join(home, '.bashrc'), 'utf8')
    writeFileSync(join(home, '.bashrc'), `first\n${block}last\n`)
    expect((await run(['bash', '--install'])).out).toContain('already')
    const moved = { XDG_DATA_HOME: join(home, 'elsewhere') }
    expect((await run(['bash', '--install'], moved)).out).toContain('.bashrc')
    const text = readFileSync(join(home, '.bashrc'), 'utf8')
    expect(text).toMatch(/^first\nlast\n# >>> /)
    expect(text.match(/exomonad completion >>>/g)).toHaveLength(1)
    expect(text).toContain('elsewhere/exomonad/completion.bash')
  })

  it('writes where a start-up file links to', async () => {
    mkdirSync(join(home, 'dotfiles'))
    writeFileSync(join(home, 'dotfiles', 'bashrc'), '')
    symlinkSync('dotfiles/bashrc', join(home, '.bashrc'))
    await run(['bash', '--install'])
    expect(lstatSync(join(home, '.bashrc')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(home, 'dotfiles', 'bashrc'), 'utf8')).toContain('completion.bash')
  })

  it('touches no start-up file in which half of its lines are gone', async () => {
    writeFileSync(join(home, '.bashrc'), '# >>> exomonad completion >>>\nexport A=1\n')
    for (const option of ['--install', '--uninstall']) {
      const { code, err } = await run(['bash', option])
      expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/Remove it/) })
      expect(readFileSync(join(home, '.bashrc'), 'utf8')).toContain('export A=1')
    }
  })

  it('names what a home that can’t be written refuses, and what to do', async () => {
    const file = join(home, 'file')
    writeFileSync(file, '')
    const { code, err } = await run(['bash', '--install'], { HOME: file })
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringMatching(/a file, not a folder.*let HOME name another one.*NOT_AVAILABLE/),
    })
  })

  it('needs to know which shell', async () => {
    expect(await run([])).toMatchObject({
      code: 2,
      err: expect.stringContaining('bash, zsh, fish'),
    })
    expect(await run(['--install'], { SHELL: '/bin/tcsh' })).toMatchObject({
      code: 2,
      err: expect.stringContaining('tcsh'),
    })
    expect(await run(['bash', '--install', '--uninstall'])).toMatchObject({ code: 2 })
    expect(allFiles()).toEqual([])
  })
})

describe('exomonad completion --uninstall', () => {
  it.each(['bash', 'zsh', 'fish'])('leaves nothing of it, and all else, for %s', async (shell) => {
    const startup = join(home, shell === 'zsh' ? '.zshrc' : '.bashrc')
    writeFileSync(startup, 'export A=1\n')
    await run([shell, '--install'])
    const { code, out } = await run([shell, '--uninstall', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ shell, installed: false })
    expect(allFiles()).toEqual([startup.slice(home.length + 1)])
    expect(readFileSync(startup, 'utf8')).toBe('export A=1\n')
    expect((await run([shell, '--uninstall'])).out).toContain('Nothing')
  })

  it('removes a start-up file that it made', async () => {
    await run(['bash', '--install'])
    await run(['bash', '--uninstall'])
    expect(existsSync(join(home, '.bashrc'))).toBe(false)
  })
})

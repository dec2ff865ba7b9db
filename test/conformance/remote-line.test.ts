import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { remoteLine } from '../../src/adapters/ssh/remote-line.ts'
import { runProgram } from '../helpers/daemon.ts'
import { findTool } from '../helpers/terminals/require-tool.ts'
import { tempHome } from '../helpers/temp-repository.ts'
import { waitFor } from '../helpers/wait-for.ts'

/** As sshd does it: `SHELL -c LINE`. */
const SHELLS = ['sh', 'dash', 'bash', 'zsh', 'fish', 'ksh', 'mksh', 'tcsh'].filter(
  (shell) => findTool(shell) !== undefined,
)
const HARD = ["it's", '“\\\\ $HOME `id` \\0041 %s ! #', '', '-n', '*', 'a\nb\n', '~', 'ü'] as const

describe.each(SHELLS)('a line for %s', (shell) => {
  const world = () => {
    const person = tempHome()
    onTestFinished(() => person.remove())
    const program = findTool(shell) ?? shell
    // What a person's profile prints is not the program's, and what it sets counts.
    for (const file of ['.profile', '.zprofile', '.config/fish/config.fish']) {
      mkdirSync(join(person.home, '.config', 'fish'), { recursive: true })
      const text = file.endsWith('fish')
        ? 'if status is-login\necho good morning\nset -gx GREETING hello\nend\n'
        : 'echo good morning\nexport GREETING=hello\n'
      writeFileSync(join(person.home, file), text)
    }
    const env = { ...person.env, SHELL: program }
    return {
      home: person.home,
      start: (argv: readonly string[]) => {
        const child = spawn(program, ['-c', remoteLine(argv, null, 'tied')], { env, cwd: '/' })
        let said = ''
        child.stdout.on('data', (chunk) => (said += String(chunk)))
        const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
        return { child, said: () => said, ended }
      },
      run: (argv: readonly string[], folder: string | null) =>
        runProgram(program, ['-c', remoteLine(argv, folder)], { env, cwd: '/', input: 'in\n' }),
    }
  }

  it('runs exactly that program with exactly those words', async () => {
    const { run, home } = world()
    const print = 'printf "%s|" "$PWD" "$@"; printf "%s|" "$EXOMONAD_LINE" "$GREETING"; cat; exit 7'
    const ran = await run(['sh', '-c', print, 'sh', ...HARD], null)
    const isLogin = !['sh', 'dash', 'tcsh'].includes(shell)
    expect(ran.stdout).toBe([home, ...HARD, '', isLogin ? 'hello' : '', 'in\n'].join('|'))
    expect(ran).toMatchObject({ code: 7 })
  })

  it('goes to the folder, and says by its exit code what is not there', async () => {
    const { run, home } = world()
    const folder = join(home, "-it's a `folder`")
    mkdirSync(folder)
    for (const way of [folder, "-it's a `folder`", "~/-it's a `folder`"])
      expect(await run(['pwd'], way)).toMatchObject({ code: 0, stdout: `${folder}\n` })
    expect(await run(['pwd'], '~')).toMatchObject({ stdout: `${home}\n` })
    expect(await run(['pwd'], '/no/where')).toMatchObject({ code: 113, stdout: '' })
    expect(await run(['no-such-program'], null)).toMatchObject({ code: 127, stdout: '' })
  })
  it('ends what is tied to its input with that, and passes its exit code on', async () => {
    const { start } = world()
    const trap = 'trap "echo ended; exit 9" TERM; echo began; while :; do sleep 0.05; done'
    const going = start(['sh', '-c', trap])
    await waitFor('it to begin', () => going.said() === 'began\n')
    going.child.stdin.end()
    expect(await going.ended).toBe(9)
    expect(going.said()).toBe('began\nended\n')
    const short = start(['sh', '-c', 'cat; echo read; exit 7'])
    expect(await short.ended).toBe(7)
    expect(short.said()).toBe('read\n')
    expect(await start(['no-such-program']).ended).toBe(127)
  })
})

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createSshConnection } from '../../../src/adapters/ssh/connection.ts'
import { exec } from '../../helpers/exec.ts'
import { describeWithSshd, startSshMachine } from '../../helpers/ssh-machine.ts'
import { tempHome } from '../../helpers/temp-repository.ts'
import { waitFor } from '../../helpers/wait-for.ts'

describeWithSshd('commands that connect at once', () => {
  /** Another machine, and a folder for connections to it. */
  const begin = async () => {
    const there = tempHome()
    onTestFinished(there.remove)
    const machine = await startSshMachine(there.env)
    onTestFinished(() => machine.close())
    const folder = mkdtempSync(join(tmpdir(), 'c-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    return { machine, folder }
  }

  it('share one connection, the first time and each time after it was cut', async () => {
    const { machine, folder } = await begin()
    // None of them goes on before all have connected.
    const bin = mkdtempSync(join(tmpdir(), 'b-'))
    onTestFinished(() => rmSync(bin, { recursive: true }))
    const ssh = join(machine.folder, 'own', 'ssh')
    writeFileSync(
      join(bin, 'ssh'),
      `#!/bin/sh
case "$*" in *ControlMaster=yes*) ;; *) exec '${ssh}' "$@" ;; esac
'${ssh}' "$@"
said=$?
echo >> "${bin}/connected"
until [ $(($(wc -l < "${bin}/connected") % 5)) = 0 ]; do sleep 0.01; done
exit $said
`,
      { mode: 0o755 },
    )
    const env = { ...machine.env, PATH: `${bin}:${machine.env['PATH'] ?? ''}` }
    const commands = Array.from({ length: 5 }, () =>
      createSshConnection({ machine: { destination: 'far', port: null }, folder, env, exec }),
    )
    for (let round = 0; round < 8; round += 1) {
      await Promise.all(commands.map((command) => command.open()))
      for (const command of commands) {
        const { stdout } = await command.run(['echo', 'there'], null)
        expect(stdout).toContain('there')
      }
      await waitFor('one to be left', () => machine.connections().length === 1)
      expect(readdirSync(folder)).toHaveLength(1)
      machine.cut()
      await waitFor('the end', async () => !(await commands[0]!.isOpen()))
    }
  })

  it('make another where the one that is there was cut, and its ssh is ending', async () => {
    const { machine, folder } = await begin()
    const ssh = join(machine.folder, 'own', 'ssh')
    writeFileSync(
      join(machine.folder, 'bin', 'ssh'),
      `#!/bin/sh
case "$*" in *ControlMaster=yes*) echo >> "${machine.folder}/made" ;; esac
exec '${ssh}' "$@"
`,
      { mode: 0o755 },
    )
    const connection = createSshConnection({
      machine: { destination: 'far', port: null },
      folder,
      env: { ...machine.env, PATH: `${join(machine.folder, 'bin')}:${machine.env['PATH'] ?? ''}` },
      exec,
    })
    await Promise.all([connection.open(), connection.open()])
    expect(readFileSync(join(machine.folder, 'made'), 'utf8')).toBe('\n')
    const [name = ''] = readdirSync(folder)
    machine.cut()
    await waitFor('its end', async () => !(await connection.isOpen()))
    // As ssh does that ends: it takes who comes, and answers nobody.
    rmSync(join(folder, name))
    const ending = createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => ending.listen(join(folder, name), resolve))
    onTestFinished(() => void ending.close())
    expect(await connection.isOpen()).toBe(false)
    expect(await connection.leads(join(folder, name))).toBe(false)
    await connection.open()
    const { stdout } = await connection.run(['echo', 'there'], null)
    expect(stdout).toContain('there')
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAgentFiles } from '../../../../src/adapters/machine/agent-files.ts'
import { newAgentId } from '../../../../src/domain/ids.ts'
import { createTextGate } from '../../../../src/sanitize/text-gate.ts'
import { pathsOf } from '../../../../src/runtime/paths.ts'

function setup() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'planned-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const worktree = join(root, 'worktree')
  mkdirSync(worktree)
  const paths = pathsOf(join(root, '.git'), root)
  const files = createAgentFiles({
    paths,
    launcher: '/launch.sh',
    gate: createTextGate(),
  })
  const id = newAgentId()
  return { root, worktree, files, id, folder: files.folder(id) }
}

describe('what an agent’s program is given', () => {
  it('is written for its user alone, with links to what is the person’s', async () => {
    const { root, worktree, files, id, folder } = setup()
    const login = join(root, 'login.json')
    writeFileSync(login, 'secret')
    const plan = () =>
      files.writePlanned(
        id,
        worktree,
        [{ path: join(folder, 'home', 'settings.json'), content: '{}' }],
        [{ path: join(folder, 'home', 'login.json'), target: login }],
      )
    await plan()
    expect(statSync(join(folder, 'home', 'settings.json')).mode & 0o777).toBe(0o600)
    expect(readlinkSync(join(folder, 'home', 'login.json'))).toBe(login)
    // Again, as at a resumption.
    await plan()
    expect(readlinkSync(join(folder, 'home', 'login.json'))).toBe(login)
    await files.removeFolder(id)
    expect(readFileSync(login, 'utf8')).toBe('secret')
  })

  it('keeps what the program put in the place of a link', async () => {
    const { worktree, files, id, folder } = setup()
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'state'), 'its own')
    await files.writePlanned(
      id,
      worktree,
      [],
      [{ path: join(folder, 'state'), target: '/elsewhere' }],
    )
    expect(lstatSync(join(folder, 'state')).isSymbolicLink()).toBe(false)
  })

  it('is OUTSIDE_ROOT where a link would lie elsewhere', async () => {
    const { root, worktree, files, id, folder } = setup()
    const link = (path: string) =>
      files.writePlanned(id, worktree, [], [{ path, target: '/elsewhere' }])
    await expect(link(join(worktree, 'link'))).rejects.toMatchObject({ code: 'OUTSIDE_ROOT' })
    await expect(link(join(folder, '..', 'link'))).rejects.toMatchObject({ code: 'OUTSIDE_ROOT' })
    mkdirSync(folder, { recursive: true })
    symlinkSync(root, join(folder, 'way'))
    await expect(link(join(folder, 'way', 'link'))).rejects.toMatchObject({ code: 'OUTSIDE_ROOT' })
  })

  it('is taken away also where what was just ended is still writing there', async () => {
    const { files, id, folder } = setup()
    const spool = join(folder, 'spool')
    const writes = `const { writeFileSync } = require('node:fs'); const end = performance.now() + 300; console.log('begun'); for (let at = 0; performance.now() < end; at += 1) try { writeFileSync('${spool}/' + process.pid + at, '') } catch { break }`
    for (let round = 0; round < 3; round += 1) {
      mkdirSync(spool, { recursive: true })
      const hooks = [1, 2].map(() =>
        spawn(process.execPath, ['-e', writes], { stdio: ['ignore', 'pipe', 'inherit'] }),
      )
      const ended = Promise.all(hooks.map((hook) => once(hook, 'exit')))
      await Promise.all(hooks.map(({ stdout }) => once(stdout, 'data')))
      await files.removeFolder(id)
      expect(existsSync(folder)).toBe(false)
      await ended
    }
  })
})

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { endTerminals, runProgram } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'
import { tempHome } from '../../helpers/temp-repository.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** docs/guide.md, followed to the letter: every `sh` block, in one shell, in order. */
it('every command of the guide works', async () => {
  const { folder, env, remove } = tempHome()
  const repository = join(folder, 'first-tree')
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'exomonad'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`)
  chmodSync(join(bin, 'exomonad'), 0o755)
  const shell = { env: { ...env, PATH: `${bin}:${env['PATH'] ?? ''}`, NO_COLOR: '1' } }
  const exomonad = (...args: string[]) =>
    runProgram(join(bin, 'exomonad'), args, { ...shell, cwd: repository })
  onTestFinished(async () => {
    await exomonad('down')
    await endTerminals(join(repository, '.git'), env)
    remove()
  })

  const guide = readFileSync(
    join(import.meta.dirname, '..', '..', '..', 'docs', 'guide.md'),
    'utf8',
  )
  const sections = guide
    .split(/^## /m)
    .map((section) =>
      [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? ''),
    )
  let cwd = folder
  for (const blocks of sections) {
    // A reader looks at the tree before going on; what the next section needs has happened by then.
    if (blocks.some((block) => block.includes('pr list'))) {
      // Each of them starts several programs for it.
      const checked = async () => {
        const { json } = await exomonad('pr', 'list', '--json')
        return (
          json?.pull_requests.length === 2 &&
          json.pull_requests.every((pull: any) => pull.checks === 'passed')
        )
      }
      await waitFor('both pull requests, checked', checked, { limit: 60_000 })
    }
    for (const block of blocks) {
      const result = await runProgram(
        'sh',
        ['-ec', `cd '${cwd}'\n${block}\npwd > '${folder}/pwd'`],
        shell,
      )
      expect(result.code, `${block}\n${result.stdout}\n${result.stderr}`).toBe(0)
      cwd = readFileSync(join(folder, 'pwd'), 'utf8').trim()
      if (block.includes('exomonad inbox')) expect(result.stdout).toBeTruthy()
    }
  }
  const history = await runProgram('git', ['log', '--format=%s'], { ...shell, cwd: repository })
  expect(history.stdout).toMatch(/Add index\.txt/)
  expect(history.stdout).toMatch(/Add query\.txt/)
  const branches = await runProgram('git', ['branch', '--format=%(refname:short)'], {
    ...shell,
    cwd: repository,
  })
  expect(branches.stdout.trim()).toBe('main')
}, 120_000)

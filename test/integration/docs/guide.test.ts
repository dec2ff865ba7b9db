import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { endTerminals, runProgram } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'
import { tempHome } from '../../helpers/temp-repository.ts'
import { runBlocks } from '../../helpers/doc-blocks.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * docs/guide.md, followed to the letter: every `sh` block, in one repository, in order, and those of
 * daily.md, headless.md and console.md as the day goes on, before it is cleaned up.
 */
it('every command of the guide and of the pages on daily use works', async () => {
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

  const guide = runBlocks('docs/guide.md')
  const cleaning = guide.findIndex((block) => block.includes('exomonad kill'))
  const day = ['docs/daily.md', 'docs/console.md', 'docs/headless.md'].flatMap(runBlocks)
  let cwd = folder
  for (const block of [...guide.slice(0, cleaning), ...day, ...guide.slice(cleaning)]) {
    // A reader looks at the tree before going on; what comes next needs both to be checked.
    if (block.includes('pr list')) {
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
    const result = await runProgram(
      'sh',
      ['-ec', `cd '${cwd}'\n${block}\npwd > '${folder}/pwd'`],
      shell,
    )
    expect(result.code, `${block}\n${result.stdout}\n${result.stderr}`).toBe(0)
    cwd = readFileSync(join(folder, 'pwd'), 'utf8').trim()
    if (block.includes('exomonad inbox\n')) expect(result.stdout).toBeTruthy()
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

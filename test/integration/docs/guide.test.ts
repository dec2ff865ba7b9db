import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { endTerminals, runProgram } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'
import { tempHome } from '../../helpers/temp-repository.ts'
import { runBlocks } from '../../helpers/doc-blocks.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** Each starts dozens of programs, on a machine that may be busy. Milliseconds. */
const LIMIT = 400_000

/** Where a reader types: a home of its own, and `exomonad` on PATH. `name`: of the repository. */
function openShell(name: string) {
  const { folder, env, remove } = tempHome()
  const repository = join(folder, name)
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'exomonad'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`)
  chmodSync(join(bin, 'exomonad'), 0o755)
  const shell = {
    env: { ...env, PATH: `${bin}:${env['PATH'] ?? ''}`, NO_COLOR: '1' },
    timeout: LIMIT / 2,
  }
  const exomonad = (...args: string[]) =>
    runProgram(join(bin, 'exomonad'), args, { ...shell, cwd: repository })
  let cwd = folder
  /** Runs a block where the last one ended; returns what it printed. */
  const run = async (block: string): Promise<string> => {
    const result = await runProgram(
      'sh',
      ['-ec', `cd '${cwd}'\n${block}\npwd > '${folder}/pwd'`],
      shell,
    )
    expect(result.code, `${block}\n${result.stdout}\n${result.stderr}`).toBe(0)
    cwd = readFileSync(join(folder, 'pwd'), 'utf8').trim()
    return result.stdout
  }
  onTestFinished(async () => {
    if (existsSync(join(repository, '.git', 'exomonad'))) await exomonad('down')
    await endTerminals(join(repository, '.git'), env)
    remove()
  })
  return { folder, repository, run, exomonad }
}

/**
 * docs/guide.md, followed to the letter: every `sh` block, in one repository, in order, and those of
 * daily.md, headless.md and console.md as the day goes on, before it is cleaned up.
 */
it(
  'every command of the guide and of the pages on daily use works',
  async () => {
    const { run, exomonad } = openShell('first-tree')
    const guide = runBlocks('docs/guide.md')
    const cleaning = guide.findIndex((block) => block.includes('exomonad kill'))
    const day = ['docs/daily.md', 'docs/console.md', 'docs/headless.md'].flatMap(runBlocks)
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
      const printed = await run(block)
      if (block.includes('exomonad inbox\n')) expect(printed).toBeTruthy()
    }
    const history = await run('git log --format=%s')
    expect(history).toMatch(/Add index\.txt/)
    expect(history).toMatch(/Add query\.txt/)
    expect((await run("git branch --format='%(refname:short)'")).trim()).toBe('main')
  },
  LIMIT,
)

it(
  'every command of the README works, and the last one leaves what was there before',
  async () => {
    const { folder, repository, run } = openShell('shop')
    writeFileSync(join(folder, 'agent.sh'), '#!/bin/sh\nwhile read -r line; do :; done\n')
    chmodSync(join(folder, 'agent.sh'), 0o755)
    await run(
      'git init -q -b main shop && cd shop && git config user.name A && git config user.email a@x.invalid && git commit -q --allow-empty -m Start',
    )
    const kept = (): string =>
      readFileSync(join(repository, '.git', 'config'), 'utf8') +
      readFileSync(join(repository, '.git', 'info', 'exclude'), 'utf8')
    const before = kept()
    const [lines = ''] = runBlocks('README.md')
    for (const line of lines.trim().split('\n')) {
      const printed = await run(line)
      if (line.startsWith('exomonad init')) {
        // What it says that init writes.
        expect(readFileSync(join(repository, '.git', 'config'), 'utf8')).toContain(
          '[remote "exomonad"]',
        )
        expect(readdirSync(join(repository, '.exomonad'))).toEqual(['config.toml'])
        writeFileSync(
          join(repository, '.exomonad', 'config.toml'),
          `[roles.tl]\nagent = "script"\n[agents.script]\nadapter = "command"\ncommand = ["${folder}/agent.sh"]\n[multiplexer]\nkind = "headless"\n`,
        )
      }
      if (line.startsWith('exomonad tree')) expect(printed).toMatch(/main .*root/)
    }
    expect(kept()).toBe(before)
    expect(readdirSync(join(repository, '.git'))).not.toContain('exomonad')
    // It is not what init wrote any more.
    expect(readdirSync(repository).toSorted()).toEqual(['.exomonad', '.git'])
    expect(readdirSync(join(repository, '.exomonad'))).toEqual(['config.toml'])
  },
  LIMIT,
)

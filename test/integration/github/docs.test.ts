import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { startFakeGithub } from '../../fixtures/github/server.ts'
import { endTerminals, runProgram } from '../../helpers/daemon.ts'
import { runBlocks } from '../../helpers/doc-blocks.ts'
import { BIN } from '../../helpers/programs.ts'
import { tempRepository } from '../../helpers/temp-repository.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** Writes a file, commits, files a pull request and stays, as the one of docs/guide.md does. */
const AGENT = `#!/bin/sh
echo "by $EXOMONAD_AGENT_NAME" > "$EXOMONAD_AGENT_NAME.txt"
git add . && git commit -qm "Add $EXOMONAD_AGENT_NAME.txt"
exomonad pr file --title "Add $EXOMONAD_AGENT_NAME.txt" --body "One line, as asked."
while read -r line; do echo "received: $line"; done
`

/**
 * docs/github.md, followed to the letter: every `sh` block, in order, in a clone of a repository on
 * the fake GitHub.
 */
it('every command of the page on GitHub works', async () => {
  const fake = await startFakeGithub()
  onTestFinished(() => fake.close())
  const repository = await tempRepository()
  const { folder, path } = repository
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const program = (file: string, text: string): void => {
    writeFileSync(file, text)
    chmodSync(file, 0o755)
  }
  program(join(bin, 'exomonad'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`)
  program(join(folder, 'agent.sh'), AGENT)
  const env = {
    ...repository.env,
    PATH: `${bin}:${repository.env['PATH'] ?? ''}`,
    NO_COLOR: '1',
    GH_HOST: fake.url.replace('http://', ''),
    GH_ENTERPRISE_TOKEN: fake.token,
  }
  const run = (file: string, args: readonly string[]) =>
    runProgram(file, args, { env, cwd: path, timeout: 110_000 })
  onTestFinished(async () => {
    await run('exomonad', ['down'])
    await endTerminals(join(path, '.git'), env)
    repository.remove()
  })
  await repository.git('remote', 'add', 'origin', fake.cloneUrl)
  await repository.git('push', '-q', fake.bare, 'HEAD:refs/heads/main')

  const blocks = runBlocks('docs/github.md')
  expect(blocks.length).toBe(4)
  const issue = fake.as('octo').openIssue({ title: 'Login fails', body: 'It says 500.' })
  const config = join(path, '.exomonad', 'config.toml')
  for (const block of blocks) {
    // A reader names an agent program, and looks at the pull request once it is there.
    if (block.includes('spawn')) {
      const [forge] =
        /^\[forge\]\nkind = "github"\n(?:\S.*\n)*/m.exec(readFileSync(config, 'utf8')) ?? []
      const agent = `[agents.script]\nadapter = "command"\ncommand = ["${folder}/agent.sh"]\n[multiplexer]\nkind = "headless"\n`
      writeFileSync(
        config,
        `[roles.tl]\nagent = "script"\n[roles.dev]\nagent = "script"\n${agent}${forge ?? ''}`,
      )
    }
    if (block.includes('pr list')) {
      await waitFor(
        'the pull request',
        async () =>
          (await run('exomonad', ['pr', 'list', '--json'])).json?.pull_requests.length === 1,
        { limit: 120_000 },
      )
    }
    for (const line of block.replaceAll('--issue 42', `--issue ${issue}`).trim().split('\n')) {
      const result = await run('sh', ['-ec', line])
      expect(result.code, `${line}\n${result.stdout}\n${result.stderr}`).toBe(0)
      expect(result.stdout).not.toContain(fake.token)
      if (line.includes('pr show'))
        expect(result.stdout).toContain(`${fake.url}/octo/widgets/pull/2`)
      if (line.includes('--issue')) expect(result.stdout).toContain(`✓ issue-${issue}-login-fails`)
    }
  }
  expect(
    [...fake.state.pulls.values()].filter(({ headRef }) => headRef === 'main.index'),
  ).toMatchObject([
    { headRef: 'main.index', baseRef: 'main', merged: true, title: 'Add index.txt' },
  ])
  expect(await repository.gitIn(fake.bare, 'show', 'main:index.txt')).toBe('by index')
  // Yours too comes from the token’s account, which may not approve what it filed.
  expect(fake.state.reviews).toMatchObject([
    { author: 'robot', state: 'COMMENTED', body: expect.stringContaining('Good.') },
  ])
}, 300_000)

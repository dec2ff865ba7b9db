import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** What came with a repository runs nothing before its user said so, by whichever way. */

/**
 * A repository as a clone brings it: configuration and a template are tracked, and everything they
 * can run leaves a mark.
 */
async function cloned(): Promise<{ tree: Exomonad; marks: () => string[]; config: string }> {
  const tree = await startExomonad({ init: false })
  onTestFinished(() => tree.stop())
  const file = join(tree.repository.folder, 'marks')
  const config = join(tree.repository.path, '.exomonad', 'config.toml')
  const mark = (what: string): string => JSON.stringify(['sh', '-c', `echo ${what} >> '${file}'`])
  const marked = readFileSync(config, 'utf8').replace(
    'command = ["{{node}}"',
    `command = ["sh", "-c", "echo agent >> '${file}'; exec \\"$@\\"", "sh", "{{node}}"`,
  )
  writeFileSync(
    config,
    `${marked}\n[worktree]\nsetup = [${mark('setup')}]\n[forge.local]\nci = ${mark('ci')}\n[notify]\ncommand = ${mark('notify')}\n[environment]\npass = ["AWS_*"]\n[sandbox]\nwrite = ["~/.npm"]\n`,
  )
  await tree.repository.commit({
    '.exomonad/config.toml': readFileSync(config, 'utf8'),
    '.exomonad/templates/note.liquid': 'OVERRIDDEN {{ name }}: {{ message }}',
  })
  const marks = () =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
      : []
  return { tree, marks, config }
}

const count = (marks: readonly string[], what: string): number =>
  marks.filter((mark) => mark === what).length
const inbox = async (tree: Exomonad): Promise<string[]> =>
  (await tree.call('inbox')).messages.map((message: { text: string }) => message.text)
const refused = {
  code: 'UNTRUSTED_CONFIG',
  error: expect.stringMatching(/config\.toml[\s\S]*exomonad trust/),
}

describe('a repository that came with a configuration', () => {
  it('runs neither agents, set-up, checks and notices nor templates of its own before `exomonad trust`, and each change asks again', async () => {
    const { tree, marks, config } = await cloned()
    const init = await tree.command(['init'])
    expect(init).toMatchObject({ code: 0, stdout: expect.stringContaining('exomonad trust') })

    expect(
      await tree.refusal('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] }),
    ).toMatchObject(refused)
    expect(await tree.refusal('spawn_subtree', { task: 'x', branch_name: 's' })).toMatchObject(
      refused,
    )
    expect(await tree.refusal('up', { task: 'x' })).toMatchObject(refused)
    expect(await tree.refusal('resume', {})).toMatchObject(refused)
    await tree.call('note', { message: 'a note' })
    await tree.call('question', { message: 'a question', timeout: 0.01 })
    await waitFor('both in the inbox', async () => (await inbox(tree)).length === 2)
    expect((await inbox(tree)).join('\n')).toContain('[NOTE]')
    expect(await tree.command(['trust', '--check', '--json'])).toMatchObject({
      code: 1,
      json: {
        trusted: false,
        changed: ['.exomonad/config.toml', '.exomonad/templates/note.liquid'],
      },
    })
    expect(marks()).toEqual([])
    expect(await tree.repository.git('branch', '--format=%(refname:short)')).toBe('main')

    expect(await tree.run(['trust'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /environment\.pass {2}of your variables, agents see AWS_\*[^]*sandbox\.write {2}confined agents write ~\/\.npm[^]*worktree\.setup/,
      ),
    })
    tree.script('w', {
      steps: [
        { do: 'write', path: 'a.txt', content: 'a' },
        { do: 'commit', message: 'Add a' },
        { do: 'tool', name: 'file_pr', input: { title: 'A', body: '' } },
        { do: 'tool', name: 'note', input: { message: 'said when trusted' } },
      ],
      on: [
        {
          match: 'again',
          steps: [
            { do: 'write', path: 'b.txt', content: 'b' },
            { do: 'commit', message: 'Add b' },
            { do: 'tool', name: 'file_pr', input: { title: 'A', body: '' } },
            { do: 'tool', name: 'note', input: { message: 'said after the change' } },
          ],
        },
      ],
    })
    // What is known of trust is used again for up to two seconds where messages are rendered.
    const rendered = (words: RegExp) =>
      waitFor(`a note as ${String(words)}`, async () => {
        await tree.call('note', { message: 'from the root' })
        return (await inbox(tree)).findLast((text) => text.includes('from the root'))?.match(words)
      })
    await rendered(/^OVERRIDDEN/)
    const { spawned } = await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
    expect(spawned).toHaveLength(1)
    await waitFor(
      'the check',
      async () => (await tree.call('pr_checks', { pr_number: 1 })).state === 'passed',
    )
    await waitFor('the note in the words of the override', async () =>
      (await inbox(tree)).includes('OVERRIDDEN w: said when trusted'),
    )
    await tree.call('question', { message: 'another question', timeout: 0.01 })
    await waitFor('the notice', () => marks().includes('notify'))
    expect([
      count(marks(), 'agent'),
      count(marks(), 'setup'),
      count(marks(), 'ci'),
      count(marks(), 'notify'),
    ]).toEqual([1, 1, 1, 1])

    // As a pull would: one more line, committed by somebody else.
    await tree.repository.commit(
      { '.exomonad/config.toml': `${readFileSync(config, 'utf8')}# one more line\n` },
      'Change the configuration',
    )
    expect((await tree.command(['trust', '--check', '--json'])).json).toEqual({
      trusted: false,
      changed: ['.exomonad/config.toml'],
    })
    expect(
      await tree.refusal('spawn_workers', { specs: [{ name: 'v', prompt: 'x' }] }),
    ).toMatchObject(refused)
    await rendered(/^\[NOTE\]/)
    await tree.call('send', { to: 'w', message: 'again' })
    await waitFor('the note in shipped words', async () =>
      (await inbox(tree)).some((text) => text.startsWith('[NOTE] w: said after the change')),
    )
    await tree.call('question', { message: 'a third question', timeout: 0.01 })
    const checks = await tree.call('pr_checks', { pr_number: 1 })
    expect(checks).toMatchObject({
      state: 'pending',
      checks: [{ status: 'queued', log_tail: expect.stringContaining('exomonad trust') }],
    })
    expect(await tree.refusal('merge_pr', { pr_number: 1 })).toMatchObject({
      code: 'CHECKS_FAILED',
    })
    expect([
      count(marks(), 'agent'),
      count(marks(), 'setup'),
      count(marks(), 'ci'),
      count(marks(), 'notify'),
    ]).toEqual([1, 1, 1, 1])

    expect((await tree.command(['trust'])).code).toBe(0)
    await tree.call('file_pr', { title: 'A', body: '' }, { as: 'w' })
    await waitFor(
      'the check of the new head',
      async () => (await tree.call('pr_checks', { pr_number: 1 })).state === 'passed',
    )
    expect(count(marks(), 'ci')).toBe(2)
  })

  it('is not what a person’s own becomes when somebody commits it: what ran here stays trusted, and what changes then does not', async () => {
    const tree = await startExomonad()
    onTestFinished(() => tree.stop())
    const config = join(tree.repository.path, '.exomonad', 'config.toml')
    // Edited after init, as its comments ask for, and used.
    writeFileSync(config, '[limits]\nmax_live_agents = 7\n', { flag: 'a' })
    const spawn = (name: string) => tree.call('spawn_workers', { specs: [{ name, prompt: 'x' }] })
    expect((await spawn('one')).errors).toEqual([])
    // As an agent does that adds whatever lies there, and says so to git.
    await tree.repository.git('add', '-A', '-f', '.exomonad/config.toml')
    await tree.repository.git('commit', '-q', '-m', 'All of it')
    expect((await spawn('two')).errors).toEqual([])
    writeFileSync(config, '[limits]\nmax_live_agents = 70\n', { flag: 'a' })
    expect(
      await tree.refusal('spawn_workers', { specs: [{ name: 'three', prompt: 'x' }] }),
    ).toMatchObject(refused)
  })

  it('can’t get around it by links, nor by a git that gives no answer', async () => {
    const { tree, marks, config } = await cloned()
    expect((await tree.command(['init'])).code).toBe(0)
    expect((await tree.command(['trust'])).code).toBe(0)

    const outside = join(tree.repository.folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'config.toml'), readFileSync(config, 'utf8'))
    rmSync(config)
    symlinkSync(join(outside, 'config.toml'), config)
    await tree.repository.git('add', '.exomonad/config.toml')
    await tree.repository.git('commit', '-qm', 'Link')
    expect(await tree.refusal('up', { task: 'x' })).toMatchObject({ code: 'UNTRUSTED_CONFIG' })
    expect(await tree.command(['trust', '--json'])).toMatchObject({
      code: 1,
      json: { code: 'OUTSIDE_ROOT' },
    })

    rmSync(config)
    await tree.repository.git('checkout', '-q', 'HEAD~1', '--', '.exomonad/config.toml')
    writeFileSync(config, `${readFileSync(config, 'utf8')}# changed\n`)
    writeFileSync(join(tree.repository.path, '.git', 'index'), 'no index')
    expect(await tree.refusal('up', { task: 'x' })).toMatchObject({ code: 'GIT_FAILED' })
    expect(marks()).toEqual([])
  })
})

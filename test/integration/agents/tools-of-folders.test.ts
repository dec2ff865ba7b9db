import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad } from '../../helpers/daemon.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** What tools that ask for trust in each new folder are told in a new worktree, as the guide has it. */

describeWith(['direnv'], 'direnv', () => {
  it('is allowed by a set-up command, and its variables reach a program that is started by it', async () => {
    const tree = await startExomonad({
      config: `[worktree]
setup = [["direnv", "allow"]]
[agents.inside]
adapter = "command"
command = ["direnv", "exec", ".", "/bin/sh", "-c", "echo \\"$GREETING\\" > ../../../../greeting; exec sleep 600"]
`,
      files: { '.envrc': 'export GREETING="slot $EXOMONAD_SLOT of $(basename "$PWD")"\n' },
    })
    onTestFinished(() => tree.stop())
    const { errors } = await tree.call('spawn', {
      kind: 'worker',
      specs: [{ name: 'one', prompt: 'x', agent: 'inside' }],
    })
    expect(errors).toEqual([])
    const greeting = join(tree.repository.folder, 'greeting')
    await waitFor(
      'the program',
      () => existsSync(greeting) && readFileSync(greeting, 'utf8') !== '',
    )
    expect(readFileSync(greeting, 'utf8')).toBe('slot 1 of one\n')
  })

  it('without that command refuses what a new worktree has', async () => {
    const tree = await startExomonad({
      config: '[worktree]\nsetup = [["direnv", "exec", ".", "true"]]\n',
      files: { '.envrc': 'export GREETING=hello\n' },
    })
    onTestFinished(() => tree.stop())
    const { errors } = await tree.call('spawn_workers', { specs: [{ name: 'one', prompt: 'x' }] })
    expect(errors).toMatchObject([
      { code: 'SPAWN_FAILED', error: expect.stringContaining('direnv allow') },
    ])
  })
})

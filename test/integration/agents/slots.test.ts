import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** A small number and ports for each worktree, and commands before one is removed. */

const SAY =
  'echo "$EXOMONAD_SLOT $EXOMONAD_PORT_BASE" > "$EXOMONAD_REPOSITORY/../$EXOMONAD_AGENT_NAME'
const OWN = (folder: string): string => `
[agents.own]
adapter = "command"
command = ["/bin/sh", "-c", "echo $EXOMONAD_SLOT $PORT > ${folder}/$EXOMONAD_AGENT_NAME.own; exec sleep 600"]
resume_command = ["/bin/sh", "-c", "echo $EXOMONAD_SLOT $PORT > ${folder}/$EXOMONAD_AGENT_NAME.again; exec sleep 600"]
env = { PORT = "\${EXOMONAD_PORT_BASE}" }
`

async function start(worktree: string) {
  const tree = await startExomonad({
    config: `[worktree]\n${worktree}\n${OWN('$HOME/..')}`,
    files: { 'a.txt': 'a' },
  })
  onTestFinished(() => tree.stop())
  return tree
}
async function spawn(tree: Exomonad, ...names: string[]): Promise<any[]> {
  const specs = names.map((name) => ({ name, prompt: 'x', agent: 'own' }))
  const { spawned, errors } = await tree.call('spawn', { kind: 'worker', specs })
  expect(errors).toEqual([])
  return spawned
}
/** Slot and ports as a program wrote them into a file. */
async function said(tree: Exomonad, file: string): Promise<[slot: number, ports: number]> {
  const places = [join(tree.repository.folder, file), join(tree.repository.home, '..', file)]
  const read = (): string =>
    places.flatMap((place) => (existsSync(place) ? [readFileSync(place, 'utf8')] : []))[0] ?? ''
  await waitFor(file, () => read().endsWith('\n'))
  const [slot, ports] = read().trim().split(' ').map(Number)
  return [slot ?? Number.NaN, ports ?? Number.NaN]
}
/** Somebody listens there from then on, whoever that is. */
const listen = async (port: number): Promise<void> => {
  const server = createServer()
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve() : reject(error),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
}

it('each worktree has the smallest number that is free, and twenty ports that nobody uses', async () => {
  const tree = await start(`setup = [["sh", "-c", ${JSON.stringify(`${SAY}.setup"`)}]]`)
  await spawn(tree, 'one', 'two')
  const ports = new Map<number, number>()
  for (const name of ['one', 'two']) {
    const [slot, base] = await said(tree, `${name}.own`)
    expect(await said(tree, `${name}.setup`)).toEqual([slot, base])
    ports.set(slot, base)
  }
  expect([...ports.keys()].toSorted()).toEqual([1, 2])
  const [first = 0, second = 0] = [ports.get(1), ports.get(2)]
  expect(Math.abs(second - first)).toBeGreaterThanOrEqual(20)

  // Somebody sits on a port of what would be next: another block, the same number.
  await listen(second + 20 + 7)
  await spawn(tree, 'three')
  const [slot, base] = await said(tree, 'three.own')
  expect(slot).toBe(3)
  expect([first, second, second + 20]).not.toContain(base)

  // Kept when its program comes back, whoever sits on its ports by then (itself, mostly).
  await listen(base + 1)
  await tree.call('down', {})
  await tree.call('resume', { agent: 'three' })
  expect(await said(tree, 'three.again')).toEqual([3, base])

  // Free again when the worktree is gone, and not before.
  const name = (await said(tree, 'one.own'))[0] === 1 ? 'one' : 'two'
  await tree.call('kill', { agent: name })
  await spawn(tree, 'four')
  expect((await said(tree, 'four.own'))[0]).toBe(4)
  await tree.call('clean', {})
  await spawn(tree, 'five')
  expect((await said(tree, 'five.own'))[0]).toBe(1)
})

it('teardown commands run before a worktree goes; one that fails or hangs holds nothing up', async () => {
  const tree = await start(
    [
      `setup = [["sh", "-c", "case $EXOMONAD_AGENT_NAME in broken) exit 1;; esac"]]`,
      `teardown = [["sh", "-c", ${JSON.stringify(`cat a.txt && ${SAY}.gone"`)}], ["sh", "-c", "case $EXOMONAD_AGENT_NAME in bad) echo no database; exit 5;; slow) sleep 600;; esac"]]`,
      'teardown_timeout = 5',
    ].join('\n'),
  )
  const gone = (name: string): boolean => existsSync(join(tree.repository.folder, `${name}.gone`))
  const place = (name: string) => join(tree.repository.path, '.exomonad', 'worktrees', name)
  await spawn(tree, 'good', 'bad', 'slow', 'kept', 'locked')
  const spawned = await said(tree, 'good.own')
  writeFileSync(join(tree.repository.path, '.exomonad', 'worktrees', 'kept', 'unsaved.txt'), 'work')
  await tree.repository.git('worktree', 'lock', place('locked'))
  for (const agent of ['good', 'bad', 'slow', 'kept', 'locked']) await tree.call('kill', { agent })
  expect((await tree.call('clean', { dry_run: true })).removed).toHaveLength(4)
  expect(gone('good')).toBe(false)

  const cleaned = await tree.command(['clean'])
  expect(cleaned.stdout).toMatch(
    /bad: The teardown command `sh -c .*` failed .*exit 5\s+no database/s,
  )
  expect(cleaned.stdout).toMatch(/slow: The teardown command .*timed out after 5 s/s)
  expect(await said(tree, 'good.gone')).toEqual(spawned)
  for (const name of ['good', 'bad', 'slow']) {
    expect(gone(name)).toBe(true)
    expect(existsSync(join(tree.repository.path, '.exomonad', 'worktrees', name))).toBe(false)
  }
  // Nothing is torn down of what then stays.
  expect([gone('kept'), gone('locked')]).toEqual([false, false])
  expect(existsSync(join(place('locked'), 'a.txt'))).toBe(true)
  expect(existsSync(join(tree.repository.path, '.exomonad', 'worktrees', 'kept', 'a.txt'))).toBe(
    true,
  )

  // What a set-up had begun is cleared as well where the spawn is undone.
  const { errors } = await tree.call('spawn_workers', { specs: [{ name: 'broken', prompt: 'x' }] })
  expect(errors).toHaveLength(1)
  expect(gone('broken')).toBe(true)
})

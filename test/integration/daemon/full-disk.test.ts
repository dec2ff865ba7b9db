import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ExomonadError } from '../../../src/domain/errors.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { describeWithDisk } from '../../helpers/terminals/require-tool.ts'
import { fillDisk, remountSmallDisk } from '../../helpers/small-disk.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * The real daemon with its repository and state on a file system that is filled under it and given
 * room again.
 */

const start = async () => {
  const tree = await startExomonad({ disk: 48, config: '[liveness]\nreconcile_every = 1\n' })
  onTestFinished(() => tree.stop())
  const filler = join(tree.repository.path, '.git', 'filler')
  const pid = await tree.daemonPid()
  tree.script('writer', {
    steps: [
      { do: 'write', path: 'a.txt', content: 'a' },
      { do: 'commit', message: 'Add a' },
    ],
  })
  expect((await spawn(tree, 'writer')).error).toBeUndefined()
  await waitFor(
    'the commit and the end of its turn',
    async () =>
      tree.log('writer').some((entry) => entry['kind'] === 'commit') &&
      (await tree.agent('writer')).state === 'idle',
  )
  // One that a full disk comes upon in its middle takes what it had written away, and there is room.
  const backups = join(tree.state, 'backups')
  await waitFor(
    'the backup that comes soon after a start',
    () => existsSync(backups) && readdirSync(backups).some((name) => name.endsWith('.db')),
  )
  return { tree, pid, fill: () => fillDisk(filler), makeRoom: () => rmSync(filler) }
}

/** The error of the call as a whole or of its one agent. */
const spawn = async (
  tree: Exomonad,
  name: string,
): Promise<{ error?: { error: string; code: string } }> => {
  const { code, json } = await tree.command([
    'call',
    'spawn_workers',
    JSON.stringify({ specs: [{ name, prompt: 'Nothing to do.' }] }),
  ])
  return { error: code === 0 ? json.errors[0] : json }
}

/** Large enough that the store’s files have to grow for a few of them. */
const long = (label: string): string => `${label} ${'x'.repeat(100_000)}`

/**
 * Says something again and again until the store has no room for it; returns the refusal and what
 * was taken before.
 */
const sayUntilRefused = async (say: (message: string) => Promise<unknown>, label: string) => {
  for (const taken: string[] = []; taken.length < 200;) {
    const name = `${label}-${taken.length}.`
    try {
      await say(long(name))
      taken.push(name)
    } catch (error) {
      return { taken, refused: name, error }
    }
  }
  throw new Error('the disk never got full')
}

const branches = async (tree: Exomonad) =>
  (await tree.repository.git('branch', '--format=%(refname:short)')).split('\n').sort()
const worktrees = async (tree: Exomonad) =>
  (await tree.repository.git('worktree', 'list', '--porcelain'))
    .split('\n')
    .filter((line) => line.startsWith('worktree ')).length
const names = async (tree: Exomonad) =>
  (await tree.tree()).root.children.map((node: { name: string }) => node.name)
const full = { code: 'DISK_FULL', error: expect.stringContaining('Make room') }

describeWithDisk('a full disk', () => {
  it('fails a spawn with one clear error and takes it back, at once or when there is room again', async () => {
    const { tree, pid, fill, makeRoom } = await start()
    const client = tree.client()
    // The store’s log keeps its size: with it grown, the store can still write when git can’t.
    for (let n = 0; n < 45; n++) await client.callTool('note', { message: long(`before-${n}.`) })
    fill()
    expect((await spawn(tree, 'with-a-record')).error).toMatchObject(full)
    expect(await branches(tree)).toEqual(['main', 'main.writer'])
    expect(await names(tree)).toEqual(['writer'])

    // Now the store has no room either, not even to say that the spawn is taken back.
    await sayUntilRefused((message) => client.callTool('note', { message }), 'filling')
    for (const name of ['one', 'two']) expect((await spawn(tree, name)).error).toMatchObject(full)
    const said = await tree.command(['spawn', 'workers', 'three=Nothing to do.'])
    expect(said.code).toBe(1)
    expect(`${said.stdout}${said.stderr}`).toMatch(/full.*Make room.*\(?DISK_FULL/s)

    makeRoom()
    await waitFor('what was begun to be taken back', async () => {
      const { root, unfinished } = await tree.tree()
      return root.children.length === 1 && unfinished.length === 0
    })
    expect(await branches(tree)).toEqual(['main', 'main.writer'])
    expect(await worktrees(tree)).toBe(2)
    for (const name of ['one', 'two', 'three', 'with-a-record'])
      expect((await spawn(tree, name)).error).toBeUndefined()
    expect((await names(tree)).toSorted()).toEqual([
      'one',
      'three',
      'two',
      'with-a-record',
      'writer',
    ])
    expect(await tree.daemonPid()).toBe(pid)
    // Half a line of the log would show as such.
    expect(
      (await tree.run(['daemon', 'logs'])).stdout
        .split('\n')
        .filter((line) => line.startsWith('{')),
    ).toEqual([])
  })

  it('refuses what would be lost, and loses and doubles nothing of what it took', async () => {
    const { tree, pid, fill, makeRoom } = await start()
    const client = tree.client()
    const file = () => tree.command(['pr', 'file', '--title', 'Add a', '--as', 'writer', '--json'])
    fill()
    expect((await file()).json).toMatchObject(full)
    const notes = await sayUntilRefused((message) => client.callTool('note', { message }), 'note')
    const sends = await sayUntilRefused(
      (message) => client.callTool('send', { to: 'writer', message }),
      'send',
    )
    for (const { error } of [notes, sends]) {
      expect(error).toBeInstanceOf(ExomonadError)
      expect(error).toMatchObject({
        code: 'DISK_FULL',
        message: expect.stringContaining('Make room'),
      })
    }
    expect((await file()).json).toMatchObject(full)
    // What only reads goes on.
    expect((await tree.command(['tree'])).stdout).toContain('─ writer')

    makeRoom()
    await client.callTool('note', { message: long('note-after.') })
    await client.callTool('send', { to: 'writer', message: long('send-after.') })
    expect((await file()).json).toMatchObject({ pr_number: 1, created: true })
    const events: { type: string; payload: Record<string, string> }[] = await tree.events()
    const labels = (type: string) =>
      events
        .filter((event) => event.type === type)
        .map(({ payload }) => String(payload['message']).split(' ')[0])
    expect(labels('note')).toEqual([...notes.taken, 'note-after.'])
    expect(labels('message')).toEqual([...sends.taken, 'send-after.'])
    const inbox = await tree.call('inbox')
    expect(inbox.messages.filter(({ kind }: { kind: string }) => kind === 'note')).toHaveLength(
      notes.taken.length + 1,
    )
    await tree.logged(
      'writer',
      'the last message',
      (entry) => entry['kind'] === 'message' && String(entry['text']).includes('send-after.'),
    )
    const received = tree
      .log('writer')
      .flatMap((entry) =>
        entry['kind'] === 'message' ? (String(entry['text']).match(/send-\w+\./g) ?? []) : [],
      )
    expect(received).toEqual([...sends.taken, 'send-after.'])

    fill()
    const merge = () => tree.command(['pr', 'merge', '1', '--force', '--json'])
    expect((await merge()).json).toMatchObject(full)
    makeRoom()
    await waitFor(
      'the merge to be settled',
      async () => (await tree.tree()).unfinished.length === 0,
    )
    expect((await merge()).json).toMatchObject({ merged: true, local_synced: true })
    expect(await tree.repository.git('log', '--format=%s')).toBe('Add a (#1)\nFirst commit')
    expect(await tree.daemonPid()).toBe(pid)
  })
})

describeWithDisk('a disk that became read-only', () => {
  it('is what doctor finds, and not a damaged store or a forge that lacks objects', async () => {
    const tree = await startExomonad({ disk: 2400 })
    onTestFinished(() => tree.stop())
    expect((await tree.command(['daemon', 'stop'])).code).toBe(0)
    const disk = tree.repository.path
    // Not while anybody still has a file there open for writing, such as a git that goes on alone.
    await waitFor('the disk to be read-only', () => remountSmallDisk(disk, 'ro'))
    onTestFinished(() => void remountSmallDisk(disk, 'rw'))
    const { findings } = (await tree.command(['doctor', '--json'])).json
    const problems = findings.filter(({ status }: { status: string }) => status === 'problem')
    expect(problems).toMatchObject([
      { subject: 'writing', found: expect.stringContaining('its file system is read-only') },
    ])
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { isAlive } from '../../helpers/processes.ts'
import { BIN } from '../../helpers/programs.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/** Calls that are cut short: by the one who made them, by a kill, by a remote that goes away. */

const texts = (tree: Exomonad, name: string): string[] =>
  tree.log(name).flatMap((entry) => (entry['kind'] === 'message' ? [entry['text']] : []))
const branches = (tree: Exomonad) => tree.repository.git('branch', '--format=%(refname:short)')

it(
  verifies(
    'R004-14',
    'an answer to a question whose caller went away comes once, as a message; asked twice, each has its own',
  ),
  async () => {
    const tree = await startExomonad()
    onTestFinished(() => tree.stop())
    await tree.call('spawn_workers', { specs: [{ name: 'asker', prompt: 'x' }] })
    await waitFor('it to idle', async () => (await tree.agent('asker')).state === 'idle')
    const clients = ['first?', 'second?'].map((message) =>
      spawn(
        process.execPath,
        [BIN, 'call', 'question', JSON.stringify({ message, timeout: 600 }), '--as', 'asker'],
        {
          cwd: tree.repository.path,
          env: { ...tree.repository.env },
          stdio: 'ignore',
        },
      ),
    )
    const ends = Promise.all(clients.map((client) => once(client, 'exit')))
    const open = await waitFor('both questions', async () => {
      const { questions } = await tree.call('inbox')
      return questions.length === 2 ? questions : undefined
    })
    // As a client that was interrupted.
    for (const client of clients) client.kill('SIGKILL')
    expect(await ends).toEqual(clients.map(() => [null, 'SIGKILL']))
    for (const { question_id: id, message } of open) {
      expect(
        await tree.call('answer_question', {
          agent: 'asker',
          message: `yes to ${message}`,
          question_id: id,
        }),
      ).toMatchObject({ status: 'queued' })
    }
    await waitFor('both answers', () =>
      ['first', 'second'].every((one) =>
        texts(tree, 'asker').some((text) => text.includes(`yes to ${one}?`)),
      ),
    )
    await waitFor('all to be acked', async () => (await tree.agent('asker')).undelivered === 0)
    expect(
      texts(tree, 'asker')
        .join('\n')
        .match(/yes to/g),
    ).toHaveLength(2)
    expect(await tree.refusal('answer_question', { agent: 'asker', message: 'no' })).toMatchObject({
      code: 'NO_PENDING_QUESTION',
    })
  },
)

it('a kill takes an agent that is still being spawned with it, and nothing of it stays', async () => {
  const tree = await startExomonad({
    config:
      '[worktree]\nsetup = [["sh", "-c", "case $PWD in *slow*) touch ../../../../reached; while ! test -e ../../../../go; do sleep 0.05; done;; esac"]]\n',
  })
  onTestFinished(() => tree.stop())
  tree.script('lead', {
    steps: [
      { do: 'tool', name: 'spawn_workers', input: { specs: [{ name: 'slow', prompt: 'x' }] } },
    ],
  })
  await tree.call('spawn_subtree', { task: 'x', branch_name: 'lead' })
  await waitFor('the set-up', () => existsSync(join(tree.repository.folder, 'reached')))
  // What its set-up waits for never comes: it ends with its agent.
  expect((await tree.call('kill', { agent: 'lead' })).killed).toHaveLength(2)
  await waitFor('the spawn to be undone', async () => (await tree.agent('slow')) === undefined)
  expect((await branches(tree)).split('\n')).toEqual(['main', 'main.lead'])
  expect(existsSync(join(tree.repository.path, '.exomonad', 'worktrees', 'slow'))).toBe(false)
  expect((await tree.tree()).counts).toMatchObject({ live: 0 })
})

it('down ends with a spawn whose set-up takes longer than it waits, and takes that back', async () => {
  const tree = await startExomonad({
    config:
      '[worktree]\nsetup = [["sh", "-c", "echo $$ > ../../../../setting-up; sleep 600"], ["sh", "-c", "touch ../../../../second"]]\n',
  })
  onTestFinished(() => tree.stop())
  const pid = join(tree.repository.folder, 'setting-up')
  const spawning = tree.call('spawn_workers', { specs: [{ name: 'slow', prompt: 'x' }] })
  const setUp = await waitFor('the set-up', () => {
    const text = existsSync(pid) ? readFileSync(pid, 'utf8') : ''
    return text.endsWith('\n') ? Number(text) : undefined
  })
  await tree.call('down', {})
  expect(isAlive(setUp)).toBe(false)
  expect(existsSync(join(tree.repository.folder, 'second'))).toBe(false)
  expect(await branches(tree)).toBe('main')
  expect(await tree.agent('slow')).toBeUndefined()
  expect(JSON.stringify(await spawning)).toContain('slow was killed while it was being spawned')
})

it(
  verifies('R004-10', 'a merge whose remote is gone changes nothing, and is made when it is back'),
  async () => {
    const tree = await startExomonad()
    onTestFinished(() => tree.stop())
    tree.script('w', {
      steps: [
        { do: 'write', path: 'w.txt', content: 'w\n' },
        { do: 'commit', message: 'Add w' },
        { do: 'tool', name: 'file_pr', input: { title: 'W', body: '' } },
      ],
    })
    await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
    const { answer } = await tree.logged(
      'w',
      'its pull request',
      (entry) => entry['name'] === 'file_pr',
    )
    const before = await tree.repository.git('rev-parse', 'main')
    const url = await tree.repository.git('remote', 'get-url', 'exomonad')
    await tree.repository.git('remote', 'set-url', 'exomonad', `${url}-away`)
    expect(await tree.refusal('merge_pr', { pr_number: answer.pr_number })).toMatchObject({
      code: 'FORGE_UNAVAILABLE',
    })
    expect(await tree.repository.git('rev-parse', 'main')).toBe(before)
    await tree.repository.git('remote', 'set-url', 'exomonad', url)
    expect(await tree.call('merge_pr', { pr_number: answer.pr_number })).toMatchObject({
      merged: true,
      local_synced: true,
    })
    // Twice is once.
    expect(await tree.refusal('merge_pr', { pr_number: answer.pr_number })).toMatchObject({
      code: 'PR_NOT_MERGEABLE',
    })
    expect((await tree.events()).filter((event) => event.type === 'pr.merged')).toHaveLength(1)
  },
)

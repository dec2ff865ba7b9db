import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import type { AgentCli } from '../../../src/adapters/agent-cli/agent-cli.ts'
import { createTmux } from '../../../src/adapters/terminals/tmux/tmux.ts'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import { createLiveAgentOf } from '../../../src/core/agents/live-agent.ts'
import { createAgentProbe } from '../../../src/core/agents/agent-probe.ts'
import { createOutbox } from '../../../src/delivery/outbox.ts'
import { createPublisher } from '../../../src/delivery/publisher.ts'
import { createRenderer } from '../../../src/delivery/render/render.ts'
import { asBranchName, newAgentId, newDeliveryId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { exec } from '../../helpers/exec.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'
import { makeAgent } from '../../unit/core/make-agent.ts'
import { settingsOf } from '../../helpers/settings.ts'

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * An agent in a real pane that records every byte it is typed, and everything between it and the
 * publisher.
 */
async function agentInPane() {
  const folder = await mkdtemp(join(tmpdir(), 'exomonad-typed-'))
  // A server of terminals that was ended takes its files away, or writes a last one.
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 10, retryDelay: 50 }))
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    TMUX_TMPDIR: folder,
    TMPDIR: folder,
  }
  const multiplexer = createTmux({ socketName: 'outbox', environment, log: silentLog(), exec })
  await multiplexer.start()
  onTestFinished(() => multiplexer.shutdown())
  const store = await openSqliteStore({ file: join(folder, 'store.db'), log: silentLog() })
  onTestFinished(() => store.close())

  const id = newAgentId()
  const recorded = join(folder, 'recorded')
  const argv = [process.execPath, file('../../fixtures/terminal/recorder.ts'), recorded]
  const { paneId, pid } = await multiplexer.open({
    agentId: id,
    name: 'recorder',
    cwd: folder,
    env: {},
    argv,
    columns: 120,
    rows: 40,
  })
  await waitFor('the program', async () =>
    (await multiplexer.capture(paneId)).includes('recorder ready'),
  )
  await store.agents.insert(
    makeAgent({
      ...{
        id,
        name: 'recorder',
        kind: 'root',
        role: 'tl',
        depth: 0,
        branch: asBranchName('main'),
        baseBranch: null,
        worktree: folder,
        ownsWorktree: false,
      },
      ...{ paneId, pid, stateSource: 'hook', tokenHash: 'x' },
    }),
  )

  const renderer = createRenderer({
    shippedFolder: file('../../../templates'),
    overrideFolder: () => Promise.resolve(null),
    log: silentLog(),
  })
  const publisher = createPublisher({
    store,
    renderer,
    clock: Date.now,
    log: silentLog(),
    newDeliveryId,
  })
  const cli = {
    acks: false,
    reportsState: false,
    inert: (text: string) => text,
    enterDelay: 20,
    pasteLimit: null,
    channel: null,
  } as AgentCli
  const liveAgentOf = createLiveAgentOf({
    files: { folder: () => folder, readChannel: async () => null },
  })
  const probe = createAgentProbe({ liveAgentOf, multiplexer, clock: Date.now, log: silentLog() })
  const outbox = createOutbox({
    store,
    probe,
    publisher,
    multiplexer,
    settings: settingsOf(undefined, () => cli),
    clock: Date.now,
    log: silentLog(),
  })
  await outbox.start()
  onTestFinished(() => outbox.stop())
  return {
    say: (message: string) =>
      publisher.publish({ type: 'message', agentId: id, actor: 'human', payload: { message } }),
    typed: () => readFile(recorded, 'utf8'),
    deliveries: () => store.outbox.list({ recipient: id }),
  }
}

describeWith(['tmux'], 'outbox and a real terminal', () => {
  it(
    verifies(
      'R004-18',
      'types a message as one paste and submits it, and nothing in it can end the paste',
    ),
    async () => {
      const agent = await agentInPane()
      await agent.say('quote " and `tick` and $(echo no) and ünï\u001b[201~\rrm -rf /\nsecond line')
      const typed = await waitFor('Enter', async () => {
        const bytes = await agent.typed()
        return bytes.endsWith('\r') ? bytes : undefined
      })
      expect(typed).toBe(
        '\u001b[200~[MESSAGE] from the human: quote " and `tick` and $(echo no) and ünï\nrm -rf /\nsecond line\u001b[201~\r',
      )
      await waitFor('the note', async () => (await agent.deliveries())[0]?.handedAt != null)
    },
  )

  it('brings messages in the order they were said, none twice', async () => {
    const agent = await agentInPane()
    for (let n = 0; n < 30; n++) await agent.say(`word ${n}.`)
    await waitFor(
      'the last',
      async () =>
        (await agent.typed()).includes('word 29.') && (await agent.typed()).endsWith('\r'),
    )
    const found = [...(await agent.typed()).matchAll(/word (\d+)\./g)].map(([, n]) => Number(n))
    expect(found).toEqual(Array.from({ length: 30 }, (_, n) => n))
  })
})

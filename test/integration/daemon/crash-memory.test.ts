import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * What a daemon that is killed (kill -9) has in memory is not missed: each agent here shows another
 * part of that, over the same kill.
 */

const HOOKED = join(import.meta.dirname, '..', '..', 'fixtures', 'agents', 'hooked.js')
const HOUR = 3_600_000
/** Stops before the kill, of the six that an agent is held at in a row. */
const BEFORE = 4

describe('over a kill -9 of the daemon', () => {
  let tree: Exomonad

  const flag = (name: string): string => join(tree.scripts, `go-${name}`)
  const go = (name: string): void => writeFileSync(flag(name), '')
  const file = (name: string) => ({ do: 'file', path: flag(name) })
  const hooksOf = (name: string, event: string): any[] =>
    tree.log(name).filter((entry) => entry['kind'] === 'hook' && entry['event'] === event)
  const hookOf = (name: string, event: string, number = 1): Promise<any> =>
    waitFor(`${event} ${number} of ${name}`, () => hooksOf(name, event)[number - 1], {
      limit: 60_000,
    })
  const spawn = async (name: string, steps: readonly object[]): Promise<string> => {
    tree.script(name, { steps })
    const { spawned, errors } = await tree.call('spawn_workers', {
      specs: [{ name, prompt: `Do ${name}.`, agent: 'hooked' }],
    })
    expect(errors).toEqual([])
    return spawned[0].agent_id
  }

  /** What the conversation of an agent has used, a line more of it. */
  const uses = async (name: string, answer: string, input: number): Promise<void> => {
    const { argv } = await tree.logged(name, 'its argv', ({ kind }) => kind === 'argv')
    const session = argv[argv.indexOf('--session-id') + 1]
    const message = { id: answer, model: 'opus', usage: { input_tokens: input } }
    const project = join(tree.repository.home, '.claude', 'projects', 'widgets')
    mkdirSync(project, { recursive: true })
    appendFileSync(
      join(project, `${session}.jsonl`),
      `${JSON.stringify({ type: 'assistant', sessionId: session, message })}\n`,
    )
  }
  const usedBy = async (name: string): Promise<number | undefined> =>
    (await tree.agent(name)).usage?.opus?.input

  /** Held at its stop, as a message waits for it. */
  const stopsWithMail = async (stop: number): Promise<any> => {
    await tree.call('send', { to: 'held', message: `Read this, ${stop}.` })
    go(`stop-${stop}`)
    return (await hookOf('held', 'Stop', stop)).answer
  }

  beforeAll(async () => {
    tree = await startExomonad({ init: false })
    const config = join(tree.repository.path, '.exomonad', 'config.toml')
    const env = `env = { SCRIPTED_AGENTS = ${JSON.stringify(tree.scripts)} }`
    writeFileSync(
      config,
      `${readFileSync(config, 'utf8')}\n[agents.hooked]\nadapter = "claude"\ncommand = [${JSON.stringify(process.execPath)}, ${JSON.stringify(HOOKED)}]\n${env}\n`,
    )
    expect((await tree.command(['init', '--no-prepare-agents'])).code).toBe(0)

    const stops = Array.from({ length: 7 }, (_, index) => [
      file(`stop-${index + 1}`),
      { do: 'stop', again: index > 0 },
    ])
    await spawn('held', stops.flat())
    await spawn('spent', [
      file('used'),
      { do: 'tool', name: 'Read' },
      file('ends'),
      { do: 'exit', code: 0 },
    ])
    const heard = await spawn('heard', [file('away'), { do: 'tool', name: 'Read' }])

    await hookOf('held', 'UserPromptSubmit')
    for (let stop = 1; stop <= BEFORE; stop++) expect(await stopsWithMail(stop)).not.toBeNull()
    await uses('spent', 'first', 1000)
    go('used')
    await waitFor('its use to be read', async () => (await usedBy('spent')) === 1000, {
      limit: 60_000,
    })
    await hookOf('heard', 'UserPromptSubmit')

    await tree.crash()

    // It uses more, and ends, and nobody hears of it.
    await uses('spent', 'second', 500)
    go('ends')
    await hookOf('spent', 'SessionEnd')
    // An hour without a daemon, in which it works: its hooks lie in the spool.
    go('away')
    await hookOf('heard', 'PostToolUse')
    const rows = new Database(join(tree.state, 'store.db'))
    rows
      .prepare('UPDATE agents SET stateAt = ?, lastSeenAt = ? WHERE id = ?')
      .run(Date.now() - HOUR, Date.now() - HOUR, heard)
    rows.close()

    await tree.tree()
  }, 180_000)
  afterAll(() => tree?.stop())

  it('an agent is held at its stop six times in a row, not six times for each daemon', async () => {
    expect(await stopsWithMail(5)).not.toBeNull()
    expect(await stopsWithMail(6)).not.toBeNull()
    expect(await stopsWithMail(7)).toBeNull()
  })

  it('what an agent used before it ended, unheard, counts', async () => {
    await waitFor('all that it used to be read', async () => (await usedBy('spent')) === 1500, {
      limit: 60_000,
    })
  })

  it('an agent whose hooks nobody heard meanwhile is not called silent', async () => {
    await waitFor('what it did to be heard', async () => (await tree.agent('heard')).tool_calls, {
      limit: 60_000,
    })
    const silent = (await tree.events()).filter(({ type }) => type === 'agent.silent')
    expect(silent).toEqual([])
  })
})

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quoteWord } from '../../../src/surfaces/text/shell-quote.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

const LIMIT = { limit: 60_000 }
const UUID = '[0-9a-f]{8}-[0-9a-f-]{27}'

let tree: Exomonad
beforeAll(async () => {
  tree = await startExomonad()
  tree.script('default', {
    steps: [],
    on: [
      {
        match: 'GO NOW',
        steps: [
          {
            do: 'sh',
            command: 'sh "$SCRIPTED_AGENTS/$EXOMONAD_AGENT_NAME.sh"',
            allow_failure: true,
          },
        ],
      },
    ],
  })
  tree.script('busy-with-a-file', { steps: [{ do: 'file', path: 'never' }] })
  lead = (await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })).agent_id
})
afterAll(() => tree?.stop())

let lead = ''

interface Answered {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Has an agent call `exomonad slash LINE` itself, from its own pane and with its own token. */
async function slash(agent: string, line: string): Promise<Answered> {
  const calls = (): Record<string, any>[] =>
    tree.log(agent).filter((entry) => entry['kind'] === 'sh')
  const before = calls().length
  writeFileSync(join(tree.scripts, `${agent}.sh`), `exomonad slash ${quoteWord(line)}\n`)
  await tree.call('send', { to: agent, message: 'GO NOW' })
  return (await waitFor(
    `${agent} to call ${line}`,
    () => calls()[before],
    LIMIT,
  )) as unknown as Answered
}

/** The child’s id and name, as the answer of a fork has them. */
function forkedBy({ status, stdout, stderr }: Answered): { id: string; name: string } {
  expect({ status, stderr }).toMatchObject({ status: 0 })
  const match = new RegExp(`^(${UUID}) \\(([\\w-]+)\\)\\n$`).exec(stdout)
  expect(match, stdout).not.toBeNull()
  return { id: match?.[1] ?? '', name: match?.[2] ?? '' }
}

const promptOf = async (name: string): Promise<string> => {
  const started = await waitFor(
    `the start of ${name}`,
    () => tree.log(name).find((entry) => entry['kind'] === 'started'),
    LIMIT,
  )
  return readFileSync(started['argv'][0], 'utf8')
}

describe('exomonad slash, called by agents', () => {
  let child = ''
  let sibling = ''

  it(
    verifies(
      'R001-01',
      'forks fresh with a prompt, inherits without one, returns the child’s id, and waits for neither',
    ),
    async () => {
      const busy = forkedBy(await slash('lead', '/slash fork "Busy with a file that never comes"'))
      expect(busy.name).toBe('busy-with-a-file')
      child = busy.id
      const fresh = await promptOf(busy.name)
      expect(fresh).toContain('Busy with a file that never comes')
      expect(fresh).toContain(`(id ${lead})`)
      expect(await tree.agent(busy.name)).toMatchObject({
        id: child,
        kind: 'fork',
        parent_id: lead,
        worktree: (await tree.agent('lead')).worktree,
      })

      const heir = forkedBy(await slash('lead', '/slash fork'))
      expect(heir.name).toBe('fork-1')
      sibling = heir.id
      const inherited = await promptOf('fork-1')
      expect(inherited).toContain('ask what to do')
      // What its parent’s terminal showed is handed over in a file; the one with a prompt of its
      // own has none.
      const transcriptOf = (text: string): string | undefined =>
        /\/\S+\/parent\.txt/.exec(text)?.[0]
      expect(transcriptOf(fresh)).toBeUndefined()
      expect(readFileSync(transcriptOf(inherited) ?? '', 'utf8')).toContain('lead ready')
    },
  )

  it(
    verifies(
      'R001-02',
      verifies(
        'R001-03',
        'sends to parent, child and sibling, who see in their mail who wrote, each message once',
      ),
    ),
    async () => {
      for (const [from, to, words] of [
        ['fork-1', lead, '"up to you"'],
        ['lead', sibling, 'down to you'],
        ['fork-1', child, "'beside you'"],
      ] as const) {
        expect(await slash(from, `/slash send ${to} ${words}`)).toMatchObject({
          status: 0,
          stdout: `Sent to ${to}\n`,
        })
      }
      expect(await slash('lead', '/slash check-mail')).toMatchObject({
        status: 0,
        stdout: `from ${sibling} (fork-1): up to you\n`,
      })
      expect(await slash('fork-1', '/slash check-mail')).toMatchObject({
        stdout: `from ${lead} (lead): down to you\n`,
      })
      expect(await slash('lead', 'check-mail')).toMatchObject({ status: 0, stdout: 'No mail\n' })
      // This one works and can’t be asked: what it would be shown.
      expect(
        (await tree.run(['slash', '/slash check-mail', '--as', 'busy-with-a-file'])).stdout,
      ).toBe(`from ${sibling} (fork-1): beside you\n`)
    },
  )

  it('says in words what goes wrong, and distinguishes a wrong line from a line that fails', async () => {
    expect(await slash('lead', '/slash send nobody "hello"')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('AGENT_NOT_FOUND'),
    })
    expect(await slash('fork-1', '/slash kill lead')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('(NOT_A_CHILD)'),
    })
    expect(await slash('lead', '/slash dance')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('/slash check-mail'),
    })
  })

  it(verifies('R001-04', 'kills an agent'), async () => {
    expect(await slash('lead', `/slash kill ${child}`)).toMatchObject({
      status: 0,
      stdout: `Killed ${child}\n`,
    })
    await waitFor(
      'its end',
      async () => (await tree.agent('busy-with-a-file')).state === 'killed',
      LIMIT,
    )
    expect(await slash('lead', `/slash kill ${child}`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('ALREADY_DEAD'),
    })
  })
})

describe('exomonad slash, called by a person', () => {
  it('forks beside the root, answers in JSON where asked, and sends to the fork', async () => {
    const { stdout } = await tree.run(['slash', '/fork', 'Look', 'around'])
    expect(stdout).toMatch(new RegExp(`^${UUID} \\(look-around\\)\\n$`))
    const idle = await tree.run(['slash', '/slash fork', '--json'])
    expect(idle.json).toMatchObject({ name: 'fork-2', captured: false })
    expect(await tree.run(['slash', '/send look-around "hello there"'])).toMatchObject({ code: 0 })
    await tree.logged(
      'look-around',
      'the message',
      ({ kind, text }) => kind === 'message' && String(text).includes('hello there'),
    )
    expect((await tree.run(['slash', '/slash check-mail'])).stdout).toBe('No mail\n')
  })
})

import { startExomonad, type Exomonad } from '../helpers/daemon.ts'
import { waitFor } from '../helpers/wait-for.ts'

/** Runs, tells on itself or leads away wherever it is more than text; see `watch` of fixtures.ts. */
export const HOSTILE =
  '<img src=x onerror=ran()><script>ran()</script><svg onload=ran()></svg>"\'><a href="javascript:ran()">y</a> [z](javascript:ran())'
/** The beginning of it, as a person reads it. */
export const SHOWN = '<img src=x onerror=ran()>'
/** What git lets a branch be called. */
const BRANCH = 'main<img/src=x/onerror=ran()>'
const FILE = '<img src=x onerror=ran()>.md'

export interface HostileWorld {
  readonly tree: Exomonad
  readonly agent: string
  readonly pull: number
}

/**
 * A tree in which all that agents and strangers write is an attack: branch, task, file and its
 * content, commit, pull request, review, log of a check, question, mail, terminal.
 */
export async function hostileWorld(): Promise<HostileWorld> {
  const check = `printf '%s\\n' ${JSON.stringify(HOSTILE.replaceAll("'", ''))}; exit 1`
  const tree = await startExomonad({
    branch: BRANCH,
    config: `[forge.local]\nci = ["sh", "-c", ${JSON.stringify(check)}]\n`,
  })
  const terminal = [
    `\u001B]0;${HOSTILE}\u0007`,
    `\u001B]8;;javascript:ran()\u001B\\click\u001B]8;;\u001B\\`,
    `\u001B]52;c;${Buffer.from(HOSTILE).toString('base64')}\u0007`,
    HOSTILE,
  ]
  tree.script('worker', {
    steps: [
      ...terminal.map((text) => ({ do: 'print', text })),
      { do: 'write', path: FILE, content: `${HOSTILE}\n` },
      { do: 'commit', message: HOSTILE },
      { do: 'tool', name: 'file_pr', input: { title: HOSTILE, body: HOSTILE }, as: 'filed' },
      { do: 'tool', name: 'send', input: { to: BRANCH, message: HOSTILE } },
      { do: 'tool', name: 'question', input: { message: HOSTILE, timeout: 0 } },
    ],
    stop: false,
  })
  const { spawned } = await tree.call('spawn_workers', {
    specs: [{ name: 'worker', prompt: HOSTILE }],
  })
  const { answer } = await tree.logged(
    'worker',
    'its pull request',
    ({ kind, name }) => kind === 'tool' && name === 'file_pr',
  )
  const pull = (answer?.pr_number ?? 1) as number
  await tree.call('pr_review', {
    pr_number: pull,
    verdict: 'request_changes',
    body: HOSTILE,
    comments: [{ path: FILE, line: 1, body: HOSTILE }],
  })
  await waitFor(
    'the question, and the check',
    async () => {
      const { items } = await tree.call('inbox')
      const { state } = await tree.call('pr_checks', { pr_number: pull })
      return items.length > 0 && state === 'failed'
    },
    { limit: 90_000 },
  )
  return { tree, agent: spawned[0].agent_id, pull }
}

/**
 * A fake GitHub with many pull requests, as a process of its own so that its work is not counted as
 * the poller’s: `node github.ts COUNT [PENDING]`. With PENDING all are reviewed, and the checks of
 * so many never end. Says where it is, then does what messages order (see `Order`) and
 * answers each.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { nodeId } from '../../test/fixtures/github/engine/ids.ts'
import { startFakeGithub } from '../../test/fixtures/github/server.ts'

/**
 * `change`: a tenth of the pull requests changes, at that time. `count`: what was asked since the
 * last count.
 */
export type Order = { readonly kind: 'change' | 'count'; readonly at: number }
export interface Counted {
  /** Of GraphQL; requests over REST count one each against a limit of their own. */
  readonly points: number
  readonly calls: number
}
export interface Place {
  readonly apiUrl: string
  readonly graphqlUrl: string
  readonly token: string
  readonly owner: string
  readonly name: string
}

/** Commits to push that each pull request has in store. */
const SPARE = 3
/** Beyond those that the fake gives out itself. */
const FIRST_ID = 1_000_000

const count = Number(process.argv[2])
const pending = process.argv[3] === undefined ? null : Number(process.argv[3])
const branches = Array.from({ length: count }, (_, index) => `main.p${index}`)
const folder = mkdtempSync(join(tmpdir(), 'bench-github-'))
let now = Date.now()
const github = await startFakeGithub({ folder, clock: () => now })
const git = (args: readonly string[], input = ''): string =>
  execFileSync('git', ['-C', github.bare, ...args], { input, encoding: 'utf8' })

const commits = importCommits()
const main = git(['rev-parse', 'main']).trim()
await github.push('main', main)
// Room for what would be refused: what it costs is to be measured, not how it is slowed down.
for (const resource of ['core', 'graphql'] as const)
  github.setLimit(resource, { limit: 1e7, remaining: 1e7, resetAt: now + 365 * 86_400_000 })
github.addUser('reviewer', 'write')
for (const [index, branch] of branches.entries()) open(index + 1, branch, commits[index]?.[0] ?? '')
if (pending !== null)
  for (let number = 1; number <= count; number++)
    await github.as('reviewer').review(number, { state: 'APPROVED' })

let turn = 0
let counted = 0
const pushed = new Map<number, number>()

process.on('message', (order: Order) => {
  now = order.at
  void answer(order).then((result) => process.send?.(result))
})
process.on('disconnect', () => {
  void github.close().then(() => {
    rmSync(folder, { recursive: true, force: true })
    process.exit(0)
  })
})
const { apiUrl, graphqlUrl, token, owner, name } = github
process.send?.({ apiUrl, graphqlUrl, token, owner, name } satisfies Place)

async function answer({ kind }: Order): Promise<Counted> {
  if (kind === 'change') await change()
  const calls = github.calls.slice(counted)
  if (kind === 'count') counted = github.calls.length
  return { calls: calls.length, points: calls.reduce((sum, { cost }) => sum + (cost ?? 0), 0) }
}

/**
 * The next tenth, each in one of four ways: a comment, a review, a check that ran again, a push.
 */
async function change(): Promise<void> {
  const tips: string[] = []
  for (let left = Math.max(1, Math.round(count / 10)); left > 0; left--, turn++) {
    const index = turn % count
    const number = index + 1
    // Not always the same way for the same one, also where their count divides by four.
    const way = (turn + Math.floor(turn / count)) % 4
    if (way === 0) await github.as('reviewer').comment(number, `Comment ${turn}`)
    else if (way === 1)
      await github.as('reviewer').review(number, { state: 'COMMENTED', body: `Review ${turn}` })
    else if (way === 2) check(number)
    else {
      const next = (pushed.get(index) ?? 0) + 1
      const sha = commits[index]?.[next]
      if (sha === undefined) check(number)
      else {
        pushed.set(index, next)
        tips.push(`update refs/heads/${branches[index]!} ${sha}\n`)
      }
    }
  }
  if (tips.length === 0) return
  git(['update-ref', '--stdin'], tips.join(''))
  await github.push('main', main)
}

/** Made as it would be by now: a call for each would take longer than all the looks at them. */
function open(number: number, branch: string, head: string): void {
  const id = FIRST_ID + number
  github.state.pulls.set(number, {
    number,
    id,
    nodeId: nodeId('PR', id),
    author: 'robot',
    title: `Change ${branch}`,
    body: 'As asked.',
    draft: false,
    state: 'open',
    headRef: branch,
    headSha: head,
    headRepository: `${github.owner}/${github.name}`,
    baseRef: 'main',
    baseSha: main,
    mergeable: true,
    behind: false,
    merged: false,
    mergedAt: null,
    mergedBy: null,
    mergeCommitSha: null,
    requestedReviewers: [],
    autoMerge: null,
    autoClosedByBase: false,
    createdAt: now,
    updatedAt: now,
    closedAt: null,
  })
  check(number)
}

function check(number: number): void {
  github.setCheck(github.pull(number).headSha, {
    name: 'ci',
    conclusion: number <= (pending ?? 0) ? null : 'success',
  })
}

/**
 * main and all branches in one go; returns the commits of each branch, of which the first is its
 * tip.
 */
function importCommits(): string[][] {
  const who = 'committer Bench <bench@example.invalid> 1760000000 +0000'
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`
  let mark = 1
  let stream = `commit refs/heads/main\nmark :1\n${who}\n${data('Begin')}M 644 inline README.md\n${data('# Bench\n')}\n`
  const marks = branches.map((branch, index) =>
    Array.from({ length: SPARE + 1 }, (_, step) => {
      const ref = step === 0 ? `refs/heads/${branch}` : 'refs/spare/last'
      const from = step === 0 ? ':1' : `:${mark}`
      mark++
      stream += `commit ${ref}\nmark :${mark}\n${who}\n${data(`Step ${step} of ${branch}`)}from ${from}\nM 644 inline f${index}.txt\n${data(`${step}\n`)}\n`
      return mark
    }),
  )
  const file = join(folder, 'marks')
  git(['fast-import', '--quiet', '--force', `--export-marks=${file}`], stream)
  const shas = new Map(
    execFileSync('cat', [file], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  )
  return marks.map((ofBranch) => ofBranch.map((one) => shas.get(`:${one}`) ?? ''))
}

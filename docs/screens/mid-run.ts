import { join } from 'node:path'
import type { BrowserContext } from '@playwright/test'
import { tellStory, type Story } from '../../bench/screens/story.ts'
import { openSqliteStore } from '../../src/adapters/store/sqlite/open.ts'
import type { Agent, Usage } from '../../src/domain/records.ts'
import { silentLog } from '../../src/runtime/log.ts'

/** Milliseconds since the epoch that the story ends at: an hour and a bit after nine. */
export const NOW = Date.UTC(2026, 0, 5, 10, 1, 6)
const HOUR = 3_600_000

const CONFIG = `
[prices."claude-opus-5-5"]
input = 5
output = 25
cache_read = 0.5
cache_write = 6.25
[prices."claude-haiku-5"]
input = 1
output = 5
cache_read = 0.1
cache_write = 1.25
[fold]
enabled = true
`
// Joined into the table that the story has.
const BUDGET = 'money_per_subtree = 75\n'

const dim = (text: string) => `\u001B[2m${text}\u001B[0m`
const red = (text: string) => `\u001B[31m${text}\u001B[0m`
const green = (text: string) => `\u001B[32m${text}\u001B[0m`
const bold = (text: string) => `\u001B[1m${text}\u001B[0m`
const did = (what: string) => `${green('●')} ${what}`

/** What stands in the terminal of the agent that a picture shows. */
const TERMINAL = [
  // Nothing but that.
  `\u001B[2J\u001B[H${dim('>')} Suggest while typing.`,
  '',
  did('The index knows titles only as whole words. Prefixes need their own lookup,'),
  '  so I start there and rank what it finds.',
  '',
  did(`${bold('Read')}(src/search/index.ts)`),
  dim('  └  84 lines'),
  '',
  did(`${bold('Update')}(src/search/suggest.ts)`),
  dim('  └  12 additions, 3 removals'),
  `     41 ${red('-   return titles.filter((title) => title.includes(text))')}`,
  `     41 ${green('+   const found = index.prefix(fold(text), { limit: 8 })')}`,
  `     42 ${green('+   return found.toSorted(byUse)')}`,
  '',
  did(`${bold('Bash')}(npm test -- suggest)`),
  `${dim('  └')}  ${green('✓')} finds what begins with it ${dim('(3 ms)')}`,
  `     ${green('✓')} ignores case and accents ${dim('(2 ms)')}`,
  `     ${red('✗')} keeps to eight, the most used first`,
  '',
  did('The order is by title where nobody used either. I sort by use first.'),
  '',
  `\u001B[35m✻\u001B[0m ${dim('Ranking … 42 s · ↓ 2.1k tokens')}`,
  '',
].join('\r\n')

const writePackage = (line: string) => ({
  ...{ do: 'write', path: 'package.json' },
  content: `{\n  "name": "articles",\n  ${line}\n  "private": true\n}\n`,
})

/** Twenty agents in the middle of their work, of which some wait for a person. */
export async function tellMidRun(): Promise<Story> {
  const story = await tellStory({
    // Letters of the usual size in the picture of a terminal.
    start: { name: 'articles', config: 'columns = 80\nrows = 36\n' },
    config: CONFIG,
    limits: BUDGET,
    first: {
      suggest: [{ do: 'print', text: TERMINAL }],
      sessions: [writePackage('"dependencies": { "redis": "5" },')],
      oauth: [writePackage('"dependencies": { "openid-client": "6" },')],
      billing: [writePackage('"version": "2.0.0",')],
      invoices: [writePackage('"version": "1.9.0",')],
    },
  })
  const { tree } = story
  // What their programs used: scripted ones report nothing.
  await spend(join(tree.state, 'store.db'))
  return story
}

/** Tokens of an agent, by what kind of work it has: leads read much, workers write. */
function usageOf({ kind, state }: Agent, index: number): Usage {
  const share = 1 + ((index * 7) % 5) / 3
  const of = (factor: number) => ({
    input: Math.round(9000 * share * factor),
    output: Math.round(31_000 * share * factor),
    cacheRead: Math.round(900_000 * share * factor),
    cacheWrite: Math.round(90_000 * share * factor),
  })
  return {
    models: {
      'claude-opus-5-5': of(kind === 'subtree' ? 1.4 : state === 'failed' ? 0.2 : 0.8),
      ...(index % 3 === 0 ? { 'claude-haiku-5': of(0.4) } : {}),
    },
  }
}

async function spend(file: string): Promise<void> {
  const store = await openSqliteStore({ file, log: silentLog() })
  try {
    const agents = (await store.agents.list()).filter(({ kind }) => kind !== 'root')
    await store.transaction(async (tx) => {
      for (const [index, agent] of agents.entries()) {
        const usage = usageOf(agent, index)
        const used = Object.values(usage.models)
        const tokens = used.reduce((sum, { input, output }) => sum + input + output, 0)
        await tx.agents.update(agent.id, { usage, tokens })
        for (const [model, all] of Object.entries(usage.models))
          for (const [hours, share] of SHARES.entries())
            await tx.usage.add({
              ...{ agentId: agent.id, model, hour: Math.floor(NOW / HOUR) * HOUR - hours * HOUR },
              input: Math.round(all.input * share),
              output: Math.round(all.output * share),
              cacheRead: Math.round(all.cacheRead * share),
              cacheWrite: Math.round(all.cacheWrite * share),
            })
      }
    })
  } finally {
    await store.close()
  }
}

/** Of what was used, in the hours before, the last first. */
const SHARES = [0.07, 0.29, 0.22, 0.12, 0.18, 0.12]

/**
 * Lets a browser in by a link of that tree: by hand, since the cookie’s end lies in the story’s
 * time, which is over for the browser.
 */
export async function letIn(context: BrowserContext, url: string): Promise<string> {
  const answer = await fetch(url, { redirect: 'manual' })
  const [pair = ''] = (answer.headers.getSetCookie()[0] ?? '').split(';')
  const [name = '', value = ''] = pair.split('=')
  const { origin } = new URL(url)
  await context.addCookies([{ name, value, url: origin, sameSite: 'Strict', httpOnly: true }])
  return origin
}

import { cpus, totalmem } from 'node:os'
import process from 'node:process'
import { measureAgents } from './agents.ts'
import { measureConsole } from './console.ts'
import { measureEnding } from './ending.ts'
import { renderTable, type Figure } from './figures.ts'
import { measureForge } from './forge.ts'
import { measureGit } from './git.ts'
import { measureHeadless } from './headless.ts'
import { measureHeadlessAcp } from './headless-acp.ts'
import { measureHost } from './host.ts'
import { measureHook } from './hook.ts'
import { measureLanding } from './landing.ts'
import { measureMail } from './mail.ts'
import { measureMailbox } from './mailbox.ts'
import { measureMcp } from './mcp.ts'
import { measureMultiplexers } from './multiplexers.ts'
import { measurePane } from './pane.ts'
import { measureProvision } from './provision.ts'
import { measureRadar } from './radar.ts'
import { measureSpawn } from './spawn.ts'
import { measureStore } from './store.ts'
import { measureThousand } from './thousand.ts'
import { measureWeb } from './web.ts'
import { measureWorkplaces } from './workplaces.ts'

/**
 * `npm run bench`: what claims about speed and size rest on. Prints a table, each figure beside its
 * floor measured in the same run; `--json` prints the figures as data; names as arguments run only
 * those (`npm run bench -- spawn hook`). Needs tmux and curl; `provision` (worktrees that are ready
 * to work in), `forge` (following pull requests on GitHub), `landing`, `agents`, `workplaces` (a
 * large repository), `store` (PostgreSQL beside SQLite, on one of Debian’s) and `web` (the page in
 * Debian’s Chromium) run only by their names; `agents` needs the agent CLIs of `npm run agent-clis`.
 */
const MEASUREMENTS: Readonly<Record<string, () => Promise<Figure[]>>> = {
  spawn: measureSpawn,
  provision: measureProvision,
  hook: measureHook,
  git: measureGit,
  pane: measurePane,
  multiplexers: measureMultiplexers,
  mailbox: measureMailbox,
  mail: measureMail,
  console: measureConsole,
  ending: measureEnding,
  mcp: measureMcp,
  headless: measureHeadless,
  'headless-acp': measureHeadlessAcp,
  host: measureHost,
  thousand: measureThousand,
  radar: measureRadar,
  forge: measureForge,
  landing: measureLanding,
  agents: measureAgents,
  workplaces: measureWorkplaces,
  store: measureStore,
  web: measureWeb,
}
/** A package registry for one, minutes for most; the real agent CLIs and most of an hour for `agents`. */
const ONLY_BY_NAME: ReadonlySet<string> = new Set([
  'provision',
  'forge',
  'landing',
  'agents',
  'workplaces',
  'store',
  'web',
])

const wanted = process.argv.slice(2).filter((argument) => argument !== '--json')
const unknown = wanted.filter((name) => !(name in MEASUREMENTS))
if (unknown.length > 0)
  throw new Error(
    `No measurement is called ${unknown.join(', ')}: there are ${Object.keys(MEASUREMENTS).join(', ')}.`,
  )

const figures: Figure[] = []
for (const [name, measure] of Object.entries(MEASUREMENTS)) {
  if (wanted.length > 0 ? !wanted.includes(name) : ONLY_BY_NAME.has(name)) continue
  process.stderr.write(`measuring ${name} …\n`)
  try {
    figures.push(...(await measure()))
  } catch (error) {
    // The others are still worth having.
    process.exitCode = 1
    process.stderr.write(
      `${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
  }
}

const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`
if (process.argv.includes('--json'))
  process.stdout.write(`${JSON.stringify({ machine, figures }, null, 2)}\n`)
else process.stdout.write(`${machine}\n\n${renderTable(figures)}\n`)
// A helper’s shell for git goes on until then.
process.exit()

import { ALL_TOOLS } from '../../src/tools/all.ts'
import { ERRORS } from '../../src/domain/error-codes.ts'
import { EVENTS } from '../../src/events/event.ts'
import { commandsSection } from './commands.ts'
import { configurationSection } from './configuration.ts'
import { errorsSection } from './errors.ts'
import { eventsSection } from './events.ts'
import { httpSection } from './http.ts'
import { toolsSection } from './tools.ts'

const NOTE =
  '<!-- Made of the schemas by `npm run docs`; a test fails when it is stale. Do not edit. -->'

/** The pages of the reference below docs/, by path, from the schemas that the program itself uses. */
export async function renderReference(): Promise<Readonly<Record<string, string>>> {
  const pages = {
    'reference/commands.md': await commandsSection(),
    'reference/tools.md': toolsSection(),
    'reference/configuration.md': configurationSection(),
    'reference/events.md': eventsSection(),
    'reference/errors.md': errorsSection(),
    'reference/http.md': await httpSection(),
    'reference.md': overview(),
  }
  return Object.fromEntries(
    Object.entries(pages).map(([path, text]) => [path, `${NOTE}\n\n${text}\n`]),
  )
}

const count = (all: object): number => Object.keys(all).length

const overview = (): string =>
  [
    '# Reference',
    'All of it is made of the schemas and tables that the program itself uses, so that it can’t lag behind.',
    `- [Commands](reference/commands.md): every command with its arguments, options and exit codes
- [Tools](reference/tools.md): the ${count(ALL_TOOLS)} tools of agents, with schema, audience and result; [by MCP](mcp.md), over HTTP and on the command line
- [Configuration](reference/configuration.md): every key of \`.exomonad/config.toml\`, its type and default
- [Events](reference/events.md): the ${count(EVENTS)} kinds, what they carry and whom they reach
- [Error codes](reference/errors.md): the ${count(ERRORS)} codes, what they mean and what to do
- [HTTP](reference/http.md): every route of the daemon’s socket; it serves the same as OpenAPI
- [MCP](mcp.md) and [the library](library.md): the two ways in for programs`,
  ].join('\n\n')

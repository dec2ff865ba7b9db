import { commandsSection } from './commands.ts'
import { configurationSection } from './configuration.ts'
import { errorsSection } from './errors.ts'
import { eventsSection } from './events.ts'
import { httpSection } from './http.ts'
import { toolsSection } from './tools.ts'

/** The whole of docs/reference.md, from the schemas that the program itself uses. */
export async function renderReference(): Promise<string> {
  const sections = [
    '# Reference',
    'Generated from the schemas by `npm run docs`; a test fails when it is stale. Do not edit.',
    '[Commands](#commands) · [Tools](#tools) · [Configuration](#configuration) · [Events](#events) · [Error codes](#error-codes) · [HTTP](#http)',
    await commandsSection(),
    toolsSection(),
    configurationSection(),
    eventsSection(),
    errorsSection(),
    await httpSection(),
  ]
  return `${sections.join('\n\n')}\n`
}

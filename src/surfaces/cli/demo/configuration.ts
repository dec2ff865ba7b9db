import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../../config/schema.ts'
import type { DemoRepository } from './repository.ts'
import { examplesFolder, type Workspace } from './workspace.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

export type DemoMultiplexer = Config['multiplexer']['kind']

/** TOML strings are JSON strings, as far as paths go. */
export const quote = (text: string): string => JSON.stringify(text)

/**
 * `.exomonad/config.toml` of the demo: scripted agents, a forge, and checks that need nothing but
 * this Node. `forge`: its tables.
 */
export async function writeConfiguration(
  workspace: Workspace,
  multiplexer: Exclude<DemoMultiplexer, 'auto'>,
  forge: string,
): Promise<void> {
  const agent = (script: string): string => `adapter = "command"
command = ["{{node}}", ${quote(join(examplesFolder(), 'agents', script))}, "{{prompt_file}}", ${quote(join(examplesFolder(), 'plan'))}]
acks = true
reports_state = true`
  const text = `# Written by \`exomonad demo\`.
[roles.tl]
agent = "lead"
[roles.dev]
agent = "developer"

[agents.lead]
${agent('lead.js')}

[agents.developer]
${agent('developer.js')}

[multiplexer]
kind = ${quote(multiplexer)}

${forge}

[notify]
bell = false
`
  await writeFile(join(workspace.repository, '.exomonad', 'config.toml'), text)
}

/** What a pull request’s head is checked with, in a worktree of it. */
export const checkCommand = (repository: DemoRepository): string[] => [
  process.execPath,
  join(repository.folder, 'scripts', 'check.js'),
]

export const localForge = (repository: DemoRepository): string => `[forge]
poll_active = 2

[forge.local]
ci = [${checkCommand(repository).map(quote).join(', ')}]
ci_timeout = 60`

/** The root’s task: what it says to people, with the order for the scripted agent in it. */
export async function readTask(repository: DemoRepository): Promise<string> {
  const order = parseJson(await readFile(join(examplesFolder(), 'plan', 'plan.json'), 'utf8')) as {
    title: string
    task: string
  }
  return `${order.title}.\n\n${order.task}\n\nThe order, for the scripted agent:\n\n\`\`\`json\n${JSON.stringify({ ...order, folder: repository.folder }, null, 1)}\n\`\`\`\n`
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginFacts } from './plugins.ts'

/** What the plugins are made of that stands elsewhere in the repository at `top`. */
export function pluginFacts(top: string): PluginFacts {
  const { version, homepage, repository, mcpName } = JSON.parse(
    readFileSync(join(top, 'package.json'), 'utf8'),
  ) as { version: string; homepage: string; repository: { url: string }; mcpName: string }
  return {
    version,
    mcpName,
    homepage: homepage.replace(/#.*/, ''),
    repository: repository.url.replace(/^git\+|\.git$/g, ''),
    skill: readFileSync(join(top, 'plugins', 'skills', 'split-work', 'SKILL.md'), 'utf8'),
  }
}

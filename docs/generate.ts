import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pluginFacts } from './generator/plugin-facts.ts'
import { renderToolSpecs } from './generator/tool-specs.ts'

/** Writes what is made of the schemas: `npm run docs`. */
const top = join(import.meta.dirname, '..')
writeFileSync(join(top, 'src', 'surfaces', 'cli', 'tool-specs.json'), renderToolSpecs())
// It has the commands that were just written.
const { renderReference } = await import('./generator/reference.ts')
for (const [path, text] of Object.entries(await renderReference())) {
  const file = join(top, 'docs', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const { renderPlugins } = await import('./generator/plugins.ts')
for (const [path, text] of renderPlugins(pluginFacts(top))) {
  mkdirSync(dirname(join(top, path)), { recursive: true })
  writeFileSync(join(top, path), text)
}
const { renderManPage } = await import('./generator/man-page.ts')
mkdirSync(join(top, 'man'), { recursive: true })
writeFileSync(join(top, 'man', 'exomonad.1'), await renderManPage(pluginFacts(top).version))

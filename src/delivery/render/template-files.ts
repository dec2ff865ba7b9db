import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Liquid, Template } from 'liquidjs'

/** A parsed template and where it came from; `error` where it is there but does not parse. */
export type Loaded =
  | { kind: 'parsed'; path: string; template: Template[] }
  | { kind: 'broken'; path: string; error: unknown }
  | { kind: 'absent' }

/** Reads and parses `<folder>/<name>.liquid`; parsed once per version of the file. */
export function createTemplateFiles(
  engine: Liquid,
): (folder: string, name: string) => Promise<Loaded> {
  const cache = new Map<string, { version: string; loaded: Loaded }>()
  return async (folder, name) => {
    const path = join(folder, `${name}.liquid`)
    const found = await stat(path, { bigint: true }).catch(() => undefined)
    if (found === undefined || !found.isFile()) return { kind: 'absent' }
    const version = `${found.mtimeNs}:${found.size}:${found.ino}`
    const known = cache.get(path)
    if (known?.version === version) return known.loaded
    const loaded = await readFile(path, 'utf8')
      .then((text): Loaded => ({ kind: 'parsed', path, template: engine.parse(text, path) }))
      .catch((error: unknown): Loaded => ({ kind: 'broken', path, error }))
    cache.set(path, { version, loaded })
    return loaded
  }
}

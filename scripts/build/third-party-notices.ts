import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'rolldown'

/** A package of others whose code is inside of what was built. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  /** An SPDX expression, of its package.json. */
  readonly license: string
}

/** The texts, beside what was built. */
export const NOTICES_FILE = 'THIRD-PARTY-NOTICES.txt'
/** The same as data, for the bill of materials: `BundledPackage[]`. */
export const BUNDLED_FILE = 'bundled-packages.json'

/** What may be in a package under the MIT licence that people install. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unlicense',
])

/**
 * Writes beside what is built which packages of others are in it, with the texts of their licences,
 * which all of them ask for: with the last of so many builds, of all of them. The build fails where
 * one has a licence that nobody has looked at.
 */
export function thirdPartyNotices(builds = 1): Plugin {
  const folders = new Set<string>()
  let built = 0
  return {
    name: 'third-party-notices',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle))
        for (const id of file.type === 'chunk' ? file.moduleIds : []) {
          const folder = packageFolder(id)
          if (folder !== undefined) folders.add(folder)
        }
      built += 1
      if (built < builds) return
      const packages = [...folders]
        .map(readBundled)
        .toSorted((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version))
      for (const { name, license } of packages)
        if (!ALLOWED.has(license))
          this.error(`${name} is bundled under ${license}: see whether that may be, and allow it`)
      const list = packages.map(({ name, version, license }) => ({ name, version, license }))
      this.emitFile({
        type: 'asset',
        fileName: BUNDLED_FILE,
        source: `${JSON.stringify(list, null, 2)}\n`,
      })
      this.emitFile({ type: 'asset', fileName: NOTICES_FILE, source: noticesText(packages) })
    },
  }
}

/** The folder of the npm package that a module is of; undefined for one’s own. */
export const packageFolder = (moduleId: string): string | undefined =>
  /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(moduleId)?.[1]

interface WithTexts extends BundledPackage {
  readonly author: string
  readonly texts: readonly string[]
}

function readBundled(folder: string): WithTexts {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as { name: string; version: string; license?: string; author?: string | { name: string } }
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
  const by = typeof author === 'object' ? author.name : author
  return {
    name,
    version,
    license: license ?? 'no licence',
    author: by ?? `the authors of ${name}`,
    texts,
  }
}

const noticesText = (packages: readonly WithTexts[]): string =>
  [
    'exomonad contains code of these packages, under these licences.',
    ...packages.map(({ name, version, license, author, texts }) =>
      [
        '-'.repeat(80),
        `${name} ${version} (${license})`,
        ...(texts.length > 0
          ? texts
          : [`Copyright ${author}. The package comes without a text of its licence (${license}).`]),
      ].join('\n\n'),
    ),
  ].join('\n\n') + '\n'

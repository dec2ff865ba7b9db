/** CHANGELOG.md by Keep a Changelog: an entry `## [1.2.0] - 2026-11-27` for each version. */

const HOME = 'https://github.com/exomonad/exomonad'
const UNRELEASED = '## [Unreleased]'

/** What an entry says, without its heading; null where there is no such entry or nothing in it. */
export function entryOf(changelog: string, version: string): string | null {
  const lines = changelog.split('\n')
  const start = lines.findIndex(
    (line) => line === `## [${version}]` || line.startsWith(`## [${version}] - `),
  )
  if (start === -1) return null
  const length = lines.slice(start + 1).findIndex((line) => /^(## |\[[^\]]+\]: )/.test(line))
  const end = length === -1 ? lines.length : start + 1 + length
  return (
    lines
      .slice(start + 1, end)
      .join('\n')
      .trim() || null
  )
}

/** Makes what is unreleased the entry of a version. Throws where nothing is, or it has one already. */
export function withEntry(changelog: string, version: string, date: string): string {
  if (entryOf(changelog, version) !== null) throw new Error(`CHANGELOG.md has ${version} already`)
  if (entryOf(changelog, 'Unreleased') === null)
    throw new Error(`CHANGELOG.md has nothing below “${UNRELEASED}”: what would ${version} bring?`)
  const links = [
    `[unreleased]: ${HOME}/compare/v${version}...HEAD`,
    `[${version}]: ${HOME}/releases/tag/v${version}`,
  ].join('\n')
  return changelog
    .replace(UNRELEASED, `${UNRELEASED}\n\n## [${version}] - ${date}`)
    .replace(/^\[unreleased\]: .*$/m, links)
}

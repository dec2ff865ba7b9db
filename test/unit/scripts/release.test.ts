import { describe, expect, it } from 'vitest'
import { billOfPackage, type BillOfMaterials } from '../../../scripts/release/bill-of-materials.ts'
import { packageFolder } from '../../../scripts/build/third-party-notices.ts'
import { entryOf, withEntry } from '../../../scripts/release/changelog.ts'

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- A thing.

## [0.1.0] - 2026-01-01

- The first.

[unreleased]: https://example.com/compare/v0.1.0...HEAD
[0.1.0]: https://example.com/v0.1.0
`

describe('the changelog', () => {
  it('has an entry for a version, or none', () => {
    expect(entryOf(CHANGELOG, '0.1.0')).toBe('- The first.')
    expect(entryOf(CHANGELOG, 'Unreleased')).toBe('### Added\n\n- A thing.')
    expect(entryOf(CHANGELOG, '0.2.0')).toBeNull()
    expect(entryOf('## [0.2.0]\n\n## [0.1.0]\n\n- x', '0.2.0')).toBeNull()
  })

  it('gets what is unreleased as the entry of a version, and begins anew above', () => {
    const released = withEntry(CHANGELOG, '0.2.0', '2026-11-27')
    expect(released).toContain('## [0.2.0] - 2026-11-27\n\n### Added\n\n- A thing.')
    expect(entryOf(released, 'Unreleased')).toBeNull()
    expect(entryOf(released, '0.1.0')).toBe('- The first.')
    expect(released).toMatch(/^\[unreleased\]: .*v0\.2\.0\.\.\.HEAD\n\[0\.2\.0\]: .*v0\.2\.0$/m)
  })

  it('gets no second entry, and none that says nothing', () => {
    expect(() => withEntry(CHANGELOG, '0.1.0', '2026-11-27')).toThrow(/has 0\.1\.0 already/)
    const released = withEntry(CHANGELOG, '0.2.0', '2026-11-27')
    expect(() => withEntry(released, '0.3.0', '2026-11-28')).toThrow(/nothing below/)
  })
})

describe('the bill of materials', () => {
  const component = (name: string, development: boolean) => ({
    'bom-ref': `${name}@1.0.0`,
    name,
    version: '1.0.0',
    properties: development ? [{ name: 'cdx:npm:package:development', value: 'true' }] : [],
  })
  const whole: BillOfMaterials = {
    metadata: { component: { 'bom-ref': 'exomonad@1.0.0', name: 'some-folder' } },
    components: [component('native', false), component('inside', true), component('tool', true)],
    dependencies: [
      { ref: 'exomonad@1.0.0', dependsOn: ['native@1.0.0', 'inside@1.0.0', 'tool@1.0.0'] },
      { ref: 'inside@1.0.0', dependsOn: ['tool@1.0.0'] },
      { ref: 'tool@1.0.0' },
    ],
  }
  const bundled = { name: 'inside', version: '1.0.0', license: 'MIT' }

  it('has what is installed and what is bundled, and no tools', () => {
    const bill = billOfPackage(whole, [bundled])
    expect(bill.metadata.component).toMatchObject({ name: 'exomonad' })
    expect(bill.components).toMatchObject([
      { name: 'native', properties: [] },
      { name: 'inside', properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }] },
    ])
    expect(bill.dependencies).toEqual([
      { ref: 'exomonad@1.0.0', dependsOn: ['native@1.0.0', 'inside@1.0.0'] },
      { ref: 'inside@1.0.0', dependsOn: [] },
    ])
  })

  it('leaves nothing out that is bundled', () => {
    expect(() => billOfPackage(whole, [{ ...bundled, version: '2.0.0' }])).toThrow(/inside@2\.0\.0/)
  })
})

describe('the package of a module', () => {
  it.each([
    ['/a/node_modules/zod/v4/core.js', '/a/node_modules/zod'],
    ['/a/node_modules/@octokit/rest/index.js', '/a/node_modules/@octokit/rest'],
    ['/a/node_modules/x/node_modules/y/z.js', '/a/node_modules/x/node_modules/y'],
    ['\0/a/node_modules/pg/lib/index.js', '/a/node_modules/pg'],
    ['/a/src/index.ts', undefined],
    ['\0rolldown/runtime.js', undefined],
  ])('%j is of %j', (id, folder) => expect(packageFolder(id)).toBe(folder))
})

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withEntry } from './changelog.ts'

/**
 * What `npm version` does beside package.json and its lock (script `version`, which makes the docs
 * anew as well): what is unreleased becomes the changelog’s entry of that version.
 */
const top = join(import.meta.dirname, '..', '..')
const read = (file: string): string => readFileSync(join(top, file), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }
const today = new Date().toISOString().slice(0, 10)
writeFileSync(join(top, 'CHANGELOG.md'), withEntry(read('CHANGELOG.md'), version, today))

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import { typescriptFlags } from './typescript-flags.js'

// What a pull request must pass: every test file, except those that are known to fail. Those must fail.

if (typescriptFlags.length > 0) {
  const { status } = spawnSync(process.execPath, [...typescriptFlags, fileURLToPath(import.meta.url)], { stdio: 'inherit' })
  process.exit(status ?? 1)
}

const folder = fileURLToPath(new URL('../test/', import.meta.url))
const known = new Set(
  readFileSync(`${folder}known-failures.txt`, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#')),
)

const files = readdirSync(folder).filter((file) => file.endsWith('.test.ts'))
/** What failed in each file, in words. */
const faults = new Map()
// All of them in this process: each of its own would cost more than all that they do.
const events = run({ files: files.map((file) => `${folder}${file}`), isolation: 'none' })
events.on('test:fail', ({ name, file = name, details: { error } }) => {
  const words = error?.cause?.stack ?? error?.stack ?? String(error)
  faults.set(basename(file), `${faults.get(basename(file)) ?? ''}✖ ${file === name ? 'it can’t be run' : name}\n${words}\n`)
})
await new Promise((done) => events.on('end', done).resume())

const results = files.map((file) => ({ file, passed: !faults.has(file) }))
const failed = results.filter(({ file, passed }) => !passed && !known.has(file))
const better = results.filter(({ file, passed }) => passed && known.has(file))

for (const { file } of failed) console.log(`---- test/${file}\n${faults.get(file)}`)
for (const { file, passed } of results) console.log(`${passed ? 'pass' : known.has(file) ? 'fail (known)' : 'FAIL'}  test/${file}`)
for (const { file } of better) console.log(`test/${file} passes: take its line out of test/known-failures.txt.`)
if (failed.length > 0) console.log(`Broken: ${failed.map(({ file }) => `test/${file}`).join(', ')}`)
process.exit(failed.length + better.length > 0 ? 1 : 0)

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { typescriptFlags } from './typescript-flags.js'

// What a pull request must pass: every test file, except those that are known to fail. Those must fail.

const folder = fileURLToPath(new URL('../test/', import.meta.url))
const known = new Set(
  readFileSync(`${folder}known-failures.txt`, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#')),
)

const run = (file) =>
  new Promise((done) => {
    const child = spawn(process.execPath, [...typescriptFlags, `${folder}${file}`], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('close', (code) => done({ file, passed: code === 0, output }))
  })

const files = readdirSync(folder).filter((file) => file.endsWith('.test.ts'))
const results = await Promise.all(files.map(run))
const failed = results.filter(({ file, passed }) => !passed && !known.has(file))
const better = results.filter(({ file, passed }) => passed && known.has(file))

for (const { file, output } of failed) console.log(`---- test/${file}\n${output}`)
for (const { file, passed } of results) console.log(`${passed ? 'pass' : known.has(file) ? 'fail (known)' : 'FAIL'}  test/${file}`)
for (const { file } of better) console.log(`test/${file} passes: take its line out of test/known-failures.txt.`)
if (failed.length > 0) console.log(`Broken: ${failed.map(({ file }) => `test/${file}`).join(', ')}`)
process.exitCode = failed.length + better.length > 0 ? 1 : 0

/**
 * `npm run mutate:integration [-- TEXT]`: applies each mutant of mutants.ts (or those whose words
 * hold TEXT) to a copy of this checkout and runs its test there, which must fail. Exit code 1 where
 * one lives, or where what it replaces is not there any more.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { MUTANTS, type Mutant } from './mutants.ts'

const top = join(import.meta.dirname, '..', '..')
const wanted = process.argv[2]?.toLowerCase()
const chosen = MUTANTS.filter(
  ({ loses, file }) => wanted === undefined || `${loses} ${file}`.toLowerCase().includes(wanted),
)
const LIMIT = 300_000

/** All that is no dependency and no result of a build. */
const copied = (path: string): boolean =>
  !/[/\\](node_modules|\.git|coverage|dist)([/\\]|$)/.test(path.slice(top.length))

function copyCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'))
  cpSync(top, folder, { recursive: true, filter: copied })
  symlinkSync(join(top, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Whether the test failed, as it must. What runs too long has failed, too. */
const isKilled = (folder: string, { test, name }: Mutant): Promise<boolean> =>
  new Promise((resolve) => {
    const args = [
      join(folder, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--bail=1',
      test,
      ...(name === undefined ? [] : ['-t', name]),
    ]
    // Without npm’s variables the tests run the sources, which no build has to follow.
    const { npm_lifecycle_event: _, ...env } = process.env
    execFile(
      process.execPath,
      args,
      { cwd: folder, env, timeout: LIMIT, killSignal: 'SIGTERM', maxBuffer: 64 * 1024 * 1024 },
      (error, stdout) =>
        resolve(error !== null && (error.killed === true || /failed/.test(stdout))),
    )
  })

const folder = copyCheckout()
const living: Mutant[] = []
let stale = 0
try {
  for (const [index, mutant] of chosen.entries()) {
    const path = join(folder, mutant.file)
    const text = readFileSync(path, 'utf8')
    const began = performance.now()
    const say = (what: string): void => {
      const seconds = ((performance.now() - began) / 1000).toFixed(0)
      process.stdout.write(
        `${String(index + 1).padStart(3)}/${String(chosen.length)}  ${what.padEnd(8)} ${seconds.padStart(4)} s  ${mutant.loses} (${mutant.file})\n`,
      )
    }
    if (text.split(mutant.find).length !== 2) {
      stale += 1
      say('stale')
      continue
    }
    writeFileSync(
      path,
      text.replace(mutant.find, () => mutant.replace),
    )
    const killed = await isKilled(folder, mutant)
    writeFileSync(path, text)
    if (!killed) living.push(mutant)
    say(killed ? 'killed' : 'LIVES')
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.stdout.write(
  `\n${String(chosen.length - living.length - stale)} of ${String(chosen.length)} killed\n`,
)
if (living.length + stale > 0) process.exitCode = 1

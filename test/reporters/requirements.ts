import process from 'node:process'
import type { Reporter, TestModule } from 'vitest/node'
import { PENDING, REQUIREMENTS } from '../requirements.ts'

const PROJECTS = ['unit', 'conformance', 'integration', 'e2e']
const ID = /\bR\d{3}-\d{2}\b/g

/**
 * Ids in the titles of tests that ran and passed: a test that was skipped, or has only such a
 * title, shows nothing.
 */
export function shownBy(modules: Iterable<Pick<TestModule, 'children'>>): Set<string> {
  const shown = new Set<string>()
  for (const module of modules) {
    for (const test of module.children.allTests('passed'))
      for (const [id] of test.fullName.matchAll(ID)) shown.add(id)
  }
  return shown
}

export const missingOf = (shown: ReadonlySet<string>): string[] =>
  Object.keys(REQUIREMENTS).filter((id) => !shown.has(id) && !(id in PENDING))

/**
 * Reports after a run of all projects which requirements no passed test showed. In CI, where every
 * optional tool is there, that fails the run; elsewhere they may be those of tools that this
 * machine lacks.
 */
export default class RequirementsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const projects = new Set(modules.map((module) => module.project.name))
    if (
      !PROJECTS.every((name) => projects.has(name)) ||
      process.argv.some((word) => word === '-t' || word.startsWith('--testNamePattern'))
    )
      return
    const missing = missingOf(shownBy(modules))
    if (missing.length === 0) return
    const list = missing
      .map((id) => `  ${id} ${REQUIREMENTS[id as keyof typeof REQUIREMENTS]}`)
      .join('\n')
    // What CI could not build is said by its last line, and is no fault of what is tested.
    const excused = process.env['EXOMONAD_CI_WITHOUT_ZELLIJ'] ? ['R004-21'] : []
    const isCi = Boolean(process.env['CI']) && missing.some((id) => !excused.includes(id))
    process.stderr.write(
      `\n${isCi ? 'No passed test shows:' : 'Not shown on this machine (what it lacks was skipped):'}\n${list}\n`,
    )
    if (isCi) process.exitCode = 1
  }
}

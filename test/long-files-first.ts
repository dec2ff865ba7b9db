import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * All files of a project in a row: a process goes on to the next file only where that is of the
 * same project, and a new one loads everything again.
 */
const PROJECTS = ['unit', 'apart', 'conformance', 'integration', 'e2e']

/**
 * Within its project, what takes long begins first, the longest of it before the rest, so that
 * nothing long is left alone at the end. Vitest goes by how long each took before, which a fresh
 * clone does not know, and then by the size of the file, which says little of those that start whole
 * demos, crash a daemon or wait for programs to end, and nothing of those that run a suite from
 * elsewhere.
 */
const LONG = [
  /e2e\/opencode|zellij/,
  /e2e\/(codex|gemini)|landing|demo/,
  /crash|multiplexer-|acp|e2e|github\/(away|silent|issues|merging)|hooked|what-stays|settings-in-effect|gitea/,
]

export default class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const found = LONG.findIndex((pattern) => pattern.test(moduleId))
      const within = found === -1 ? LONG.length : found
      return PROJECTS.indexOf(project.name) * (LONG.length + 1) + within
    }
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}

import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * What takes long begins first, so that nothing long is left alone at the end. Vitest goes by how
 * long each took before, which a fresh clone does not know, and then by the size of the file, which
 * says little of those that start whole demos, crash a daemon or wait for programs to end.
 */
const LONG =
  /demo|crash|multiplexer-|acp|landing|e2e|github\/(away|silent)|zellij|hooked|what-stays|settings-in-effect|gitea/

export default class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

import { renameSync, writeFileSync } from 'node:fs'

/**
 * Test helper: a file that is there with all of this text or as it was, for whoever reads it
 * meanwhile. A program that is just being started is not in the way (ETXTBSY), nor does a shell that
 * runs it read on in another text.
 */
export function replaceFile(path: string, text: string, { mode }: { mode?: number } = {}): void {
  writeFileSync(`${path}.new`, text, mode === undefined ? {} : { mode })
  renameSync(`${path}.new`, path)
}

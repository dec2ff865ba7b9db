import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const script = fileURLToPath(new URL('../../../../hooks/hold-pane.sh', import.meta.url))

describe('what holds a pane of Zellij', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hold-'))
    writeFileSync(join(folder, 'record.json'), '{}')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** In a terminal that has a size when it is asked for the `from`th time; answers how often it was asked until the program ran. */
  const askedUntilStarted = async (from: number): Promise<number> => {
    const stty = join(folder, 'stty')
    const fake = `#!/bin/sh\n[ "$1" = size ] || exit 0\necho >>"$0.asked"\nif [ "$(wc -l <"$0.asked")" -lt ${String(from)} ]; then echo 0 0; else echo 24 80; fi\n`
    writeFileSync(stty, fake)
    chmodSync(stty, 0o755)
    const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}` }
    const program = ['/bin/sh', '-c', 'cp "$0" "$1"', `${stty}.asked`, join(folder, 'then')]
    // Where there is nothing to read it stays for nobody.
    const running = promisify(execFile)('/bin/sh', [script, join(folder, 'record'), '--', ...program], { env })
    running.child.stdin?.end()
    await running
    expect(readFileSync(join(folder, 'record.ended'), 'utf8')).toBe('0\n')
    return readFileSync(join(folder, 'then'), 'utf8').length
  }

  it('starts the program once the terminal has a size', async () => {
    expect(await askedUntilStarted(1)).toBe(1)
  })

  it('waits for the size, which Zellij gives the terminal after it has started this', async () => {
    expect(await askedUntilStarted(4)).toBe(4)
  })

  it('starts the program in a terminal that never has one, too', async () => {
    expect(await askedUntilStarted(1000)).toBe(100)
  })
})

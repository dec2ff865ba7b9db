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

  /** In a terminal of these sizes, the last one for good; answers how often it was asked for until the program ran. */
  const askedUntilStarted = async (wanted: string, ...sizes: readonly string[]): Promise<number> => {
    const stty = join(folder, 'stty')
    writeFileSync(`${stty}.sizes`, `${sizes.join('\n')}\n`)
    const fake = `#!/bin/sh\n[ "$1" = size ] || exit 0\necho >>"$0.asked"\nhead -n "$(wc -l <"$0.asked")" "$0.sizes" | tail -n 1\n`
    writeFileSync(stty, fake)
    chmodSync(stty, 0o755)
    const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}` }
    const program = ['/bin/sh', '-c', 'cp "$0" "$1"', `${stty}.asked`, join(folder, 'then')]
    // Where there is nothing to read it stays for nobody.
    const running = promisify(execFile)('/bin/sh', [script, join(folder, 'record'), wanted, '--', ...program], { env })
    running.child.stdin?.end()
    await running
    expect(readFileSync(join(folder, 'record.ended'), 'utf8')).toBe('0\n')
    return readFileSync(join(folder, 'then'), 'utf8').length
  }

  it('starts the program once the terminal has the size it is to have', async () => {
    expect(await askedUntilStarted('24 80', '24 80')).toBe(1)
  })

  it('waits for the size, which Zellij gives the terminal after it has started this', async () => {
    expect(await askedUntilStarted('24 80', '0 0', '0 0', '50 50', '24 80')).toBe(4)
  })

  it('takes any size where it is to, but not none', async () => {
    expect(await askedUntilStarted('-', '0 0', '50 50', '24 80')).toBe(2)
  })

  it('starts the program in a terminal that never has it, too', async () => {
    expect(await askedUntilStarted('24 80', '0 0')).toBe(20)
  })
})

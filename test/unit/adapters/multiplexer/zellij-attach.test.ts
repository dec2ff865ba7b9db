import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { attachCommand } from '../../../../src/adapters/terminals/zellij/attach.ts'
import type { PaneId } from '../../../../src/ids.ts'

describe('what attaches a person to Zellij', () => {
  let folder: string
  let socket: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'attach-'))
    mkdirSync(join(folder, 'contract_version_1'))
    socket = join(folder, 'contract_version_1', 'agents')
    writeFileSync(socket, '')
    writeFileSync(join(folder, 'ready'), '')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** With a Zellij that does these things one after the other when it is attached to; answers what it was asked for, what it showed, and how the script ended. */
  const attach = async (...behaviour: readonly string[]): Promise<{ asked: string[]; code: number; shown: string }> => {
    const binary = join(folder, 'zellij')
    for (const [number, does] of behaviour.entries()) writeFileSync(join(folder, `attach-${String(number + 1)}`), does)
    writeFileSync(
      binary,
      `#!/bin/sh
echo "$*" >>"$0.asked"
if [ "$1" = attach ]; then . "${folder}/attach-$(grep -c ^attach "$0.asked")"; fi
echo "CLIENT_ID ZELLIJ_PANE_ID RUNNING_COMMAND"
echo "1         terminal_7     /bin/sh"
`,
    )
    chmodSync(binary, 0o755)
    const paneId = 'terminal_7' as PaneId
    const [file = '', ...args] = attachCommand({ binary, session: 'agents', socketDir: folder, paneId, ready: join(folder, 'ready') })
    const { code, shown } = await promisify(execFile)(file, args, { env: { PATH: process.env['PATH'] } }).then(
      ({ stdout }) => ({ code: 0, shown: stdout }),
      ({ code: exitCode, stdout }: { code: number; stdout: string }) => ({ code: exitCode, shown: stdout }),
    )
    return { asked: readFileSync(`${binary}.asked`, 'utf8').trim().split('\n'), code, shown }
  }
  const looks = '--session agents action list-clients'
  const leaves = 'printf "\\033[?1049l"; echo Bye from Zellij!; exit 0'
  const lost = 'echo; echo Your zellij client lost connection to the zellij server.; echo; echo As a safety measure; exit 0'

  it('shows all there is, and is done when they leave', async () => {
    expect(await attach(`printf '%s' 'a screen'; ${leaves}`)).toEqual({
      asked: [looks, 'attach agents'],
      code: 0,
      shown: 'a screen\u001B[?1049lBye from Zellij!\n',
    })
  })

  it('attaches again where Zellij loses them at once, or says that there is no session', async () => {
    const { asked, code, shown } = await attach(lost, 'exit 1', leaves)
    expect(asked).toEqual(Array.from({ length: 3 }, () => [looks, 'attach agents']).flat())
    expect(code).toBe(0)
    expect(shown).toMatch(/lost connection[^]*Bye from Zellij!\n$/)
  })

  it('gives up where that does not end', async () => {
    const { asked, code } = await attach(lost, lost, 'exit 3', lost, 'exit 3', leaves)
    expect(asked.filter((one) => one === 'attach agents')).toHaveLength(5)
    expect(code).toBe(3)
  })

  it('does not come back to a session that has ended', async () => {
    expect(await attach(`rm "${socket}"; exit 1`, leaves)).toMatchObject({ asked: [looks, 'attach agents'], code: 1 })
  })
})

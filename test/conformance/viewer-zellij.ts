import { describe } from 'vitest'
import { hasTool } from '../helpers/terminals/require-tool.ts'
import { whyNoZellij } from '../helpers/terminals/zellij.ts'
import { verifies } from '../requirements.ts'
import type { HolderKind } from './viewer/bench.ts'

/**
 * Zellij as a viewer of one holder's terminals: a file for each holder and what is busy, so that
 * they run beside each other.
 */
export function describeZellijViewer(
  holder: HolderKind,
  suite: (holder: HolderKind) => void,
): void {
  const title = `Zellij shows agents whose terminals are in ${holder === 'tmux' ? 'tmux' : 'the detached host'}`
  const reason = whyNoZellij() ?? (holder === 'tmux' && !hasTool('tmux') ? 'tmux is missing' : null)
  if (reason !== null) describe.skip(`${title} (skipped: ${reason})`, () => undefined)
  else describe(verifies('R004-21', title), { timeout: 90_000 }, () => suite(holder))
}

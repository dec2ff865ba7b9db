import { describe } from 'vitest'
import { hasTool } from '../helpers/require-tool.ts'
import { whyNoZellij } from '../helpers/zellij.ts'
import { verifies } from '../requirements.ts'
import { describeViewer } from './viewer.ts'

const reason = whyNoZellij()
const title = 'Zellij shows agents'
if (reason !== null) describe.skip(`${title} (skipped: ${reason})`, () => undefined)
else
  for (const holder of hasTool('tmux') ? (['tmux', 'headless'] as const) : (['headless'] as const))
    describe(verifies('R004-21', `${title} whose terminals are in ${holder}`), { timeout: 90_000 }, () => describeViewer(holder))

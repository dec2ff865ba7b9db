import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const daemonStarted = defineEvent({
  type: 'daemon.started',
  summary: 'The daemon started.',
  payload: {
    pid: z.number(),
    version: z.string(),
    adopted: z.number(),
    finished: z.number(),
    undone: z.number(),
  },
  line: ['▶', 'good', (p) => words`daemon started, process ${p.pid}; ${p.adopted} panes adopted`],
})

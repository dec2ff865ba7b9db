import { z } from 'zod'
import { defineEvent } from '../define.ts'

export const daemonStopped = defineEvent({
  type: 'daemon.stopped',
  summary: 'The daemon was asked to stop; agents go on.',
  payload: { pid: z.number() },
  line: ['■', 'dim', () => 'daemon stopped; agents go on'],
})

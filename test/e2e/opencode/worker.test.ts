import { workerEndToEnd } from '../as-worker.ts'
import { opencode } from '../clis/opencode.ts'

workerEndToEnd(opencode)

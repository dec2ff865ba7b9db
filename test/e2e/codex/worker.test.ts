import { workerEndToEnd } from '../as-worker.ts'
import { codex } from '../clis/codex.ts'

workerEndToEnd(codex)

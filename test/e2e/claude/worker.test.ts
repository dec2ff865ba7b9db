import { workerEndToEnd } from '../as-worker.ts'
import { claude } from '../clis/claude.ts'

workerEndToEnd(claude)

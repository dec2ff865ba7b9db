import { zellijEndToEnd } from '../as-worker.ts'
import { codex } from '../clis/codex.ts'

/** It is also looked at by its terminal’s title. */
zellijEndToEnd(codex, { closes: false })

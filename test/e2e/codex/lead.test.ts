import { leadEndToEnd } from '../as-lead.ts'
import { codex } from '../clis/codex.ts'

leadEndToEnd(codex)

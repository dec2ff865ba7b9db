import { leadEndToEnd } from '../as-lead.ts'
import { opencode } from '../clis/opencode.ts'

leadEndToEnd(opencode)

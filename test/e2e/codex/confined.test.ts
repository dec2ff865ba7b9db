import { confinedEndToEnd } from '../as-confined.ts'
import { codex } from '../clis/codex.ts'

confinedEndToEnd(codex)

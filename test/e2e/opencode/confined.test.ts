import { confinedEndToEnd } from '../as-confined.ts'
import { opencode } from '../clis/opencode.ts'

confinedEndToEnd(opencode)

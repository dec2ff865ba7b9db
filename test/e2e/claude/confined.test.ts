import { confinedEndToEnd } from '../as-confined.ts'
import { claude } from '../clis/claude.ts'

confinedEndToEnd(claude, 'workspace')
confinedEndToEnd(claude)

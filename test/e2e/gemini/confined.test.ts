import { confinedEndToEnd } from '../as-confined.ts'
import { gemini } from '../clis/gemini.ts'

confinedEndToEnd(gemini)

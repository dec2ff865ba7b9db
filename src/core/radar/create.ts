import type { Deps } from '../deps.ts'
import { createFirstTouch } from './first-touch.ts'
import type { RadarUse } from './radar-use-cases.ts'
import { createRadar, type Radar } from './radar.ts'
import { createRadarView } from './view.ts'

/** The radar, which runs by itself, and what is shown of it. */
export function createRadarWithView(deps: Deps): { radar: Radar; use: RadarUse } {
  const firstTouch = createFirstTouch(deps)
  const radar = createRadar({ ...deps, firstTouch })
  return { radar, use: createRadarView({ ...deps, radar, firstTouch }) }
}

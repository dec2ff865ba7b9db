import { defineDecision } from '../decision.ts'

export const deny = defineDecision('deny', 'denied', {
  description: 'Refuses what waits for the human, such as a spawn beyond limits.approval_depth.',
  summary: 'Refuse what waits for you',
  examples: [
    'exomonad deny a-0123456789ab',
    'exomonad deny a-0123456789ab --reason "Too deep; do it yourself"',
  ],
})

import { defineDecision } from '../decision.ts'

export const approve = defineDecision('approve', 'approved', {
  description: 'Approves what waits for the human, such as a spawn beyond limits.approval_depth.',
  summary: 'Approve what waits for you',
  examples: [
    'exomonad approve a-0123456789ab',
    'exomonad approve a-0123456789ab --reason "It is worth it"',
  ],
})

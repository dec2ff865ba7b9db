import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const budgetUnpriced = defineEvent({
  type: 'budget.unpriced',
  summary: 'A budget in money holds, and a model that is used has no price: it is not counted.',
  payload: { name: z.string(), model: z.string() },
  tells: { human: 'wake' },
  dedupe: ({ model }) => `budget:unpriced:${model}`,
  line: [
    '?',
    'attention',
    (p) => words`no price for the model ${p.model}: its use is not in the budget`,
  ],
})

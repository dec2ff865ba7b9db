import { defineEvent } from '../define.ts'
import { budget, budgetKey, budgetUse } from '../shapes.ts'
import { words } from '../words.ts'

export const budgetWarning = defineEvent({
  type: 'budget.warning',
  summary: '80 % of a budget is used.',
  payload: budget,
  tells: { parent: 'carry' },
  dedupe: budgetKey('warning'),
  line: ['!', 'attention', (p) => words`80 % used: ${budgetUse(p)}`],
})

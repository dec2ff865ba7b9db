import { defineEvent } from '../define.ts'
import { budget, budgetKey, budgetUse } from '../shapes.ts'
import { words } from '../words.ts'

export const budgetExhausted = defineEvent({
  type: 'budget.exhausted',
  summary: 'A budget is used up: no more spawns where it holds; nothing else is stopped.',
  payload: budget,
  tells: { parent: 'wake' },
  dedupe: budgetKey('exhausted'),
  urgent: true,
  line: ['✗', 'bad', (p) => words`used up: ${budgetUse(p)}`],
})

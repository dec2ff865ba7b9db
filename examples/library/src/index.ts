export * from './text.ts'
export * from './duration.ts'
export * from './interval.ts'
export * from './planner.ts'

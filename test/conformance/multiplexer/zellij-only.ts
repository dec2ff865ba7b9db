import type { Bench } from './bench.ts'

export function describeZellijOnly(_bench: Bench): void {}

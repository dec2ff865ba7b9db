import type { TestedPackage } from '../define.ts'

/** What it is installed by, and the version that the end-to-end tests drive. */
export const PACKAGE: TestedPackage = { name: '@anthropic-ai/claude-code', tested: '2.1.330' }

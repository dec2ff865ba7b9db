export const createHeadless = (_: unknown): never => { throw new Error('later') }

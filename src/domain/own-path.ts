import { join } from 'node:path'

/**
 * Where a confined agent has its own in place of what lies at an absolute path: home, temporary
 * folder, what its program keeps. `folder`: the agent’s own.
 */
export const ownPath = (folder: string, path: string): string => join(folder, 'own', path)

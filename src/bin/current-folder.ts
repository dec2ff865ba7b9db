import type { Environment } from '../config/environment.ts'

/**
 * The folder that this process was started in; where that was removed meanwhile, as the worktree of
 * an agent may be, the name that the shell has of it, which is no folder any more.
 */
export function currentFolder({ variables }: Pick<Environment, 'variables'>): string {
  try {
    return process.cwd()
  } catch {
    return variables['PWD'] ?? '/'
  }
}

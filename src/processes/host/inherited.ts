import { closeSync, readdirSync, readFileSync } from 'node:fs'

/** O_CLOEXEC in the flags that Linux tells of a descriptor, see proc(5). */
const CLOSE_ON_EXEC = 0o2000000

/**
 * Closes what whoever started this process left open by accident: it would be handed on to every program that is started here, and Node
 * itself opens nothing that is. Where the system does not tell, nothing is closed.
 */
export function closeInherited(): void {
  for (const fd of listDescriptors()) {
    try {
      const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1]
      if (flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0) closeSync(Number(fd))
    } catch {
      // It is closed already, as the one that listed them is.
    }
  }
}

function listDescriptors(): string[] {
  try {
    return readdirSync('/proc/self/fd').filter((fd) => Number(fd) > 2)
  } catch {
    return []
  }
}

import type { Environment } from '../config/environment.ts'
import type { Host } from '../surfaces/cli/host.ts'

/** Backups of a whole tree. */
export function createBackupHost(environment: Environment): Host['backup'] {
  return {
    make: async (options) =>
      (await import('../daemon/backup/make-backup.ts')).makeBackup({ ...options, environment }),
    placeBefore: async (options) =>
      (await import('../daemon/backup/take-over-moved.ts')).placeBefore({
        ...options,
        environment,
      }),
    takeOverMoved: async (options) =>
      (await import('../daemon/backup/take-over-moved.ts')).takeOverMoved({
        ...options,
        environment,
      }),
    relinkCopy: async (options) =>
      (await import('../daemon/backup/take-over-moved.ts')).relinkCopy({ ...options, environment }),
    unpack: async (options) =>
      (await import('../daemon/backup/restore-backup.ts')).unpackBackup({
        ...options,
        environment,
      }),
    bringBack: async (unpacked, options) =>
      (await import('../daemon/backup/restore-backup.ts')).bringBack(unpacked, {
        ...options,
        environment,
      }),
  }
}

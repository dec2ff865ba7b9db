import { z } from 'zod'

/** What several sections of `.exomonad/config.toml` are made of. */

/** A program and its arguments. */
export const argv = z.array(z.string()).min(1)

/** A span of time. Seconds. */
export const seconds = (fallback: number, describe: string) =>
  z.number().positive().default(fallback).describe(`${describe} Seconds.`)

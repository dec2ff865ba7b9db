import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { defineDecision } from './decide.ts'

export const define = (command: Command, context: CliContext): void =>
  defineDecision(command, context, 'deny')

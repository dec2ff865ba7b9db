import { breakBehind, inertText } from '../../../sanitize/inert.ts'

/**
 * `$name` is a skill. Variables of shells are in capitals, arguments and prices are numbers: those
 * stay.
 */
const SKILL = /\$(?=[A-Za-z0-9_:-])(?!(?:[A-Z][A-Z0-9_]*|\d+)(?![\w:-]))/g

export const inertForCodex = (text: string): string => inertText(breakBehind(text, SKILL))

import { breakBehind, inertText } from '../../../sanitize/inert.ts'

/** Words that change how hard it thinks, or what it does, anywhere in a prompt. */
const ULTRA = /\bultra(?=think\b|code\b)/gi
/** A line that is nothing but the path of a picture is read and attached when it is pasted. */
const PICTURE = /^(?=(?!│ ).*\.(?:png|jpe?g|gif|webp)["']?[^\S\n]*$)/gim

export const inertForClaude = (text: string): string =>
  inertText(breakBehind(text, ULTRA).replace(PICTURE, '│ '))

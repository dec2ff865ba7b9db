import type { z } from 'zod'
import type { RegisteredTool } from './all.ts'

/** What the compiler knows of each tool, made of the tools’ own schemas. Types alone. */

type ToolsByName = { readonly [Tool in RegisteredTool as Tool['name']]: Tool }

export type ToolName = keyof ToolsByName

/**
 * What may be given: fields with a default may be left out. For one of several names, what suits
 * all of them.
 */
export type ToolInput<Name extends ToolName> = (
  Name extends ToolName ? (input: Unchanged<z.input<ToolsByName[Name]['input']>>) => void : never
) extends (input: infer Input) => void
  ? Input
  : never

/** The same once defaults are filled in. */
export type ToolArguments<Name extends ToolName> = z.output<ToolsByName[Name]['input']>

/** What it returns. */
export type ToolResult<Name extends ToolName> = z.output<ToolsByName[Name]['output']>

/** Lists that the caller keeps may be given, too: nothing changes them. */
type Unchanged<Given> = { readonly [Key in keyof Given]: Unchanged<Given[Key]> }

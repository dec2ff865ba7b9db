type Value = string | number | null | undefined | readonly (string | { readonly name: string })[]

const text = (value: Value): string =>
  typeof value === 'object' && value !== null
    ? value.map((entry) => (typeof entry === 'string' ? entry : entry.name)).join(', ')
    : String(value ?? '')

/** Tag of a line: lists are joined, and what is missing is empty. */
export const words = (strings: TemplateStringsArray, ...values: readonly Value[]): string =>
  String.raw({ raw: strings }, ...values.map(text))

/** Pull requests by number: `#3, #4`. */
export const numbers = (pulls: readonly { readonly number: number }[] | undefined): string =>
  (pulls ?? []).map(({ number }) => `#${number}`).join(', ')

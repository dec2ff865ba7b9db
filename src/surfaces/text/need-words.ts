/** `1 item needs` or `3 items need`: whom is for the caller to say. */
export const needWords = ({ items }: { readonly items: number }): string =>
  items === 1 ? '1 item needs' : `${items} items need`

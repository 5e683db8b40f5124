const rules = new Intl.PluralRules('en');

/** `1 node`, `1,200 nodes`. Nouns that do not take an `s` name their plural. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${plural(number, one, many)}`;
}

/** The form that agrees with the number, for texts that show the number elsewhere. */
export function plural(number: number, one: string, many = `${one}s`): string {
  return rules.select(number) === 'one' ? one : many;
}

/** Names the JSON kind of a value for a message. Texts are not shown: one may be a secret in the wrong place. */
export function nameJson(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'null';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a text' : String(value).slice(0, 60);
}

/** Quotes a name that a person wrote, short and on one line. */
export function quoteName(value: unknown): string {
  if (typeof value !== 'string') return nameJson(value);
  return value.length > 80 ? `${JSON.stringify(value.slice(0, 80))}...` : JSON.stringify(value);
}

/** `near` is a name that the writer probably meant. */
export function describeBadEnum(names: readonly string[], json: unknown, near: string | undefined): string {
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return `must be ${names.length === 1 ? '' : 'one of '}${names.join(', ')}, not ${nameJson(json)}${hint}`;
}

/** Returns `1 item`, `2 items`. */
export function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}

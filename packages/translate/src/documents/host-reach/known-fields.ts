import { KNOWN_FIELDS } from '../../gen/known-fields.ts';

/** Message -> fields that were reviewed in some served version. Parsed on first use. */
let known: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** Whether a field existed when all fields of the served versions were last reviewed. */
export function isKnownField(message: string, field: string): boolean {
  known ??= parse(KNOWN_FIELDS);
  return known.get(message)?.has(field) ?? false;
}

/** Every known field, as `message` and `field`. */
export function listKnownFields(): readonly { readonly message: string; readonly field: string }[] {
  known ??= parse(KNOWN_FIELDS);
  return [...known].flatMap(([message, fields]) => [...fields].map((field) => ({ message, field })));
}

function parse(lines: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    lines.map((line) => {
      const [message = '', ...fields] = line.split(' ');
      return [message, new Set(fields)];
    }),
  );
}

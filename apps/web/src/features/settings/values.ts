import type { FieldSpec } from './schema-fields.ts';

export type Values = Readonly<Record<string, unknown>>;

export function asValues(value: unknown): Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};
}

export function asTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Returns the values with one member set; undefined removes it. */
export function withMember(values: Values, name: string, value: unknown): Values {
  const { [name]: _, ...rest } = values;
  return value === undefined ? rest : { ...values, [name]: value };
}

/** Returns the values to send: as typed, without empty list lines and surrounding spaces. */
export function toBody(fields: readonly FieldSpec[], values: Values, secrets: Secrets, prefix = ''): Values {
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    const value = values[field.name];
    const path = prefix === '' ? field.name : `${prefix}.${field.name}`;
    if (field.kind === 'secret') {
      const secret = secrets.get(path);
      if (secret !== undefined) body[field.name] = secret;
    } else if (field.kind === 'group') {
      body[field.name] = toBody(field.fields, asValues(value), secrets, path);
    } else if (field.kind === 'words') {
      body[field.name] = asTexts(value)
        .map((line) => line.trim())
        .filter((line) => line !== '');
    } else if (field.kind === 'items') {
      body[field.name] = (Array.isArray(value) ? value : []).map((item) =>
        toBody(field.fields, asValues(item), NO_SECRETS),
      );
    } else if (value !== undefined) {
      body[field.name] = value;
    }
  }
  return body;
}

/** Typed secrets by path; null clears one. All others stay. */
export type Secrets = ReadonlyMap<string, string | null>;
export const NO_SECRETS: Secrets = new Map();

export function withSecret(secrets: Secrets, path: string, secret: string | null | undefined): Secrets {
  const next = new Map(secrets);
  if (secret === undefined) next.delete(path);
  else next.set(path, secret);
  return next;
}

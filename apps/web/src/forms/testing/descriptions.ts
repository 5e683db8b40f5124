import type { FieldDescription, MessageDescription, ValueDescription } from '../schema-source.ts';

export const STRING: ValueDescription = { kind: 'scalar', type: 'string' };

/** Creates a field with the given members and neutral defaults. */
export function describeField(name: string, rest: Partial<FieldDescription> = {}): FieldDescription {
  return {
    name,
    number: 1,
    shape: 'singular',
    value: STRING,
    required: false,
    deprecated: false,
    disallowed: false,
    sensitive: false,
    common: false,
    ...rest,
  };
}

export function describeMessage(
  name: string,
  fields: readonly FieldDescription[],
  rest: Partial<MessageDescription> = {},
): MessageDescription {
  return {
    type_name: name,
    docs_url: 'https://docs.example.com/',
    deprecated: false,
    sorted: true,
    fields: [...fields],
    oneofs: [],
    ...rest,
  };
}

export function scalar(type: string): ValueDescription {
  return { kind: 'scalar', type };
}

export function message(type: string): ValueDescription {
  return { kind: 'message', type };
}

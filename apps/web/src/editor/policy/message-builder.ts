import type { FieldDescription, MessageDescription, ValueDescription } from '../../forms/schema-source.ts';
import { texts } from '../../texts/index.ts';

const words = texts.editor.policy.messageBuilder;

interface Options
  extends Partial<Pick<FieldDescription, 'required' | 'constraint' | 'sensitive' | 'shape' | 'key_type'>> {
  /** Default value of the field, as it would be written. */
  readonly default?: string;
}

interface Draft extends Omit<FieldDescription, 'number'> {
  readonly default: string | undefined;
}

export function field(name: string, value: ValueDescription, hint: string, options: Options = {}): Draft {
  const { required = false, sensitive = false, shape = 'singular', key_type, constraint } = options;
  return {
    name,
    value,
    hint: options.default === undefined ? hint : words.withDefault(hint, options.default),
    shape,
    required,
    disallowed: false,
    sensitive,
    deprecated: false,
    common: true,
    default: options.default,
    ...(key_type && { key_type }),
    ...(constraint && { constraint }),
  };
}

export interface BuiltMessage {
  readonly message: MessageDescription;
  /** By field name. */
  readonly defaults: ReadonlyMap<string, string>;
}

export function message(typeName: string, ...drafts: Draft[]): BuiltMessage {
  const fields = drafts.map(({ default: _, ...draft }, index) => ({ ...draft, number: index + 1 }));
  return {
    message: { type_name: typeName, docs_url: '', deprecated: false, sorted: true, fields, oneofs: [] },
    defaults: new Map(drafts.flatMap((draft) => (draft.default === undefined ? [] : [[draft.name, draft.default]]))),
  };
}

export const text: ValueDescription = { kind: 'scalar', type: 'string' };
export const bool: ValueDescription = { kind: 'scalar', type: 'bool' };
export const whole: ValueDescription = { kind: 'scalar', type: 'int64' };
export const decimal: ValueDescription = { kind: 'scalar', type: 'double' };

export function of(type: string): ValueDescription {
  return { kind: 'message', type };
}

export function oneOf(type: string, ...names: string[]): ValueDescription {
  return {
    kind: 'enum',
    type,
    values: names.map((name, number) => ({ name, number, deprecated: false, disallowed: false })),
  };
}

export const required = { required: true };
export const list = { shape: 'list' } as const;
export const notEmpty = { string: { min_len: '1' } };
export const beginsWithSlash = { string: { prefix: '/' } };

export function between(gte: number, lte?: number) {
  return { int64: { gte: String(gte), ...(lte !== undefined && { lte: String(lte) }) } };
}

/** The part of JSON Schema that settings documents use. */
export interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly default?: unknown;
  /** Our extension: the value is write-only. */
  readonly secret?: boolean;
}

type FieldKind =
  | 'text'
  /** Text of several lines, usually from a file: PEM. */
  | 'file'
  | 'number'
  | 'choice'
  | 'project'
  | 'switch'
  /** A list of strings, one per line. */
  | 'words'
  | 'secret'
  /** Fields within an object. */
  | 'group'
  | 'items'
  /** JSON, for schemas without an input of their own. */
  | 'json';

/** One field of a form. */
export interface FieldSpec {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isNullable: boolean;
  readonly isRequired: boolean;
  readonly isInteger: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly maxLength: number | undefined;
  readonly choices: readonly string[];
  /** Fields of a group, or of each item. */
  readonly fields: readonly FieldSpec[];
}

/** Maximum length of one-line text; longer texts come from files. */
const LINE_MAX = 4096;

/** Returns the fields of an object in order, without constants. */
export function toFields(schema: JsonSchema): readonly FieldSpec[] {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {})
    .filter(([, member]) => member.const === undefined)
    .map(([name, member]) => toField(name, member, required.includes(name)));
}

function toField(name: string, member: JsonSchema, isRequired: boolean): FieldSpec {
  const { schema, isNullable } = withoutNull(member);
  return {
    name,
    kind: name === 'project' && schema.format === 'uuid' ? 'project' : kindOf(schema),
    isNullable,
    isRequired,
    isInteger: schema.type === 'integer',
    min: schema.minimum,
    max: schema.maximum,
    maxLength: schema.maxLength,
    choices: (schema.enum ?? []).map(String),
    fields: schema.type === 'array' ? toFields(schema.items ?? {}) : toFields(schema),
  };
}

/** Returns the schema without `null`. Strings of several formats become one string, which the controller checks. */
function withoutNull(member: JsonSchema): { schema: JsonSchema; isNullable: boolean } {
  if (!member.anyOf) return { schema: member, isNullable: false };
  const others = member.anyOf.filter(({ type }) => type !== 'null');
  const isNullable = others.length < member.anyOf.length;
  const [first] = others;
  if (first && (others.length === 1 || others.every(({ type }) => type === 'string')))
    return { schema: first, isNullable };
  return { schema: {}, isNullable };
}

function kindOf(schema: JsonSchema): FieldKind {
  if (schema.secret) return 'secret';
  switch (schema.type) {
    case 'string':
      if (schema.enum) return 'choice';
      return (schema.maxLength ?? 0) > LINE_MAX ? 'file' : 'text';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'switch';
    case 'object':
      return schema.properties ? 'group' : 'json';
    case 'array':
      return kindOfItems(withoutNull(schema.items ?? {}).schema);
    default:
      return 'json';
  }
}

function kindOfItems(schema: JsonSchema): FieldKind {
  if (schema.type === 'string') return 'words';
  return schema.type === 'object' && schema.properties ? 'items' : 'json';
}

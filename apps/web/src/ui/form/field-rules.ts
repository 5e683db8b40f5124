/** The part of JSON Schema that request bodies use. */
export interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** The rule of the contract for one field of a body. `min` and `max` bound a length, a number or a count, by the type. */
export interface FieldRule {
  readonly type: 'string' | 'number' | 'array';
  readonly isRequired?: true;
  readonly isWhole?: true;
  readonly isEmail?: true;
  readonly min?: number;
  readonly max?: number;
  readonly patterns?: readonly (readonly [source: string, message?: string])[];
}

export type FieldRules = Readonly<Record<string, FieldRule>>;

/** Forms never ask for these as text. Their patterns are long. */
const OTHER_INPUT = ['uuid', 'date-time'];

/** Derives the rules of the fields of a body. `messages` explain patterns, by their sources. Fields without a rule are left out. */
export function toFieldRules(body: JsonSchema, messages: ReadonlyMap<string, string>): FieldRules {
  const rules = Object.entries(body.properties ?? {}).flatMap(([name, schema]) => {
    const rule = toRule(schema, messages);
    return rule ? [[name, { ...rule, ...(body.required?.includes(name) && { isRequired: true }) }]] : [];
  });
  return Object.fromEntries(rules) as FieldRules;
}

function toRule(schema: JsonSchema, messages: ReadonlyMap<string, string>): FieldRule | undefined {
  const variants = (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null');
  const [only] = variants;
  if (!only || variants.length > 1) return undefined;
  switch (only.type) {
    case 'string':
      return { type: 'string', ...toBounds(only.minLength, only.maxLength), ...toPatterns(only, messages) };
    case 'number':
      return { type: 'number', ...toBounds(only.minimum, only.maximum) };
    case 'integer':
      return { type: 'number', isWhole: true, ...toBounds(only.minimum, only.maximum) };
    case 'array':
      return { type: 'array', ...toBounds(only.minItems, only.maxItems) };
    default:
      return undefined;
  }
}

/** Leaves out the bounds of all integers. */
function toBounds(min = -Infinity, max = Infinity): Pick<FieldRule, 'min' | 'max'> {
  return { ...(min > Number.MIN_SAFE_INTEGER && { min }), ...(max < Number.MAX_SAFE_INTEGER && { max }) };
}

function toPatterns(
  schema: JsonSchema,
  messages: ReadonlyMap<string, string>,
): Pick<FieldRule, 'patterns' | 'isEmail'> {
  const patterns = [schema, ...(schema.allOf ?? [])].flatMap(({ pattern, format = '' }): [string, string?][] => {
    if (pattern === undefined || OTHER_INPUT.includes(format)) return [];
    const message = messages.get(pattern);
    return [message === undefined ? [pattern] : [pattern, message]];
  });
  return { ...(schema.format === 'email' && { isEmail: true }), ...(patterns.length > 0 && { patterns }) };
}

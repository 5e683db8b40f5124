import type { Schema } from '@flotilla/contract';
import * as contract from '@flotilla/contract';
import * as z from 'zod';

export type JsonSchema = Record<string, unknown>;

/** What a schema is used for: what is sent, or what is answered. */
export type SchemaUse = 'input' | 'output';

const COMPONENTS = '#/components/schemas/';

/** Texts and numbers say themselves what they are, so only what has members or words has a name. */
const NAMED = ['object', 'union', 'enum'];

/** The schemas that the contract exports, by their names there: `groupSchema` is `Group`. */
const exported = new Map(
  Object.entries(contract as Record<string, unknown>).flatMap(([name, value]) =>
    /(?<!Query)Schema$/.test(name) && value instanceof z.ZodType && NAMED.includes(value.def.type)
      ? [[`${name.charAt(0).toUpperCase()}${name.slice(1, -'Schema'.length)}`, value] as const]
      : [],
  ),
);

const names = z.registry<{ id: string }>();
for (const [id, schema] of exported) names.add(schema, { id });

/** Schemas as a description of the API has them: what has a name in the contract is said once, and referred to. */
export class SchemaCollection {
  readonly #named = new Map<string, JsonSchema>();
  readonly #differing = new Map<string, boolean>();

  /** By name: all that `describe` has referred to until now. */
  get components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#named].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  describe(schema: Schema, use: SchemaUse): JsonSchema {
    const nameOf = (name: string) => (use === 'input' && this.#differs(name) ? `${name}Input` : name);
    const { $schema: _, $defs, ...json } = refer(convert(schema, use), nameOf);
    for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>))
      if (!this.#named.has(nameOf(name))) this.#named.set(nameOf(name), definition);
    return json;
  }

  /** What is not the same before and after it was read, such as a member with a default, has a name for each. */
  #differs(name: string): boolean {
    const schema = exported.get(name);
    const known = this.#differing.get(name);
    if (known !== undefined || !schema) return known === true;
    const differs = JSON.stringify(convert(schema, 'input')) !== JSON.stringify(convert(schema, 'output'));
    this.#differing.set(name, differs);
    return differs;
  }

  /** The schema itself, where it is only referred to. */
  resolve(json: JsonSchema): JsonSchema {
    const name = typeof json.$ref === 'string' ? json.$ref.slice(COMPONENTS.length) : '';
    return this.#named.get(name) ?? json;
  }
}

function convert(schema: Schema, use: SchemaUse): JsonSchema {
  return z.toJSONSchema(schema, {
    io: use,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    reused: 'inline',
    metadata: names,
    override: ({ zodSchema, jsonSchema }) => simplify(jsonSchema as JsonSchema, z.globalRegistry.get(zodSchema), use),
  }) as JsonSchema;
}

const DEFINITIONS = '#/$defs/';

/** Says where the definitions lie in the description. */
function refer(json: JsonSchema, nameOf: (name: string) => string): JsonSchema {
  return JSON.parse(JSON.stringify(json), (key, value) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(DEFINITIONS)
      ? `${COMPONENTS}${nameOf(value.slice(DEFINITIONS.length))}`
      : value,
  );
}

/** Leaves out what only a validator of ours needs, and says in the words of JSON Schema what the contract has marks for. */
function simplify(json: JsonSchema, meta: Record<string, unknown> | undefined, use: SchemaUse): void {
  if (meta?.secret === true) json.writeOnly = true;
  if (meta?.observed === true) json.readOnly = true;
  if (typeof meta?.description === 'string') json.description = meta.description;
  if (json.format === 'uuid' || json.format === 'date-time') delete json.pattern;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  // Answers may get more members: nobody is to count on there being no others.
  if (use === 'output' && json.additionalProperties === false) delete json.additionalProperties;
}

import type { Schema } from '@flotilla/contract';
import * as contract from '@flotilla/contract';
import * as z from 'zod';

export type JsonSchema = Record<string, unknown>;

export type SchemaUse = 'input' | 'output';

const COMPONENTS = '#/components/schemas/';

/** Only types with members or enumerated values get a name; plain strings and numbers are inlined. */
const NAMED = ['object', 'union', 'enum'];

/** The exported schemas of the contract by name: `groupSchema` becomes `Group`. */
const exported = new Map(
  Object.entries(contract as Record<string, unknown>).flatMap(([name, value]) =>
    /(?<!Query)Schema$/.test(name) && value instanceof z.ZodType && NAMED.includes(value.def.type)
      ? [[`${name.charAt(0).toUpperCase()}${name.slice(1, -'Schema'.length)}`, value] as const]
      : [],
  ),
);

const names = z.registry<{ id: string }>();
for (const [id, schema] of exported) names.add(schema, { id });

/**
 * Collects the schemas of the description. A schema that the contract exports is described once and referenced by name.
 */
export class SchemaCollection {
  readonly #named = new Map<string, JsonSchema>();
  readonly #differing = new Map<string, boolean>();

  /** All schemas that `describe` has referenced so far, by name. */
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

  /** A schema whose input and output differ, e.g. through a default, gets two names. */
  #differs(name: string): boolean {
    const schema = exported.get(name);
    const known = this.#differing.get(name);
    if (known !== undefined || !schema) return known === true;
    const differs = JSON.stringify(convert(schema, 'input')) !== JSON.stringify(convert(schema, 'output'));
    this.#differing.set(name, differs);
    return differs;
  }

  /** Follows a reference to the schema itself. */
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

/** Rewrites references to point to the components of the description. */
function refer(json: JsonSchema, nameOf: (name: string) => string): JsonSchema {
  return JSON.parse(JSON.stringify(json), (key, value) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(DEFINITIONS)
      ? `${COMPONENTS}${nameOf(value.slice(DEFINITIONS.length))}`
      : value,
  );
}

function withoutDialect({ $schema: _, ...json }: JsonSchema): JsonSchema {
  return json;
}

/** Removes keywords that only our validators need and translates the contract's marks to JSON Schema. */
function simplify(json: JsonSchema, meta: Record<string, unknown> | undefined, use: SchemaUse): void {
  if (meta?.secret === true) json.writeOnly = true;
  if (meta?.observed === true) json.readOnly = true;
  if (typeof meta?.description === 'string') json.description = meta.description;
  if (Array.isArray(meta?.anyOf)) json.anyOf = meta.anyOf.map((schema) => withoutDialect(convert(schema, use)));
  if (json.format === 'uuid' || json.format === 'date-time') delete json.pattern;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  // Answers may gain members, so clients must not rely on the absence of others.
  if (use === 'output' && json.additionalProperties === false) delete json.additionalProperties;
}

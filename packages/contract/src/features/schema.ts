import * as z from 'zod';
import { READERS } from '../roles.ts';
import { DOCUMENT_BODY_BYTES, defineRoute } from '../route.ts';
import { idSchema, nameSchema, violationSchema } from '../schemas.ts';
import {
  COLLECTIONS,
  collectionSchema,
  documentNameSchema,
  messageTypeSchema,
  proxyVersionSchema,
} from './documents.ts';

export const SCHEMA_DEPTH_DEFAULT = 2;
export const SCHEMA_DEPTH_MAX = 4;
/** Messages of one answer: what a form opens with, not all of Envoy. Further ones are asked for by name. */
export const SCHEMA_MESSAGES_MAX = 400;
export const CANDIDATES_MAX = 200;

/** Messages whose JSON is not an object of their fields. */
export const WELL_KNOWN_FORMS = [
  'any',
  'duration',
  'timestamp',
  'wrapper',
  'struct',
  'value',
  'list_value',
  'field_mask',
  'empty',
] as const;

export const enumValueDescriptionSchema = z.object({
  name: z.string(),
  number: z.number().int(),
  deprecated: z.boolean(),
  disallowed: z.boolean(),
});

/** The type of one value. A `message` carries its full name; look it up in `messages` or ask for it. */
export const valueDescriptionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('scalar'), type: z.string() }),
  z.object({ kind: z.literal('enum'), type: z.string(), values: z.array(enumValueDescriptionSchema) }),
  z.object({ kind: z.literal('message'), type: z.string(), well_known: z.enum(WELL_KNOWN_FORMS).optional() }),
]);

export const fieldDescriptionSchema = z.object({
  name: z.string(),
  number: z.number().int(),
  shape: z.enum(['singular', 'list', 'map']),
  value: valueDescriptionSchema,
  /** Of a map: `string`, `uint32`... */
  key_type: z.string().optional(),
  oneof: z.string().optional(),
  /** Left out, the message is refused. */
  required: z.boolean(),
  deprecated: z.boolean(),
  /** Deprecated, and refused by Envoy unless a runtime key allows it. */
  disallowed: z.boolean(),
  deprecated_since: z.string().optional(),
  /** Sealed at rest and left out of answers. */
  sensitive: z.boolean(),
  /** The rules as in the `.proto` file: `{ "uint32": { "lte": 65535 } }`. */
  constraint: z.record(z.string(), z.unknown()).optional(),
  /** Among the most used of its message. Of messages that nobody has sorted, all fields that are not deprecated. */
  common: z.boolean(),
  /** One sentence. */
  hint: z.string().optional(),
  /**
   * Of an Any, of a message with a `typed_config` and of a map of Any: the category of extensions that fit, such as
   * `envoy.filters.http`; `*` where any extension may stand.
   */
  slot: z.string().optional(),
  /** Of text: the collection whose names it takes, such as `clusters`. */
  refers_to: z.enum(COLLECTIONS).optional(),
});
export type FieldDescriptionRecord = z.infer<typeof fieldDescriptionSchema>;

export const messageDescriptionSchema = z.object({
  type_name: z.string(),
  docs_url: z.string(),
  /** How the address of a field's paragraph begins; its name with dashes for underscores follows. */
  field_docs_url: z.string().optional(),
  deprecated: z.boolean(),
  /** Somebody has said which fields are common: show those first, the others on demand. */
  sorted: z.boolean(),
  /** Common fields first, in the order in which people think of them; then the others as in the `.proto` file. */
  fields: z.array(fieldDescriptionSchema),
  oneofs: z.array(z.object({ name: z.string(), required: z.boolean(), fields: z.array(z.string()) })),
});
export type MessageDescriptionRecord = z.infer<typeof messageDescriptionSchema>;

export const extensionSchema = z.object({
  /** Full name of the configuration message. */
  type: messageTypeSchema,
  /** Canonical name, the one to write into `name`: `envoy.filters.http.router`. */
  name: z.string(),
  /** `envoy.filters.http` */
  category: z.string(),
  /** For people: `Router`. */
  title: z.string(),
  deprecated: z.boolean(),
  common: z.boolean(),
  docs_url: z.string(),
});
export type ExtensionRecord = z.infer<typeof extensionSchema>;

export const checkedReferenceSchema = z.object({
  path: z.string(),
  collection: collectionSchema,
  name: z.string(),
  missing: z.boolean(),
});

export const candidateSchema = z.object({
  collection: collectionSchema,
  name: z.string(),
  type: z.string(),
  /** What to write: `filters/x` for `{ "$ref": … }`; the plain name for a field that names by text. */
  ref: z.string(),
});
export type CandidateRecord = z.infer<typeof candidateSchema>;

export const starterSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** One sentence. */
  description: z.string(),
  collection: collectionSchema,
  type: messageTypeSchema,
  /** A good name to begin with; the resource holds the same. */
  name: z.string(),
  resource: z.record(z.string(), z.unknown()),
});
export type StarterRecord = z.infer<typeof starterSchema>;

const shared = { tag: 'Schema', audit: null, status: 200 } as const;
const everybody = { access: { kind: 'authenticated' }, project: 'none' } as const;
/** `envoy.filters.http`, or `*`. */
const slotSchema = z
  .string()
  .max(128)
  .regex(/^(?:\*|[a-z][a-z0-9_.]*)$/, 'a category of extensions such as envoy.filters.http');

export const schemaRoutes = {
  messages: defineRoute({
    ...shared,
    ...everybody,
    id: 'describeMessages',
    method: 'GET',
    path: '/api/v3/schema/messages',
    summary: 'A message of a proxy version and those that its fields lead to; cacheable by its ETag',
    query: z.strictObject({
      version: proxyVersionSchema,
      type: messageTypeSchema,
      /** How many steps from field to message; 0: the message alone. */
      depth: z.coerce.number().int().min(0).max(SCHEMA_DEPTH_MAX).optional(),
    }),
    response: z.object({
      version: z.string(),
      /** `binary`: read out of that version's own Envoy; `package`: of the general set that stands in for it. */
      source: z.enum(['binary', 'package']),
      /** False: at the bound of messages or bytes; what is missing is asked for by name. */
      complete: z.boolean(),
      messages: z.record(z.string(), messageDescriptionSchema),
    }),
  }),
  extensions: defineRoute({
    ...shared,
    ...everybody,
    id: 'listExtensions',
    method: 'GET',
    path: '/api/v3/schema/extensions',
    summary: 'The extensions of a proxy version that fit a slot; all of them without one',
    query: z.strictObject({ version: proxyVersionSchema, slot: slotSchema.optional() }),
    response: z.object({ version: z.string(), items: z.array(extensionSchema) }),
  }),
  starters: defineRoute({
    ...shared,
    ...everybody,
    id: 'listStarters',
    method: 'GET',
    path: '/api/v3/schema/starters',
    summary: 'Good documents to begin with; each passes the checks of its version',
    query: z.strictObject({ version: proxyVersionSchema, collection: collectionSchema.optional() }),
    response: z.object({ version: z.string(), items: z.array(starterSchema) }),
  }),
  check: defineRoute({
    ...shared,
    id: 'checkDocument',
    method: 'POST',
    path: '/api/v3/schema/check',
    summary: 'What a write of this document would say; nothing is stored',
    access: { kind: 'roles', roles: READERS },
    project: 'body',
    bodyLimit: DOCUMENT_BODY_BYTES,
    rate: 'read',
    body: z.strictObject({
      project: idSchema,
      version: proxyVersionSchema,
      /** With it, the rules of that collection count too (name, type, what tenants may name). */
      collection: collectionSchema.optional(),
      /** Not needed where the collection has one type only. */
      type: messageTypeSchema.optional(),
      /** The document's; filled into a resource that has none. */
      name: z.union([documentNameSchema, nameSchema]).optional(),
      resource: z.record(z.string(), z.unknown()),
    }),
    response: z.object({
      /** Paths begin at the resource: `filter_chains[0].name`; `''` is the resource itself. */
      errors: z.array(violationSchema),
      warnings: z.array(violationSchema),
      references: z.array(checkedReferenceSchema),
    }),
  }),
  candidates: defineRoute({
    ...shared,
    id: 'listCandidates',
    method: 'GET',
    path: '/api/v3/schema/candidates',
    summary: 'Stored documents that may be named in a place: by slot, by message type, or by collection',
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    query: z.strictObject({
      project: idSchema,
      version: proxyVersionSchema,
      /** Documents of `filters` and `extensions` whose type fits the category. */
      slot: slotSchema.optional(),
      /** Documents of this message type. */
      type: messageTypeSchema.optional(),
      /** A field's `refers_to`: documents of that collection and what bootstraps define statically. */
      collection: collectionSchema.optional(),
      q: z.string().max(256).optional(),
      limit: z.coerce.number().int().min(1).max(CANDIDATES_MAX).optional(),
    }),
    response: z.object({
      items: z.array(candidateSchema),
      /** There are more; narrow with `q`. */
      truncated: z.boolean(),
    }),
  }),
};

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
/** Limit of messages in one answer: enough to open a form. Clients request others by name. */
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

/** The type of one value. A `message` carries its full name: look it up in `messages` or request it. */
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
  /** For a map: `string` or `uint32`, for example. */
  key_type: z.string().optional(),
  oneof: z.string().optional(),
  /** Envoy refuses the message without it. */
  required: z.boolean(),
  deprecated: z.boolean(),
  /** Deprecated, and refused by Envoy unless a runtime key allows it. */
  disallowed: z.boolean(),
  deprecated_since: z.string().optional(),
  /** Encrypted at rest and left out of answers. */
  sensitive: z.boolean(),
  /** The rules as in the `.proto` file: `{ "uint32": { "lte": 65535 } }`. */
  constraint: z.record(z.string(), z.unknown()).optional(),
  /** Among the most used fields of its message. In an unsorted message: all fields that are not deprecated. */
  common: z.boolean(),
  hint: z.string().optional(),
  /**
   * The category of extensions that fit, such as `envoy.filters.http`; `*` for any extension. Set for an Any, for a message
   * with a `typed_config`, and for a map of Any.
   */
  slot: z.string().optional(),
  /** For text: the collection whose names are valid, such as `clusters`. */
  refers_to: z.enum(COLLECTIONS).optional(),
});
export type FieldDescriptionRecord = z.infer<typeof fieldDescriptionSchema>;

export const messageDescriptionSchema = z.object({
  type_name: z.string(),
  docs_url: z.string(),
  /** Start of the address of a field's documentation; append the field's name with dashes instead of underscores. */
  field_docs_url: z.string().optional(),
  deprecated: z.boolean(),
  /** True: the common fields of this message were chosen by hand. Show those first and the others on demand. */
  sorted: z.boolean(),
  /** Common fields first, in the order in which people use them; then the others in the order of the `.proto` file. */
  fields: z.array(fieldDescriptionSchema),
  oneofs: z.array(z.object({ name: z.string(), required: z.boolean(), fields: z.array(z.string()) })),
});
export type MessageDescriptionRecord = z.infer<typeof messageDescriptionSchema>;

export const extensionSchema = z.object({
  type: messageTypeSchema,
  /** Canonical name, for the field `name`: `envoy.filters.http.router`. */
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
  /** The text to write: `filters/x` for `{ "$ref": … }`; the plain name for a field that refers by name. */
  ref: z.string(),
  /** For a stored secret: what it holds, such as `tls_certificate`. */
  content: z.string().optional(),
});
export type CandidateRecord = z.infer<typeof candidateSchema>;

/** Kinds of answers, and with them the control and the value in the document. */
export const STARTER_QUESTION_KINDS = [
  /** The document's own name. */
  'name',
  /** `lb_endpoints`, one `host:port` in each line. */
  'addresses',
  /** The same, without host names. */
  'ip_addresses',
  /** Host name; if it is left out, that of the first address. */
  'server_name',
  'port',
  /** A list of domains. */
  'domains',
  'http_path',
  /** A file of the service or of the host. */
  'file',
  /** A whole number above zero. */
  'count',
  'text',
  /** Names of stored documents. */
  'cluster',
  'endpoints',
  'routes',
  'certificate',
  'authorities',
  /** PEM, which becomes a `DataSource` with the text. */
  'certificate_pem',
  'private_key_pem',
] as const;
export type StarterQuestionKind = (typeof STARTER_QUESTION_KINDS)[number];

export const starterQuestionSchema = z.object({
  kind: z.enum(STARTER_QUESTION_KINDS),
  label: z.string(),
  /** Places of the answer in the resource. The name of the document is also in its own field. */
  paths: z.array(z.string()),
});
export type StarterQuestionRecord = z.infer<typeof starterQuestionSchema>;

export const starterSchema = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  collection: collectionSchema,
  type: messageTypeSchema,
  /** A proposed name; the resource contains the same. */
  name: z.string(),
  resource: z.record(z.string(), z.unknown()),
  /** The questions to ask before the document is used. The resource has an example of each answer. */
  questions: z.array(starterQuestionSchema),
});
export type StarterRecord = z.infer<typeof starterSchema>;

const shared = { tag: 'Schema', family: 'configuration', audit: null, status: 200 } as const;
const everybody = { access: { kind: 'authenticated' }, project: 'none' } as const;
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
    summary: 'Read a message of a proxy version and the messages of its fields; cacheable by its ETag',
    query: z.strictObject({
      version: proxyVersionSchema,
      type: messageTypeSchema,
      /** Number of steps from field to message; 0: only the message itself. */
      depth: z.coerce.number().int().min(0).max(SCHEMA_DEPTH_MAX).optional(),
    }),
    response: z.object({
      version: z.string(),
      /** `binary`: read from that version's own Envoy; `package`: from the general set that replaces it. */
      source: z.enum(['binary', 'package']),
      /** False: the answer is at its limit of messages or bytes. Request the missing messages by name. */
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
    summary: 'List the extensions of a proxy version that fit a slot; without a slot, all of them',
    query: z.strictObject({ version: proxyVersionSchema, slot: slotSchema.optional() }),
    response: z.object({ version: z.string(), items: z.array(extensionSchema) }),
  }),
  starters: defineRoute({
    ...shared,
    ...everybody,
    id: 'listStarters',
    method: 'GET',
    path: '/api/v3/schema/starters',
    summary: 'List starter documents; each passes the checks of its version',
    query: z.strictObject({ version: proxyVersionSchema, collection: collectionSchema.optional() }),
    response: z.object({ version: z.string(), items: z.array(starterSchema) }),
  }),
  check: defineRoute({
    ...shared,
    id: 'checkDocument',
    method: 'POST',
    path: '/api/v3/schema/check',
    summary: 'Validate a document like a write, without storing it',
    access: { kind: 'roles', roles: READERS },
    project: 'body',
    bodyLimit: DOCUMENT_BODY_BYTES,
    rate: 'trial',
    query: z.strictObject({ project: idSchema.optional() }),
    body: z.strictObject({
      /** Here or in the query. */
      project: idSchema.optional(),
      version: proxyVersionSchema,
      /** Adds the rules of that collection: name, type, and what tenants may refer to. */
      collection: collectionSchema.optional(),
      /** Not needed if the collection has only one type. */
      type: messageTypeSchema.optional(),
      /** The document's name, which is filled into a resource without one. */
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
    summary: 'List stored documents that a field may refer to: by slot, by message type, or by collection',
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    query: z.strictObject({
      project: idSchema,
      version: proxyVersionSchema,
      /** Documents of `filters` and `extensions` whose type fits the category. */
      slot: slotSchema.optional(),
      type: messageTypeSchema.optional(),
      /** A field's `refers_to`: documents of that collection, and static definitions in bootstraps. */
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

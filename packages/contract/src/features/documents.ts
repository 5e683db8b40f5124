import * as z from 'zod';
import { idSchema, nameSchema, observed, timeSchema, violationSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';

/** Collections of documents, in the order in which people work through them. */
export const COLLECTIONS = [
  'bootstrap',
  'listeners',
  'routes',
  'virtual_hosts',
  'clusters',
  'endpoints',
  'secrets',
  'filters',
  'extensions',
] as const;
export const collectionSchema = z.enum(COLLECTIONS);
export type Collection = z.infer<typeof collectionSchema>;

/** Collections of documents with different message types; `type` of a document says which. */
export const EXTENSION_COLLECTIONS = ['filters', 'extensions'] as const;
export const extensionCollectionSchema = z.enum(EXTENSION_COLLECTIONS);

/** An exact Envoy release: `1.39.3`. */
export const proxyVersionSchema = z.string().regex(/^\d{1,3}\.\d{1,3}\.\d{1,4}$/, 'an exact release such as 1.40.0');

/** `<route configuration>/<host>`; the host may contain a wildcard and a port. */
const VIRTUAL_HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\/[A-Za-z0-9*[][A-Za-z0-9*._:[\]-]*$/;
export const documentNameSchema = z.union(
  [nameSchema, z.string().min(3).max(384).regex(VIRTUAL_HOST_NAME)],
  'up to 128 letters, digits, dots, dashes and underscores, with a letter or digit at both ends; of a virtual host <route configuration>/<host>',
);

export const labelsSchema = z
  .record(nameSchema, z.string().max(256))
  .refine((labels) => Object.keys(labels).length <= 64, 'at most 64 labels');

/** Full name of an Envoy message. */
export const messageTypeSchema = z
  .string()
  .max(256)
  .regex(/^[a-z][\w]*(?:\.[A-Za-z_]\w*)+$/, 'the full name of a message, e.g. envoy.config.cluster.v3.Cluster');

/** Envoy's own message as proto-JSON. */
export const documentResourceSchema = z.record(z.string(), z.unknown());

export const privatePartSchema = z.object({ path: z.string(), set: z.literal(true), updated_at: timeSchema });

/** A document without its content, for lists. */
export const documentSummarySchema = z.object({
  id: idSchema,
  collection: collectionSchema,
  name: z.string(),
  version: z.string(),
  project: idSchema,
  type: z.string(),
  description: z.string().nullable(),
  labels: z.record(z.string(), z.string()),
  revision: z.number().int(),
  created_at: timeSchema,
  updated_at: timeSchema,
  updated_by: z.string(),
  /**
   * The earliest end of a certificate that the document holds as text or bytes; for a bundle of trusted certificates the
   * latest. Null if it holds none: files on hosts are not read.
   */
  certificate_ends_at: timeSchema.nullable(),
});

/**
 * A comment from the YAML text of a document, beside the field or item at `path`: member names and item positions, from the
 * resource on. Proxies do not get comments. `above` and `beside` refer to its line; `below` is after the last entry of a map
 * or list.
 */
export const documentCommentSchema = z.strictObject({
  path: z.array(z.union([z.string().max(1024), z.number().int().min(0)])).max(64),
  place: z.enum(['above', 'beside', 'below']),
  text: z.string().min(1).max(16_384),
});
export type DocumentComment = z.infer<typeof documentCommentSchema>;
const commentsSchema = z.array(documentCommentSchema).max(2000);

export const documentSchema = documentSummarySchema.extend({
  /** Envoy's own message as proto-JSON, without its private values. */
  resource: documentResourceSchema,
  private: z.array(privatePartSchema),
  comments: commentsSchema,
  /** In answers to writes: deprecated fields that are still accepted, and certificates that have ended or end within 30 days. */
  warnings: observed(z.array(violationSchema).optional()),
});
export type Document = z.infer<typeof documentSchema>;

/** One difference; private values are never shown. */
export const changeSchema = z.object({
  path: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});
export type Change = z.infer<typeof changeSchema>;

export const documentPlanSchema = z.object({
  dry_run: z.literal(true),
  document: documentSchema.nullable(),
  diff: z.array(changeSchema),
  /** Node ids of the proxies that would get the change. */
  nodes: z.array(z.string()),
  services: z.array(z.object({ id: idSchema, name: z.string() })),
});

/** The describing members of a document, in every request that writes one. */
export const documentContent = {
  type: messageTypeSchema.optional(),
  description: z.string().max(4096).nullable().optional(),
  labels: labelsSchema.optional(),
  /**
   * Replaces all comments. Left out: an unchanged resource keeps its comments, a changed one loses them, because they may not
   * fit its fields. A comment on a field that the resource does not have is dropped.
   */
  comments: commentsSchema.optional(),
};

/** A document in a write. `project` may be repeated; it must be the one of the query. */
export const createDocumentSchema = z.strictObject({
  name: documentNameSchema,
  version: proxyVersionSchema,
  project: idSchema.optional(),
  ...documentContent,
  resource: documentResourceSchema,
});

export const replaceDocumentSchema = createDocumentSchema.partial({ name: true, version: true });

/** JSON merge patch (RFC 7396): null clears, objects merge, everything else replaces. */
export const patchDocumentSchema = z.strictObject({
  description: z.string().max(4096).nullable().optional(),
  labels: z.record(z.string(), z.string().max(256).nullable()).nullable().optional(),
  resource: documentResourceSchema.optional(),
});

export const restoreSchema = z.strictObject({ revision: z.number().int().min(1) });

export const revisionSummarySchema = z.object({
  revision: z.number().int(),
  created_at: timeSchema,
  created_by: z.string(),
});
export const documentRevisionSchema = revisionSummarySchema.extend({
  type: z.string(),
  description: z.string().nullable(),
  labels: z.record(z.string(), z.string()),
  resource: documentResourceSchema,
  private: z.array(privatePartSchema),
  comments: commentsSchema,
});

export const documentsTopics = [
  defineTopic('document', 'members', {
    collection: z.string().optional(),
    name: z.string().optional(),
    version: z.string().optional(),
  }),
] as const;

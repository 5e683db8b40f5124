import * as z from 'zod';
import { normalizePath } from '../path.ts';
import type { Complaint } from '../problem.ts';
import { type DataFiles, type EngineSpec, isRecord } from './engine-spec.ts';
import { checkFieldCosts, type FieldCost, fieldCostsSchema, listFieldCosts } from './graphql-field-costs.ts';
import { checkTrustedDocuments, type DocumentList, listTrustedDocuments } from './graphql-trusted-documents.ts';

/** A limit of 0 disables the check. */
export interface GraphqlOptions {
  /** Lowercase media types without parameters, or ranges as in an Accept header. Never empty. */
  readonly contentTypes: readonly string[];
  /** Prefixes as the router reads them; empty for any path. */
  readonly paths: readonly string[];
  /** Inspects requests of every method like a POST; otherwise only POST, GET and HEAD. */
  readonly anyMethod: boolean;
  /** Nesting of selection sets; the operation's own is the first. */
  readonly maxDepth: number;
  readonly maxAliases: number;
  readonly maxRootFields: number;
  readonly maxTotalFields: number;
  /** Operations per document, and documents per batch. */
  readonly maxOperations: number;
  readonly blockIntrospection: boolean;
  /**
   * The content after a protocol upgrade (the frames of a WebSocket) cannot be inspected. Undefined: not set, upgrades
   * are allowed.
   */
  readonly blockUpgrades: boolean | undefined;
  /** Nesting of spreads, at least 1. */
  readonly maxFragmentDepth: number;
  /** Selections that an operation visits with expanded fragments; at least 1. */
  readonly maxComplexity: number;
  /**
   * Directives of an operation with expanded fragments: on its fields, spreads, inline fragments, variables, fragments
   * and on itself.
   */
  readonly maxDirectives: number;
  /** Arguments of the fields and directives of an operation with expanded fragments. */
  readonly maxArguments: number;
  /** Blocks `@defer` and `@stream`. */
  readonly blockIncremental: boolean;
  /** Total cost of the fields of an operation with expanded fragments. */
  readonly maxCost: number;
  /** Sorted by name, unique. Other fields cost 1. */
  readonly fieldCosts: readonly FieldCost[];
  /** The allowed texts; null for any text. */
  readonly trustedDocuments: DocumentList | null;
}

const CONTENT_TYPES = ['application/json', 'application/graphql'];
const FRAGMENT_DEPTH_DEFAULT = 32;
const COMPLEXITY_DEFAULT = 100_000;

/** A limit that 0 turns off. */
const limit = (description: string) =>
  z
    .int()
    .min(0)
    .optional()
    .meta({ description: `${description}. 0 turns the limit off`, default: 0 });

/** A limit that is always on. 0 stands for the default. */
const alwaysOn = (description: string, value: number) =>
  z
    .int()
    .min(0)
    .optional()
    .meta({ description: `${description}; always on`, default: value });

const off = (description: string) => z.boolean().optional().meta({ description, default: false });

const schema = z
  .strictObject({
    max_depth: limit('Nesting depth of selection sets'),
    max_aliases: limit('Aliases, including those in fragments'),
    max_root_fields: limit('Root fields of the operation, including those in fragments'),
    max_total_fields: limit('All fields, including those in fragments'),
    max_operations: limit('Operations per document, and documents per batch'),
    block_introspection: off('Blocks queries on __schema and __type'),
    paths: z.array(z.string().startsWith('/')).optional().describe('Path prefixes to check. Empty: every path'),
    any_method: off('Checks requests of every method, not only POST, GET and HEAD'),
    block_upgrades: z
      .boolean()
      .optional()
      .describe(
        'true blocks WebSockets and other upgrades, to whose frames no limits apply. false allows them. Not set: they are allowed, but a proxy that accepts them reports a configuration error',
      ),
    content_types: z
      .array(z.string().min(1))
      .optional()
      .describe(
        `Content types to read as GraphQL; multipart/form-data for uploads. Default: ${CONTENT_TYPES.join(' and ')}`,
      ),
    max_fragment_depth: alwaysOn('Nesting depth of fragments', FRAGMENT_DEPTH_DEFAULT),
    max_complexity: alwaysOn('Selections in an operation after fragments are expanded', COMPLEXITY_DEFAULT),
    max_directives: limit('Directives per operation, including those in fragments; eight times that per document'),
    max_arguments: limit('Arguments of fields and directives, including those in fragments'),
    block_incremental: off('Blocks queries with @defer or @stream'),
    max_cost: limit(
      'Total cost of the fields of an operation, including those in fragments; eight times that per request',
    ),
    field_costs: fieldCostsSchema.describe('Cost by field name, from 0 to 1,000,000; all other fields cost 1'),
    trusted_documents_file: z
      .string()
      .min(1)
      .optional()
      .describe(
        'File of the policy with the only documents to allow: a manifest, texts by ID, or a list of SHA-256 hashes. Not set: any document',
      ),
  })
  .meta({
    title: 'Graphql',
    description:
      'Limits the shape and cost of GraphQL queries; requires body inspection. null disables an inherited one',
  });

/** Limits in the specification; this project's additional limits do not replace one. */
const SHAPE_LIMITS = ['max_depth', 'max_aliases', 'max_root_fields', 'max_total_fields', 'max_operations'] as const;

/** Media types without parameters (RFC 9110 section 8.3.1) and ranges (section 12.5.1). */
const MEDIA_TYPE = /^(?:\*\/\*|[!#$%&'+.^_`|~0-9A-Za-z-]+\/(?:\*|[!#$%&'+.^_`|~0-9A-Za-z-]+))$/;

function check(block: unknown, files?: DataFiles): Complaint[] {
  if (!isRecord(block)) return [];
  const complaints: Complaint[] = [];
  // A limit of another type has its own problem and counts as a limit.
  if (SHAPE_LIMITS.every((name) => (block[name] ?? 0) === 0) && (block.block_introspection ?? false) === false) {
    complaints.push({
      path: [],
      rule: 'graphql.no_limit',
      message: `needs block_introspection or one of ${SHAPE_LIMITS.join(', ')}; other limits only add to these`,
    });
  }
  if (Array.isArray(block.content_types)) {
    for (const [index, entry] of block.content_types.entries()) {
      if (typeof entry !== 'string' || entry === '' || MEDIA_TYPE.test(entry)) continue;
      complaints.push({
        path: ['content_types', index],
        rule: 'graphql.content_type',
        message: 'is not a media type without parameters, such as application/json',
      });
    }
  }
  if (Array.isArray(block.paths)) {
    for (const [index, entry] of block.paths.entries()) {
      if (typeof entry !== 'string' || !/[?#]/.test(entry)) continue;
      complaints.push({
        path: ['paths', index],
        rule: 'graphql.path',
        message: 'must be a path without a query',
      });
    }
  }
  return [...complaints, ...checkFieldCosts(block), ...checkTrustedDocuments(block, files)];
}

function normalize(block: unknown, files: DataFiles): GraphqlOptions {
  const written = block as z.output<typeof schema>;
  const trusted = written.trusted_documents_file;
  const contentTypes = (written.content_types ?? []).map((type) => type.toLowerCase());
  return {
    contentTypes: contentTypes.length === 0 ? CONTENT_TYPES : contentTypes,
    paths: (written.paths ?? []).map(normalizePath),
    anyMethod: written.any_method ?? false,
    maxDepth: written.max_depth ?? 0,
    maxAliases: written.max_aliases ?? 0,
    maxRootFields: written.max_root_fields ?? 0,
    maxTotalFields: written.max_total_fields ?? 0,
    maxOperations: written.max_operations ?? 0,
    blockIntrospection: written.block_introspection ?? false,
    blockUpgrades: written.block_upgrades,
    maxFragmentDepth: written.max_fragment_depth || FRAGMENT_DEPTH_DEFAULT,
    maxComplexity: written.max_complexity || COMPLEXITY_DEFAULT,
    maxDirectives: written.max_directives ?? 0,
    maxArguments: written.max_arguments ?? 0,
    blockIncremental: written.block_incremental ?? false,
    maxCost: written.max_cost ?? 0,
    fieldCosts: listFieldCosts(written.field_costs),
    trustedDocuments: trusted === undefined ? null : listTrustedDocuments(files.get(trusted)),
  };
}

export const graphqlSpec: EngineSpec<GraphqlOptions> = {
  schema,
  needsBody: true,
  fileFields: ['trusted_documents_file'],
  check,
  normalize,
};

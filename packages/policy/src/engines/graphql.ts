import * as z from 'zod';
import { normalizePath } from '../path.ts';
import type { Complaint } from '../problem.ts';
import { type DataFiles, type EngineSpec, isRecord } from './engine-spec.ts';
import { checkFieldCosts, type FieldCost, fieldCostsSchema, listFieldCosts } from './graphql-field-costs.ts';
import { checkTrustedDocuments, type DocumentList, listTrustedDocuments } from './graphql-trusted-documents.ts';

/** A limit of 0 is a check that is off. */
export interface GraphqlOptions {
  /** Media types in lowercase, without parameters; also ranges, as in an Accept header. Never empty. */
  readonly contentTypes: readonly string[];
  /** Prefixes in the router's reading; empty for any path. */
  readonly paths: readonly string[];
  /** Requests of every method are inspected like a POST; else POST, GET and HEAD alone. */
  readonly anyMethod: boolean;
  /** Selection sets within each other; the operation's own is the first. */
  readonly maxDepth: number;
  readonly maxAliases: number;
  readonly maxRootFields: number;
  readonly maxTotalFields: number;
  /** Operations of a document, documents of a batch. */
  readonly maxOperations: number;
  readonly blockIntrospection: boolean;
  /** Of what is behind a change of protocol (the frames of a WebSocket) nobody sees anything. Undefined: nobody said; it goes on. */
  readonly blockUpgrades: boolean | undefined;
  /** Spreads within each other, at least 1. */
  readonly maxFragmentDepth: number;
  /** Selections that one operation visits, fragments expanded; at least 1. */
  readonly maxComplexity: number;
  /** Of one operation, fragments expanded: of its fields, spreads, inline fragments, variables, fragments and of itself. */
  readonly maxDirectives: number;
  /** Of the fields and the directives of one operation, fragments expanded. */
  readonly maxArguments: number;
  /** `@defer` and `@stream`. */
  readonly blockIncremental: boolean;
  /** What the fields of one operation cost together, fragments expanded. */
  readonly maxCost: number;
  /** Sorted by name, none twice. A field of another name costs 1. */
  readonly fieldCosts: readonly FieldCost[];
  /** The texts that are let through; null for any text. */
  readonly trustedDocuments: DocumentList | null;
}

const CONTENT_TYPES = ['application/json', 'application/graphql'];
const FRAGMENT_DEPTH_DEFAULT = 32;
const COMPLEXITY_DEFAULT = 100_000;

const limit = z.int().min(0).optional();

const schema = z.strictObject({
  content_types: z.array(z.string().min(1)).optional(),
  paths: z.array(z.string().startsWith('/')).optional(),
  any_method: z.boolean().optional(),
  max_depth: limit,
  max_aliases: limit,
  max_root_fields: limit,
  max_total_fields: limit,
  max_operations: limit,
  block_introspection: z.boolean().optional(),
  block_upgrades: z.boolean().optional(),
  max_fragment_depth: limit,
  max_complexity: limit,
  max_directives: limit,
  max_arguments: limit,
  block_incremental: z.boolean().optional(),
  max_cost: limit,
  field_costs: fieldCostsSchema,
  trusted_documents_file: z.string().min(1).optional(),
});

/** Those that the specification counts: what this project has beside them does not stand for one. */
const SHAPE_LIMITS = ['max_depth', 'max_aliases', 'max_root_fields', 'max_total_fields', 'max_operations'] as const;

/** RFC 9110 section 8.3.1, without parameters; the ranges of section 12.5.1. */
const MEDIA_TYPE = /^(?:\*\/\*|[!#$%&'+.^_`|~0-9A-Za-z-]+\/(?:\*|[!#$%&'+.^_`|~0-9A-Za-z-]+))$/;

function check(block: unknown, files?: DataFiles): Complaint[] {
  if (!isRecord(block)) return [];
  const complaints: Complaint[] = [];
  // A limit of another type has a problem of its own and was meant as a limit.
  if (SHAPE_LIMITS.every((name) => (block[name] ?? 0) === 0) && (block.block_introspection ?? false) === false) {
    complaints.push({
      path: [],
      rule: 'graphql.no_limit',
      message: `needs block_introspection or one of ${SHAPE_LIMITS.join(', ')}; other limits stand beside these`,
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
        message: 'is a path: the query of a request is not part of it',
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

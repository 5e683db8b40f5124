import type { BlockReason, BlockVerdict } from '../engine.ts';

function block(reason: BlockVerdict['reason']): BlockVerdict {
  return { kind: 'block', reason, severity: 'medium', status: 403 };
}

/** In the order of the checks. */
export const BATCH = block('graphql.batch');
export const PARSE_ERROR = block('graphql.parse_error');
/** Looks the same to the client. A text above our bounds may be a document to others; one that does not parse is not. */
export const OVER_BOUND = block('graphql.parse_error');
export const OPERATIONS = block('graphql.operations');
export const COMPLEXITY = block('graphql.complexity');
export const FRAGMENT_DEPTH = block('graphql.fragment_depth');
export const ROOT_FIELDS = block('graphql.root_fields');
export const DEPTH = block('graphql.depth');
export const ALIASES = block('graphql.aliases');
export const TOTAL_FIELDS = block('graphql.total_fields');
export const INTROSPECTION = block('graphql.introspection');
/** Checked before all others, because the content after an upgrade cannot be inspected. */
export const UPGRADE = block('graphql.upgrade');
export const DIRECTIVES = block('graphql.directives');
export const ARGUMENTS = block('graphql.arguments');
export const INCREMENTAL = block('graphql.incremental');
export const COST = block('graphql.cost');
export const UNTRUSTED_DOCUMENT = block('graphql.untrusted_document');

export const GRAPHQL_REASONS: readonly BlockReason[] = [
  UPGRADE,
  BATCH,
  PARSE_ERROR,
  UNTRUSTED_DOCUMENT,
  OPERATIONS,
  COMPLEXITY,
  FRAGMENT_DEPTH,
  ROOT_FIELDS,
  DEPTH,
  ALIASES,
  TOTAL_FIELDS,
  INTROSPECTION,
  DIRECTIVES,
  ARGUMENTS,
  INCREMENTAL,
  COST,
];

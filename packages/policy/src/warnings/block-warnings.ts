import { isRecord } from '../engines/engine-spec.ts';
import type { Complaint, FieldPath } from '../problem.ts';
import { canMeet, findApiKeyWarnings } from './api-key-warnings.ts';
import { findJwtWarnings } from './jwt-warnings.ts';
import { findMethodCaseWarnings } from './method-warnings.ts';
import { listOf, type WrittenBlock } from './written-policy.ts';

/** Finds settings of one block that have no effect, or another one than the author may expect. */
export function findBlockWarnings(block: WrittenBlock, routePrefix: string | undefined): Complaint[] {
  switch (block.engine) {
    case 'api_key':
      return findApiKeyWarnings(block, routePrefix);
    case 'rate_limit':
      return findRateLimitWarnings(block);
    case 'graphql':
      return findGraphqlWarnings(block, routePrefix);
    case 'jwt':
      return findJwtWarnings(block, routePrefix);
    case 'methods':
      return findMethodCaseWarnings(block.value.allow, { path: [...block.path, 'allow'], rule: 'methods.method_case' });
  }
}

/** Warnings about a `block_response` at any level. */
export function findResponseWarnings(response: unknown, path: FieldPath): Complaint[] {
  if (!isRecord(response) || response.realm === undefined || response.unauthorized_status === 401) return [];
  const message = 'is ignored: only a 401 (unauthorized_status) has a challenge that names it';
  return [{ path: [...path, 'realm'], rule: 'block_response.realm_ignored', message, at: 'key' }];
}

function findRateLimitWarnings({ value, path }: WrittenBlock): Complaint[] {
  if (value.header === undefined || value.key === 'header') return [];
  const message = `is ignored: the key is ${value.key === 'host' ? 'the host' : 'the address of the client'}`;
  return [{ path: [...path, 'header'], rule: 'rate_limit.header_ignored', message, at: 'key' }];
}

function findGraphqlWarnings({ value, path }: WrittenBlock, routePrefix: string | undefined): Complaint[] {
  const warnings: Complaint[] = [];
  for (const [index, entry] of listOf(value.paths).entries()) {
    if (typeof entry !== 'string' || routePrefix === undefined || canMeet(entry, routePrefix)) continue;
    const message = `is never used: the route covers only paths below ${routePrefix}`;
    warnings.push({ path: [...path, 'paths', index], rule: 'graphql.path_unreachable', message });
  }
  if ((value.max_operations ?? 0) === 0) {
    const message =
      'has no max_operations: a batch may contain any number of operations, and the limits apply to each of them';
    warnings.push({ path, rule: 'graphql.batches_unlimited', message, at: 'key' });
  }
  const maxCost = Number(value.max_cost ?? 0);
  for (const [name, cost] of Object.entries(isRecord(value.field_costs) ? value.field_costs : {})) {
    if (maxCost === 0 || Number(cost) <= maxCost) continue;
    const message = `costs more than max_cost (${maxCost}): every query with this field is blocked`;
    warnings.push({ path: [...path, 'field_costs', name], rule: 'graphql.field_never_passes', message });
  }
  return warnings;
}

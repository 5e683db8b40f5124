import { isRecord } from '../engines/engine-spec.ts';
import { normalizePath } from '../path.ts';
import type { Complaint } from '../problem.ts';
import { findMethodCaseWarnings } from './method-warnings.ts';
import { listOf, type WrittenBlock } from './written-policy.ts';

/** `routePrefix`: the prefix of the block's route; undefined for a domain. */
export function findApiKeyWarnings({ value, path }: WrittenBlock, routePrefix: string | undefined): Complaint[] {
  const keys = listOf(value.keys).filter(isRecord);
  const carried = new Set(keys.flatMap((key) => listOf(key.scopes)));
  const bindings = listOf(value.require_scope_for_path);
  const bound = new Set(bindings.map((binding) => (isRecord(binding) ? binding.scope : undefined)));
  const warnings: Complaint[] = [];
  for (const [index, binding] of bindings.entries()) {
    if (!isRecord(binding) || typeof binding.scope !== 'string' || typeof binding.path_prefix !== 'string') continue;
    const place = [...path, 'require_scope_for_path', index];
    if (!carried.has(binding.scope)) {
      const message = 'is a scope that no key has: every request to this path is blocked';
      warnings.push({ path: [...place, 'scope'], rule: 'api_key.binding_unsatisfiable', message });
    }
    if (routePrefix !== undefined && !canMeet(binding.path_prefix, routePrefix)) {
      const message = `is never used: the route covers only paths below ${routePrefix}`;
      warnings.push({ path: [...place, 'path_prefix'], rule: 'api_key.binding_unreachable', message });
    }
  }
  for (const [index, key] of listOf(value.keys).entries()) {
    if (!isRecord(key)) continue;
    const place = [...path, 'keys', index];
    if (typeof key.key === 'string') {
      const message = 'is the key itself: write its SHA-256 as sha256, so that the file contains no secret';
      warnings.push({ path: [...place, 'key'], rule: 'api_key.raw_key', message, at: 'key' });
    }
    const methods = { path: [...place, 'methods'], rule: 'api_key.method_case' };
    warnings.push(...findMethodCaseWarnings(key.methods, methods));
    for (const [at, scope] of listOf(key.scopes).entries()) {
      if (bound.has(scope)) continue;
      const message = 'is a scope that no require_scope_for_path requires';
      warnings.push({ path: [...place, 'scopes', at], rule: 'api_key.scope_unused', message });
    }
  }
  return [...warnings, ...findOwnSource(value, path)];
}

function findOwnSource(value: WrittenBlock['value'], path: WrittenBlock['path']): Complaint[] {
  const message = 'puts keys into URLs, which end up in logs and referrers; a header does not';
  const fields = [{ source: value.source, path: ['source'] as (string | number)[] }];
  for (const [index, one] of listOf(value.sources).entries()) {
    if (isRecord(one)) fields.push({ source: one.source, path: ['sources', index, 'source'] });
  }
  return fields
    .filter(({ source }) => source === 'query')
    .map((field) => ({ path: [...path, ...field.path], rule: 'api_key.query', message }));
}

/** False if no path is under both prefixes. */
export function canMeet(written: string, routePrefix: string): boolean {
  const prefix = normalizePath(written).toLowerCase();
  const route = routePrefix.toLowerCase();
  return prefix.startsWith(route) || route.startsWith(prefix);
}

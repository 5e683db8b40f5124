import { isRecord } from '../engines/engine-spec.ts';
import type { Complaint } from '../problem.ts';
import { findBlockWarnings, findResponseWarnings } from './block-warnings.ts';
import type { WrittenDomain, WrittenHolder } from './written-policy.ts';

/** Finds parts of a domain that never apply, change nothing, or protect nothing. `value` is the document. */
export function findDomainWarnings({ domain, routes }: WrittenDomain, value: unknown): Complaint[] {
  return [
    ...findUnguarded({ domain, routes }),
    ...findUnusedBlocks({ domain, routes }),
    ...domain.nulls.map(({ path }) => withoutEffect(path, 'switches off nothing: a domain inherits no engine')),
    ...routes.flatMap((route) => findRouteWarnings(route, { domain, routes }, value)),
    ...[domain, ...routes].flatMap(findForgeableKeys(domain)),
    ...[domain, ...routes].flatMap(({ blockResponse, path }) =>
      findResponseWarnings(blockResponse, [...path, 'policy', 'block_response']),
    ),
    ...[domain, ...routes].flatMap(({ blocks, prefix }) => blocks.flatMap((block) => findBlockWarnings(block, prefix))),
  ];
}

function findUnguarded({ domain, routes }: WrittenDomain): Complaint[] {
  if ([domain, ...routes].some(({ blocks }) => blocks.length > 0)) return [];
  const message = 'names no engine: every request to these hosts is allowed';
  return [{ path: [...domain.path, 'hosts'], rule: 'policy.empty', message, at: 'key' }];
}

/** A domain's block has no effect if a route covers every path and no route inherits it. */
function findUnusedBlocks({ domain, routes }: WrittenDomain): Complaint[] {
  if (!routes.some(({ prefix }) => prefix === '/')) return [];
  return domain.blocks.flatMap(({ engine, path }): Complaint[] => {
    const isInherited = routes.some((route) => !writes(route, engine));
    if (isInherited) return [];
    const message = 'is never used: the routes cover every path, and each defines its own block or none';
    return [{ path, rule: 'engine.unreachable', message, at: 'key' }];
  });
}

function findRouteWarnings(route: WrittenHolder, { domain, routes }: WrittenDomain, value: unknown): Complaint[] {
  const warnings: Complaint[] = [];
  const place = [...route.path, 'match', 'path_prefix'];
  const written = prefixAsWritten(value, route);
  if (written !== undefined && written !== route.prefix) {
    const message = `is treated as ${route.prefix}: paths are compared in normalised form`;
    warnings.push({ path: place, rule: 'route.normalized', message });
  }
  for (const { engine, path } of route.nulls) {
    if (domain.blocks.some((block) => block.engine === engine)) continue;
    warnings.push(withoutEffect(path, 'switches off nothing: the domain has no such engine'));
  }
  const isWithinAnother = routes.some(
    (other) => other !== route && other.prefix !== undefined && route.prefix?.startsWith(other.prefix) === true,
  );
  const isBare = route.blocks.length === 0 && route.nulls.length === 0;
  // A template without settings keeps a prefix from applying.
  const isPrefix = route.prefix !== undefined;
  if (isPrefix && isBare && route.mode === undefined && route.blockResponse === undefined && !isWithinAnother) {
    const message = 'has no effect: the policy of the domain is the same';
    warnings.push({ path: place, rule: 'route.without_effect', message });
  }
  return warnings;
}

/** Finds limiters keyed by a header that no engine of the policy checks: clients choose the value and so the bucket. */
function findForgeableKeys(domain: WrittenHolder): (holder: WrittenHolder) => Complaint[] {
  return (holder) =>
    holder.blocks.flatMap(({ engine, value, path }): Complaint[] => {
      if (engine !== 'rate_limit' || value.key !== 'header') return [];
      const others = [...holder.blocks, ...domain.blocks.filter((block) => !writes(holder, block.engine))];
      if (others.some((block) => block.engine === 'api_key' || block.engine === 'jwt')) return [];
      const message = 'is chosen by the client unless a proxy in front sets it: each new value gets a new bucket';
      return [{ path: [...path, 'header'], rule: 'rate_limit.header_forgeable', message }];
    });
}

function writes(holder: WrittenHolder, engine: string): boolean {
  return [...holder.blocks, ...holder.nulls].some((written) => written.engine === engine);
}

function withoutEffect(path: Complaint['path'], message: string): Complaint {
  return { path, rule: 'engine.null_without_effect', message, at: 'key' };
}

function prefixAsWritten(value: unknown, route: WrittenHolder): string | undefined {
  let current: unknown = value;
  for (const part of [...route.path, 'match', 'path_prefix']) {
    if (isRecord(current) || Array.isArray(current)) current = Reflect.get(current, part);
  }
  return typeof current === 'string' ? current : undefined;
}

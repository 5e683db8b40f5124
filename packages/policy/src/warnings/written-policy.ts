import { isRecord } from '../engines/engine-spec.ts';
import { type EngineName, isEngineName } from '../engines/index.ts';
import { normalizePath } from '../path.ts';
import type { FieldPath } from '../problem.ts';

/** An engine block as written, before normalization. */
export interface WrittenBlock {
  readonly engine: EngineName;
  readonly value: Readonly<Record<string, unknown>>;
  readonly path: FieldPath;
}

/** A domain or route with the content of its policy. */
export interface WrittenHolder {
  readonly path: FieldPath;
  /** As the router reads it; undefined for a domain. */
  readonly prefix: string | undefined;
  readonly mode: unknown;
  readonly blockResponse: unknown;
  /** False if there is no `policy`. */
  readonly hasPolicy: boolean;
  readonly blocks: readonly WrittenBlock[];
  /** Engines that are disabled here. */
  readonly nulls: readonly { readonly engine: EngineName; readonly path: FieldPath }[];
}

export interface WrittenDomain {
  readonly domain: WrittenHolder;
  readonly routes: readonly WrittenHolder[];
}

/** The domains of a valid document; omits other shapes. */
export function readWrittenDomains(value: unknown): WrittenDomain[] {
  const spec = isRecord(value) && isRecord(value.spec) ? value.spec : {};
  return listOf(spec.domains).flatMap((domain, d): WrittenDomain[] => {
    if (!isRecord(domain)) return [];
    const path = ['spec', 'domains', d];
    const routes = listOf(domain.routes).flatMap((route, r): WrittenHolder[] => {
      if (!isRecord(route) || !isRecord(route.match)) return [];
      const { path_prefix: prefix, path_template: template } = route.match;
      if (typeof prefix !== 'string' && typeof template !== 'string') return [];
      const written = typeof prefix === 'string' ? normalizePath(prefix) : undefined;
      return [readHolder(route.policy, [...path, 'routes', r], written)];
    });
    return [{ domain: readHolder(domain.policy, path, undefined), routes }];
  });
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function readHolder(policy: unknown, path: FieldPath, prefix: string | undefined): WrittenHolder {
  const written = isRecord(policy) ? policy : {};
  const engines = Object.entries(isRecord(written.engines) ? written.engines : {}).filter(
    (entry): entry is [EngineName, unknown] => isEngineName(entry[0]),
  );
  const place = (engine: string) => [...path, 'policy', 'engines', engine];
  return {
    path,
    prefix,
    mode: written.mode,
    blockResponse: written.block_response,
    hasPolicy: isRecord(policy),
    blocks: engines.flatMap(([engine, value]) => (isRecord(value) ? [{ engine, value, path: place(engine) }] : [])),
    nulls: engines.flatMap(([engine, value]) => (value === null ? [{ engine, path: place(engine) }] : [])),
  };
}

import { type ApiKeyOptions, digestApiKey } from '@flotilla/policy';
import type { BlockReason, BlockVerdict, CompiledEngine, RequestView, Verdict } from '../engine.ts';
import { findQueryValues } from './query-values.ts';

const MISSING: BlockVerdict = { kind: 'block', reason: 'apikey.missing', severity: 'high', status: 403 };
const UNKNOWN: BlockVerdict = { kind: 'block', reason: 'apikey.unknown', severity: 'high', status: 403 };
const SCOPE: BlockVerdict = { kind: 'block', reason: 'apikey.scope', severity: 'high', status: 403 };

export const API_KEY_REASONS: readonly BlockReason[] = [MISSING, UNKNOWN, SCOPE];

/**
 * Authenticates by API key. The presented value is looked up by its SHA-256 digest. A key presented several times counts
 * when all of its lines or parameters agree; where they differ, nobody can say which of them another program would
 * believe, and the request is blocked as unknown.
 */
export function createApiKeyEngine(options: ApiKeyOptions): CompiledEngine {
  const entries = new Map(
    options.keys.map((entry) => [
      entry.sha256,
      { scopes: new Set(entry.scopes), allow: { kind: 'allow', grant: { subject: entry.subject } } satisfies Verdict },
    ]),
  );
  const { source, name, bindings } = options;
  const present = (request: RequestView) =>
    source === 'header' ? request.header(name) : findQueryValues(request.query, name);

  return {
    name: 'api_key',
    decide(request) {
      const values = present(request);
      const [first = ''] = values;
      if (values.every((value) => value === '')) return MISSING;
      if (values.some((value) => value !== first)) return UNKNOWN;
      const entry = entries.get(digestApiKey(first));
      if (entry === undefined) return UNKNOWN;
      for (const { pathPrefix, scope } of bindings) {
        if (entry.scopes.has(scope)) continue;
        for (const path of request.paths) if (path.startsWith(pathPrefix)) return SCOPE;
      }
      return entry.allow;
    },
  };
}

import { hash } from 'node:crypto';
import { z } from 'zod';
import { normalizePath } from '../path.ts';
import type { Finding } from '../problem.ts';
import { type EngineSpec, HEADER_NAME, isRecord } from './engine-spec.ts';

export interface ApiKeyEntry {
  /** SHA-256 of the key, 64 lowercase hex digits. */
  readonly sha256: string;
  readonly subject: string;
  readonly scopes: readonly string[];
}

export interface ScopeBinding {
  /** In the router's reading. A plain prefix: `/admin` also guards `/administrator`. */
  readonly pathPrefix: string;
  readonly scope: string;
}

export interface ApiKeyOptions {
  readonly source: 'header' | 'query';
  /** Lowercase for a header, as written for a query parameter. */
  readonly name: string;
  readonly keys: readonly ApiKeyEntry[];
  readonly bindings: readonly ScopeBinding[];
}

const schema = z.strictObject({
  source: z.enum(['header', 'query']).optional(),
  name: z.string().min(1).max(256).optional(),
  keys: z.array(
    z.strictObject({
      sha256: z.string().optional(),
      key: z.string().optional(),
      subject: z.string().optional(),
      scopes: z.array(z.string().min(1)).optional(),
    }),
  ),
  require_scope_for_path: z
    .array(z.strictObject({ path_prefix: z.string().startsWith('/'), scope: z.string().min(1) }))
    .optional(),
});

const SHA256_HEX = /^[0-9a-fA-F]{64}$/;

/** SHA-256 of a key's UTF-8 text, as 64 lowercase hex digits: the form in which keys are stored and looked up. */
export function digestApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}

function check(block: unknown): Finding[] {
  if (!isRecord(block)) return [];
  const findings: Finding[] = [];
  const name = block.name;
  if (block.source !== 'query' && typeof name === 'string' && name !== '' && !HEADER_NAME.test(name)) {
    findings.push({ path: ['name'], rule: 'api_key.name', message: 'is not a header name' });
  }
  if (!Array.isArray(block.keys)) return findings;
  if (block.keys.length === 0) {
    findings.push({ path: ['keys'], rule: 'api_key.no_keys', message: 'needs at least one key' });
  }
  const firstIndex = new Map<string, number>();
  for (const [index, entry] of block.keys.entries()) {
    if (!isRecord(entry)) continue;
    const path = ['keys', index];
    findings.push(...checkCredential(entry).map((finding) => ({ ...finding, path: [...path, ...finding.path] })));
    const digest = digestOf(entry);
    if (digest === undefined) continue;
    const first = firstIndex.get(digest);
    if (first === undefined) {
      firstIndex.set(digest, index);
      continue;
    }
    const field = typeof entry.sha256 === 'string' ? 'sha256' : 'key';
    findings.push({
      path: [...path, field],
      rule: 'api_key.duplicate_digest',
      message: `has the same digest as keys[${first}]: each key may be configured once`,
    });
  }
  return findings;
}

function checkCredential(entry: Readonly<Record<string, unknown>>): Finding[] {
  const { sha256, key } = entry;
  const missing = (value: unknown) => value === undefined || value === null || value === '';
  if (missing(sha256) && missing(key)) {
    return [{ path: [], rule: 'api_key.no_credential', message: 'needs sha256 or key' }];
  }
  if (!missing(sha256) && !missing(key)) {
    return [
      {
        path: ['key'],
        rule: 'api_key.two_credentials',
        message: 'stands beside sha256: give one of the two',
        at: 'key',
      },
    ];
  }
  if (typeof sha256 === 'string' && sha256 !== '' && !SHA256_HEX.test(sha256)) {
    return [{ path: ['sha256'], rule: 'api_key.sha256', message: 'must be 64 hexadecimal digits' }];
  }
  if (typeof key === 'string' && key !== key.trim()) {
    return [
      { path: ['key'], rule: 'api_key.key', message: 'begins or ends with white space, which no request can present' },
    ];
  }
  return [];
}

function digestOf(entry: Readonly<Record<string, unknown>>): string | undefined {
  const { sha256, key } = entry;
  if (typeof sha256 === 'string' && SHA256_HEX.test(sha256)) return sha256.toLowerCase();
  if (typeof key === 'string' && key !== '') return digestApiKey(key);
  return undefined;
}

function normalize(block: unknown): ApiKeyOptions {
  const parsed = schema.parse(block);
  const source = parsed.source ?? 'header';
  const name = parsed.name ?? 'X-Api-Key';
  return {
    source,
    name: source === 'header' ? name.toLowerCase() : name,
    keys: parsed.keys.map((entry) => ({
      sha256: digestOf(entry) ?? '',
      subject: entry.subject ?? '',
      scopes: entry.scopes ?? [],
    })),
    bindings: (parsed.require_scope_for_path ?? []).map((binding) => ({
      pathPrefix: normalizePath(binding.path_prefix),
      scope: binding.scope,
    })),
  };
}

export const apiKeySpec: EngineSpec<ApiKeyOptions> = { schema, check, normalize };

import * as z from 'zod';
import { normalizePath } from '../path.ts';
import type { Complaint } from '../problem.ts';
import {
  type ApiKeyEntry,
  apiKeyEntryField,
  checkApiKeyEntry,
  digestOf,
  isOverridable,
  toApiKeyEntry,
} from './api-key-entry.ts';
import { checkCredentialExtras, credentialExtras } from './credential-extras.ts';
import { type EngineSpec, HEADER_NAME, isRecord } from './engine-spec.ts';
import { isHeaderText } from './header-text.ts';

export interface ApiKeySource {
  readonly source: 'header' | 'query';
  /** Lowercase for a header, verbatim for a query parameter. */
  readonly name: string;
}

export interface ScopeBinding {
  /** As the router reads it. A plain prefix: `/admin` also protects `/administrator`. */
  readonly pathPrefix: string;
  readonly scope: string;
  /**
   * The prefix ends at a segment boundary: it protects `/admin`, `/admin/` and everything below, but not
   * `/administrator`.
   */
  readonly wholeSegments: boolean;
}

export interface ApiKeyOptions {
  /** Every place where a key may be; at most one is in the query. */
  readonly sources: readonly ApiKeySource[];
  readonly keys: readonly ApiKeyEntry[];
  readonly bindings: readonly ScopeBinding[];
  readonly stripCredential: boolean;
  /** Lowercase; empty if the subject is not forwarded. */
  readonly subjectHeader: string;
}

const DEFAULT_NAME = 'X-Api-Key';

const place = {
  source: z.enum(['header', 'query']).optional().meta({
    title: 'KeySource',
    description: 'Where to read the key. Keys in query parameters leak into logs',
    default: 'header',
  }),
  name: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .meta({ description: 'Name of the header or query parameter', default: DEFAULT_NAME }),
};

const scopeBinding = z
  .strictObject({
    path_prefix: z
      .string()
      .startsWith('/')
      .describe('Prefix of the paths to protect: "/admin" also matches "/administrator"'),
    scope: z.string().min(1).describe('Scope that a key must have there'),
    whole_segments: z.boolean().optional().meta({
      description: 'Matches "/admin" and everything below it, but not "/administrator"',
      default: false,
    }),
  })
  .meta({ title: 'ScopeBinding' });

const schema = z
  .strictObject({
    ...place,
    sources: z
      .array(z.strictObject(place).meta({ title: 'ApiKeySource' }))
      .min(1)
      .max(8)
      .optional()
      .describe('Several places to read the key from, instead of source and name'),
    // An empty list is reported by `check`, with what it would mean.
    keys: z.array(apiKeyEntryField).meta({ description: 'Accepted keys', minItems: 1 }),
    require_scope_for_path: z.array(scopeBinding).optional().describe('Paths that require a scope'),
    ...credentialExtras,
  })
  .meta({
    title: 'ApiKey',
    description: 'Requires a known API key, and binds scopes to paths; null disables an inherited one',
  });

type WrittenSource = ApiKeySource & { readonly path: Complaint['path'] };

/** The sources of a block and the fields that name them. Omits malformed ones. */
function listSources(block: Readonly<Record<string, unknown>>): WrittenSource[] {
  const toSource = (written: Readonly<Record<string, unknown>>, path: Complaint['path']): WrittenSource[] => {
    const given = written.name ?? DEFAULT_NAME;
    if (typeof given !== 'string' || given === '') return [];
    if (written.source === 'query') return [{ source: 'query', name: given, path }];
    return [{ source: 'header', name: given.toLowerCase(), path }];
  };
  if (block.sources === undefined) return toSource(block, ['name']);
  if (!Array.isArray(block.sources)) return [];
  return block.sources.flatMap((item: unknown, index) =>
    isRecord(item) ? toSource(item, ['sources', index, 'name']) : [],
  );
}

/** The lowercase headers in which a block looks for keys. Omits malformed ones. */
export function listHeaderSources(
  block: Readonly<Record<string, unknown>>,
): readonly { readonly name: string; readonly path: Complaint['path'] }[] {
  return listSources(block).filter(({ source: kind }) => kind === 'header');
}

function checkSources(block: Readonly<Record<string, unknown>>): Complaint[] {
  const complaints: Complaint[] = [];
  if (block.sources !== undefined) {
    for (const field of ['source', 'name']) {
      if (block[field] === undefined) continue;
      const message = 'cannot be combined with sources: write it as an entry of the list';
      complaints.push({ path: [field], rule: 'api_key.sources', message, at: 'key' });
    }
  }
  const sources = listSources(block);
  for (const [index, { source: kind, name: given, path }] of sources.entries()) {
    if (kind === 'header' && !HEADER_NAME.test(given)) {
      complaints.push({ path, rule: 'api_key.name', message: 'is not a header name' });
    }
    const earlier = sources.slice(0, index).filter((other) => other.source === kind);
    if (earlier.some((other) => other.name === given)) {
      complaints.push({ path, rule: 'api_key.sources', message: 'repeats an earlier entry' });
    } else if (kind === 'query' && earlier.length > 0) {
      complaints.push({
        path,
        rule: 'api_key.sources',
        message: 'is a second query parameter: at most one is allowed',
      });
    }
  }
  const headers = sources.filter((place) => place.source === 'header');
  return [...complaints, ...checkCredentialExtras(block, { engine: 'api_key', headers })];
}

function check(block: unknown): Complaint[] {
  if (!isRecord(block)) return [];
  const complaints = checkSources(block);
  if (!Array.isArray(block.keys)) return complaints;
  if (block.keys.length === 0) {
    complaints.push({ path: ['keys'], rule: 'api_key.no_keys', message: 'needs at least one key' });
  }
  // If all keys are in plain text, comparing the texts is enough; hashing each would take longer than everything else.
  const hasDigests = block.keys.some((entry) => isRecord(entry) && typeof entry.sha256 === 'string');
  const firstIndex = new Map<string, number>();
  for (const [index, entry] of block.keys.entries()) {
    if (!isRecord(entry)) continue;
    const path = ['keys', index];
    const own = checkApiKeyEntry(entry);
    if (typeof block.subject_header === 'string' && typeof entry.subject === 'string' && entry.subject !== '') {
      const message = 'cannot be sent in a header: it contains control characters, or starts or ends with a space';
      if (!isHeaderText(entry.subject)) own.push({ path: ['subject'], rule: 'api_key.subject', message });
    }
    complaints.push(...own.map((complaint) => ({ ...complaint, path: [...path, ...complaint.path] })));
    const identity = hasDigests ? digestOf(entry) : entry.key;
    if (typeof identity !== 'string' || identity === '') continue;
    const first = firstIndex.get(identity);
    if (first === undefined) {
      firstIndex.set(identity, index);
      continue;
    }
    const field = typeof entry.sha256 === 'string' ? 'sha256' : 'key';
    complaints.push({
      path: [...path, field],
      rule: 'api_key.duplicate_digest',
      message: `has the same digest as keys[${first}]: each key may be configured once`,
    });
  }
  return complaints;
}

function normalize(block: unknown): ApiKeyOptions {
  const written = block as z.output<typeof schema>;
  return {
    sources: listSources(written).map((place) => ({ source: place.source, name: place.name })),
    keys: written.keys.map(toApiKeyEntry),
    bindings: (written.require_scope_for_path ?? []).map((binding) => ({
      pathPrefix: normalizePath(binding.path_prefix),
      scope: binding.scope,
      wholeSegments: binding.whole_segments ?? false,
    })),
    stripCredential: written.strip_credential ?? false,
    subjectHeader: (written.subject_header ?? '').toLowerCase(),
  };
}

export const apiKeySpec: EngineSpec<ApiKeyOptions> = {
  schema,
  usesBody: ({ keys }) => Array.isArray(keys) && keys.some(isOverridable),
  check,
  normalize,
};

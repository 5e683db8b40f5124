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
  /** Lowercase for a header, as written for a query parameter. */
  readonly name: string;
}

export interface ScopeBinding {
  /** In the router's reading. A plain prefix: `/admin` also guards `/administrator`. */
  readonly pathPrefix: string;
  readonly scope: string;
  /** The prefix ends at a segment's end: it guards `/admin`, `/admin/` and all below, not `/administrator`. */
  readonly wholeSegments: boolean;
}

export interface ApiKeyOptions {
  /** Every place in which a key may be; at most one of them is in the query. */
  readonly sources: readonly ApiKeySource[];
  readonly keys: readonly ApiKeyEntry[];
  readonly bindings: readonly ScopeBinding[];
  readonly stripCredential: boolean;
  /** Lowercase; empty when the subject is not forwarded. */
  readonly subjectHeader: string;
}

const source = z.enum(['header', 'query']);
const name = z.string().min(1).max(256);

const schema = z.strictObject({
  source: source.optional(),
  name: name.optional(),
  sources: z
    .array(z.strictObject({ source: source.optional(), name: name.optional() }))
    .min(1)
    .max(8)
    .optional(),
  keys: z.array(apiKeyEntryField),
  require_scope_for_path: z
    .array(
      z.strictObject({
        path_prefix: z.string().startsWith('/'),
        scope: z.string().min(1),
        whole_segments: z.boolean().optional(),
      }),
    )
    .optional(),
  ...credentialExtras,
});

const DEFAULT_NAME = 'X-Api-Key';

type WrittenSource = ApiKeySource & { readonly path: Complaint['path'] };

/** The places that a block names, with the fields in which it names them. Leaves out what is misshapen. */
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

/** The headers in which a block looks for keys, lowercase. Leaves out what is misshapen. */
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
      const message = 'stands beside sources: write it as an entry of the list';
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
      complaints.push({ path, rule: 'api_key.sources', message: 'is the same place as an entry before it' });
    } else if (kind === 'query' && earlier.length > 0) {
      complaints.push({ path, rule: 'api_key.sources', message: 'is a second query parameter: one is enough' });
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
  // Keys that are all written as they are differ where their digests do: a hash for each would take longer than the rest.
  const hasDigests = block.keys.some((entry) => isRecord(entry) && typeof entry.sha256 === 'string');
  const firstIndex = new Map<string, number>();
  for (const [index, entry] of block.keys.entries()) {
    if (!isRecord(entry)) continue;
    const path = ['keys', index];
    const own = checkApiKeyEntry(entry);
    if (typeof block.subject_header === 'string' && typeof entry.subject === 'string' && entry.subject !== '') {
      const message = 'cannot stand in a header as it is: it holds control characters, or a space at an end';
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

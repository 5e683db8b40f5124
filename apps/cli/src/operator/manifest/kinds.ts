import { isBootstrap } from '../import/split-bootstrap.ts';
import type { Entry, Problem } from './source.ts';

/** A record in a file. Its kind is derived from its fields. */
export type Manifest =
  | { readonly kind: 'document'; readonly entry: Entry; readonly body: Record<string, unknown> }
  | { readonly kind: 'policy'; readonly entry: Entry; readonly name: string }
  | { readonly kind: 'service'; readonly entry: Entry; readonly name: string; readonly body: Record<string, unknown> };

/** Fields that the API adds to a record. They are ignored, so that a printed record can be applied unchanged. */
const SHOWN_ONLY = new Set([
  'id',
  'project',
  'revision',
  'created_at',
  'updated_at',
  'updated_by',
  'private',
  'warnings',
  'status',
  'targets',
  'kind',
]);

const API_VERSION = /^flotilla\.dev\//;

/** `version` applies to documents and services without a version. */
export function classify(entry: Entry, version: string | undefined): Manifest | Problem {
  const { value } = entry;
  if (typeof value.apiVersion === 'string' && API_VERSION.test(value.apiVersion)) {
    const { name } = (value.metadata ?? {}) as { name?: unknown };
    if (typeof name !== 'string' || name === '') return entry.problem('metadata.name', 'the policy needs a name');
    if (entry.text === '') return entry.problem('', 'a policy must be a separate YAML document, not an item of a list');
    return { kind: 'policy', entry, name };
  }
  const body = withoutShownOnly(value);
  if (body.version === undefined && version !== undefined) body.version = version;
  if ('resource' in value) return toDocument(entry, body);
  if ('bootstrap' in value || value.kind === 'Service') {
    if (typeof body.name !== 'string') return entry.problem('name', 'the service needs a name');
    return { kind: 'service', entry, name: body.name, body };
  }
  if (isBootstrap(value))
    return entry.problem(
      '',
      'is the configuration of a standalone Envoy. Convert it with: flotilla import FILE --name NAME --version VERSION',
    );
  return entry.problem(
    '',
    'is neither a document (collection, name, version, resource) nor a policy (apiVersion: flotilla.dev/v1) nor a service (name, version, bootstrap, listeners)',
  );
}

function toDocument(entry: Entry, body: Record<string, unknown>): Manifest | Problem {
  for (const field of ['collection', 'name'] as const) {
    if (typeof body[field] !== 'string') return entry.problem(field, `the document needs a ${field}`);
  }
  if (typeof body.version !== 'string') {
    return entry.problem('version', 'the document needs an Envoy version, here or with --version');
  }
  return { kind: 'document', entry, body };
}

export function isManifest(value: Manifest | Problem): value is Manifest {
  return 'kind' in value;
}

function withoutShownOnly(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !SHOWN_ONLY.has(name)));
}

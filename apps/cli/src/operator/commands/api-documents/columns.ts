import type { ApiBreakingChange, ApiCoverageItem, ApiDocument, ApiDocumentVersion } from '@flotilla/contract';
import { age, type Columns } from '../../output.ts';

export const DOCUMENTS: Columns<ApiDocument> = {
  name: 'name',
  version: ({ version }) => version.number,
  title: ({ version }) => version.title,
  format: ({ version }) => version.format,
  operations: ({ version }) => version.operation_count,
  warnings: ({ version }) => version.warnings.length,
  scope: ({ scope }) => describeScope(scope),
  imported: ({ version }, nowMs) => age('at')({ at: version.imported_at }, nowMs),
  id: 'id',
};

export const VERSIONS: Columns<ApiDocumentVersion> = {
  number: 'number',
  current: 'current',
  version: 'document_version',
  format: 'format',
  operations: 'operation_count',
  imported: age('imported_at'),
  by: 'imported_by',
};

export const DIFFERENCES: Columns<ApiCoverageItem> = {
  difference: ({ kinds }) => kinds.filter((kind) => kind !== 'documented').join(' ') || 'documented',
  method: 'method',
  host: 'host',
  path: 'path',
  document: ({ documents }) => documents.map(({ name }) => name).join(' '),
  detail: ({ undeclared_parameters: parameters, undeclared_statuses: statuses }) =>
    [...parameters, ...statuses].join(' '),
  calls: 'seen_count',
  operation: 'operation_id',
};

export const BREAKING: Columns<ApiBreakingChange> = {
  change: 'kind',
  method: 'method',
  path: 'path',
  detail: 'detail',
};

export function describeScope({ listener_name, host_prefixes, path_prefixes }: ApiDocument['scope']): string {
  const hosts = host_prefixes.length === 0 ? 'any host' : host_prefixes.join(' ');
  const paths = path_prefixes.length === 0 ? '' : `, ${path_prefixes.join(' ')}`;
  return `${hosts}${paths}${listener_name === '' ? '' : `, listener ${listener_name}`}`;
}

import { API_DOCUMENT_HOSTS_MAX, API_DOCUMENT_PATHS_MAX, type ApiDocument, fail } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { ScopeValues } from './import-store.ts';
import { DocumentIndex } from './model/comparison.ts';
import { parseHostPrefix } from './model/scope.ts';
import { readOperations } from './operations-store.ts';
import { findVersion, selectDocuments, toScope } from './store.ts';

/** Indexes of all current documents. One of them may be compared in another version. */
export async function loadIndexes(
  db: Db,
  projectId: string,
  instead?: { readonly id: string; readonly number: number },
): Promise<DocumentIndex[]> {
  const rows = await selectDocuments(db, projectId).orderBy('api_documents.name_key').execute();
  const indexes: DocumentIndex[] = [];
  for (const row of rows) {
    const { id, name } = row;
    const isOther = instead !== undefined && instead.id === id && instead.number !== row.number;
    const version = isOther ? await findVersion(db, projectId, instead) : undefined;
    const { servers, keyQuery } = version?.parts ?? { servers: row.servers, keyQuery: row.key_query };
    const number = version?.number ?? row.number;
    const index = new DocumentIndex({ id, name, number, servers, keyQuery, scope: toScope(row, servers) });
    for await (const part of readOperations(db, projectId, { id, number })) index.add(part);
    indexes.push(index);
  }
  return indexes;
}

interface ScopeQuery {
  readonly listener_name?: string | undefined;
  readonly host_prefix?: readonly string[] | undefined;
  readonly path_prefix?: readonly string[] | undefined;
}

/** Undefined: the query has no scope. Throws request.invalid. */
export function readScopeQuery({ listener_name, host_prefix, path_prefix }: ScopeQuery): ScopeValues | undefined {
  if (listener_name === undefined && host_prefix === undefined && path_prefix === undefined) return undefined;
  const scope = {
    listener_name: listener_name ?? '',
    host_prefixes: host_prefix ?? null,
    path_prefixes: path_prefix ?? null,
  };
  checkScope(scope, { hosts: 'host_prefix', paths: 'path_prefix' });
  return scope;
}

/** Throws request.invalid. */
export function checkScope(
  { host_prefixes, path_prefixes }: Pick<ApiDocument, 'host_prefixes' | 'path_prefixes'> | ScopeValues,
  fields = { hosts: 'host_prefixes', paths: 'path_prefixes' },
): void {
  const problems = [
    ...tooMany(fields.hosts, host_prefixes, API_DOCUMENT_HOSTS_MAX),
    ...tooMany(fields.paths, path_prefixes, API_DOCUMENT_PATHS_MAX),
    ...(host_prefixes ?? []).flatMap((text, index) =>
      parseHostPrefix(text) === undefined
        ? [{ path: `${fields.hosts}.${index}`, rule: 'host', message: 'is not a host such as api.example.com' }]
        : [],
    ),
    ...(path_prefixes ?? []).flatMap((text, index) =>
      /[\p{Cc}?#]/u.test(text)
        ? [{ path: `${fields.paths}.${index}`, rule: 'path', message: 'must not have a query or control characters' }]
        : [],
    ),
  ];
  const [first] = problems;
  if (first === undefined) return;
  throw fail('request.invalid', { reason: `${first.path} ${first.message}` }, { details: problems });
}

function tooMany(path: string, values: readonly string[] | null, max: number) {
  return (values?.length ?? 0) > max ? [{ path, rule: 'max', message: `must not have more than ${max} entries` }] : [];
}

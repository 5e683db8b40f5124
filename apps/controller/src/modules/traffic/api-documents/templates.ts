import { createHash } from 'node:crypto';
import type { Db } from '@flotilla/db';
import { type KnownTemplate, toTemplate } from '@flotilla/inventory';
import { compileScope, parseHostPrefix } from './model/scope.ts';
import { readPaths } from './operations-store.ts';
import { listHosts } from './seen-store.ts';
import { type DocumentRow, selectDocuments, toScope } from './store.ts';

/** As many as a `TemplateIndex` uses. */
const TEMPLATES_MAX = 50_000;

/**
 * The templates of all current documents, for the hosts in their scopes. `version` changes with them. A host that is in a scope as a
 * subdomain has the templates from its first request on.
 */
export async function listDocumentTemplates(
  db: Db,
  project: string,
): Promise<{ readonly version: string; readonly templates: readonly KnownTemplate[] }> {
  const rows = await selectDocuments(db, project).orderBy('api_documents.name_key').execute();
  if (rows.length === 0) return { version: '', templates: [] };
  const seen = await listHosts(db, project);
  const documents = rows.map((row) => ({ row, hosts: listScopeHosts(row, seen) }));
  const facts = documents.map(({ row: { id, current_number, revision }, hosts }) => [
    id,
    current_number,
    revision,
    hosts,
  ]);
  const version = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
  const templates: KnownTemplate[] = [];
  for (const { row, hosts } of documents) {
    for await (const part of readPaths(db, project, { id: row.id, number: row.number })) {
      if (templates.length >= TEMPLATES_MAX) break;
      for (const operation of part) templates.push(...toTemplates(row, operation, hosts));
    }
  }
  return { version, templates: templates.slice(0, TEMPLATES_MAX) };
}

/** Null: any host. */
function listScopeHosts(row: DocumentRow, seen: readonly string[]): readonly string[] | null {
  const scope = toScope(row, row.servers);
  if (scope.host_prefixes.length === 0) return null;
  const { matchesHost } = compileScope(scope);
  const named = scope.host_prefixes.flatMap((text) => {
    const pattern = parseHostPrefix(text);
    if (pattern?.kind !== 'exact') return [];
    return [pattern.port ? `${pattern.name}:${pattern.port}` : pattern.name];
  });
  return [...new Set([...named, ...seen.filter(matchesHost)])];
}

function toTemplates(
  { servers }: DocumentRow,
  { method, path }: { readonly method: string; readonly path: string },
  hosts: readonly string[] | null,
): KnownTemplate[] {
  const bases = new Set(servers.map(({ base }) => base));
  return [...bases].flatMap((base) => {
    const template = toTemplate(base, path);
    if (template === undefined) return [];
    return hosts === null ? [{ template, method }] : hosts.map((host) => ({ template, method, host }));
  });
}

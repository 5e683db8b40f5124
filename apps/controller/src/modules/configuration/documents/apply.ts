import { type applyBodySchema, fail } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { AppError, type Violation } from '@flotilla/kit';
import type * as z from 'zod';
import { failPermission, listReached, type Reader, readerOf } from '../../../platform/auth/index.ts';
import { actorName, type Reply, type RequestContext } from '../../../platform/http/context.ts';
import type { EnvoyApis } from '../proxy-versions/index.ts';
import { checkBatch } from './batch.ts';
import { type Refusal, refuseBatch } from './batch-refusal.ts';
import { checkListenerPorts } from './listener-ports.ts';
import { describeDocument, describeKind, warnOfCertificate } from './model.ts';
import { describeReach } from './reach.ts';
import { announce, type DocumentServiceDeps, requireSame, toWanted } from './service.ts';
import {
  type DocumentKey,
  type DocumentRow,
  deleteDocuments,
  findDocument,
  findDocuments,
  findLabelled,
  listDefinedNames,
  lockScope,
  type Scope,
} from './store.ts';
import { openDocument, type WriteResult, writeDocument } from './write-one.ts';

type ApplyBody = z.output<typeof applyBodySchema>;
type ApplyDocument = ApplyBody['documents'][number];

interface Applied {
  readonly scope: Scope;
  readonly written: readonly WriteResult[];
  readonly deleted: readonly DocumentRow[];
}

/** Applies many documents in one transaction, all or none. Reports all errors of all documents together. */
export async function applyDocuments(deps: DocumentServiceDeps, ctx: RequestContext, body: ApplyBody): Promise<Reply> {
  requireDistinct(body);
  const apis = await loadApis(deps.envoyApis, versionsOf(body));
  return ctx.write(async (tx) => {
    const { results, reach, shows } = await applyWithin({ deps, ctx, tx, apis }, body);
    return { reply: { body: { results, ...reach } }, audit: { type: 'documents', changes: toAudit(results) }, shows };
  });
}

interface ApplyWork {
  readonly deps: DocumentServiceDeps;
  readonly ctx: RequestContext;
  readonly tx: Tx;
  /** The API of every version in the batch. */
  readonly apis: ReadonlyMap<string, Awaited<ReturnType<EnvoyApis['get']>>>;
}

/**
 * Applies many documents in the caller's transaction. Throws all errors of all documents together; the caller rolls back.
 * `reach` is set in a dry run.
 */
export async function applyWithin({ deps, ctx, tx, apis }: ApplyWork, body: ApplyBody) {
  const refusals: Refusal[] = [];
  const applied: Applied[] = [];
  const versions = versionsOf(body);
  // Sorted, so that two batches over the same versions cannot deadlock.
  for (const version of versions) await lockScope(tx, { project: ctx.project.id, version });
  for (const version of versions) {
    const scope = { project: ctx.project.id, version };
    const api = apis.get(version);
    if (api) applied.push(await applyVersion({ deps, ctx, tx, scope, api, body, refusals }));
  }
  if (refusals.length > 0) throw refuseBatch(refusals);
  for (const { scope, written, deleted } of applied) {
    const changed = written.filter(({ outcome }) => outcome !== 'unchanged').map(({ row }) => row);
    if (changed.length + deleted.length > 0) await announce(tx, scope, [...changed, ...deleted], ctx.now);
  }
  const results = applied.flatMap((one) => toResults(one, ctx.now));
  const reach = ctx.dryRun ? await reachOf({ deps, tx, reader: readerOf(ctx) }, applied) : {};
  const shows = applied.flatMap(({ written }) => written.map(({ row }) => ({ kind: 'document', id: row.id }) as const));
  return { results, reach, shows };
}

interface VersionWork {
  readonly deps: DocumentServiceDeps;
  readonly ctx: RequestContext;
  readonly tx: Tx;
  readonly scope: Scope;
  readonly api: Awaited<ReturnType<EnvoyApis['get']>>;
  readonly body: ApplyBody;
  readonly refusals: Refusal[];
}

async function applyVersion(work: VersionWork): Promise<Applied> {
  const { tx, scope, body, refusals } = work;
  const wanted = body.documents
    .map((document, index) => ({ document, index }))
    .filter(({ document }) => document.version === scope.version);
  const existing = await findDocuments(
    tx,
    scope,
    wanted.map(({ document }) => document),
  );
  const reach = await readReach(work, existing);
  const rows = new Map(existing.map((row) => [`${row.collection}/${row.name}`, row]));
  const written: WriteResult[] = [];
  const places = new Map<string, number>();
  for (const { document, index } of wanted) {
    try {
      const row = rows.get(`${document.collection}/${document.name}`);
      // The name is taken, and anyone who chooses it has to learn that much.
      if (row && reach(row) === 'hidden') throw fail('record.exists', describeDocument(document, scope.version));
      if (row && reach(row) === 'visible') throw failPermission({ kind: 'document', level: 'change' });
      const result = await applyOne(work, document, row);
      written.push(result);
      places.set(result.id, index);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refusals.push({ where: `documents[${index}]`, document, error });
    }
  }
  const deleted = await deleteWanted(work);
  const lostNames: DocumentKey[] = written.flatMap((result) => result.lostNames);
  for (const row of deleted) lostNames.push(...(await listDefinedNames(tx, row.id)));
  await deleteDocuments(
    tx,
    deleted.map(({ id }) => id),
  );
  // If a document is missing because it was refused itself, all its users would be reported as well.
  if (refusals.length === 0) {
    const reader = readerOf(work.ctx);
    const problems = [
      ...(await checkBatch(tx, scope, { written, lostNames, reader })),
      ...(await checkListenerPorts(work.deps.checkPorts, tx, scope, { written, reader })),
    ];
    for (const { id, error } of problems) {
      const index = id === undefined ? undefined : places.get(id);
      const where = index === undefined ? 'delete' : `documents[${index}]`;
      refusals.push({ where, document: index === undefined ? undefined : body.documents[index], error });
    }
  }
  return { scope, written, deleted };
}

async function applyOne(
  work: VersionWork,
  document: ApplyDocument,
  row: DocumentRow | undefined,
): Promise<WriteResult> {
  const { ctx, tx, scope, deps, api } = work;
  requireSame('project', document.project?.toLowerCase(), ctx.project.id);
  const revision = row?.revision ?? 0;
  if (document.revision !== undefined && document.revision !== revision) {
    throw fail('record.stale', { kind: describeKind(document.collection), revision });
  }
  const before = row && openDocument(deps.keyring, row);
  // Metadata that the batch omits is kept; the content is replaced.
  const wanted = {
    ...toWanted(document),
    description: document.description === undefined ? (row?.description ?? null) : document.description,
    labels: document.labels ?? row?.labels ?? {},
  };
  const options = {
    api,
    keyring: deps.keyring,
    mayReachHost: ctx.project.role === 'owner',
    stamp: { at: ctx.now, by: actorName(ctx) },
  };
  return writeDocument(tx, scope, document, { before, wanted, options });
}

type Reach = 'enough' | 'visible' | 'hidden';

/** Returns whether the caller may change, only see, or not see each of these documents. */
async function readReach({ ctx, tx }: VersionWork, rows: readonly DocumentRow[]): Promise<(row: DocumentRow) => Reach> {
  const reader = readerOf(ctx);
  if (!reader) return () => 'enough';
  const ids = rows.map(({ id }) => id);
  const seen = await listReached(tx, reader, { kind: 'document', ids, level: 'view' });
  const enough = await listReached(tx, reader, { kind: 'document', ids, level: 'change' });
  return ({ id }) => {
    if (enough.has(id)) return 'enough';
    return seen.has(id) ? 'visible' : 'hidden';
  };
}

async function deleteWanted(work: VersionWork): Promise<DocumentRow[]> {
  const { body, tx, scope, refusals } = work;
  const deleted = new Map<string, DocumentRow>();
  for (const [index, key] of (body.delete ?? []).entries()) {
    if (key.version !== scope.version) continue;
    const row = await findDocument(tx, scope, key);
    const reach = row && (await readReach(work, [row]))(row);
    if (row && reach === 'enough') {
      deleted.set(row.id, row);
      if (isOther(row, key)) {
        const error = fail('record.stale', { kind: describeKind(key.collection), revision: row.revision });
        refusals.push({ where: `delete[${index}]`, document: key, error });
      }
    } else {
      const error =
        reach === 'visible'
          ? failPermission({ kind: 'document', level: 'change' })
          : fail('record.not_found', describeDocument(key, scope.version));
      refusals.push({ where: `delete[${index}]`, document: key, error });
    }
  }
  if (body.prune?.version === scope.version) {
    const kept = new Set(body.documents.map(({ collection, name, version }) => `${version}/${collection}/${name}`));
    const labelled = await findLabelled(tx, scope, body.prune.labels);
    const reach = await readReach(work, labelled);
    for (const row of labelled) {
      if (kept.has(`${row.version}/${row.collection}/${row.name}`) || reach(row) === 'hidden') continue;
      if (reach(row) === 'enough') deleted.set(row.id, row);
      else
        refusals.push({ where: 'prune', document: row, error: failPermission({ kind: 'document', level: 'change' }) });
    }
  }
  return [...deleted.values()];
}

/** The row changed (or was recreated) after the caller read it. */
function isOther(
  row: DocumentRow,
  { id = row.id, revision = row.revision }: { id?: string | undefined; revision?: number | undefined },
) {
  return row.id !== id || row.revision !== revision;
}

function requireDistinct(body: ApplyBody): void {
  const seen = new Map<string, string>();
  const details: Violation[] = [];
  const visit = (key: { collection: string; name: string; version: string }, path: string) => {
    const id = `${key.version}/${key.collection}/${key.name}`;
    const first = seen.get(id);
    if (first === undefined) seen.set(id, path);
    else details.push({ path, rule: 'unique', message: `is the same document as ${first}` });
  };
  for (const [i, document] of body.documents.entries()) visit(document, `documents[${i}]`);
  for (const [i, key] of (body.delete ?? []).entries()) visit(key, `delete[${i}]`);
  if (details[0]) {
    throw fail('request.invalid', { reason: `${details[0].path} ${details[0].message}` }, { details });
  }
}

function versionsOf(body: ApplyBody): string[] {
  const versions = [...body.documents, ...(body.delete ?? [])].map(({ version }) => version);
  if (body.prune) versions.push(body.prune.version);
  return [...new Set(versions)].sort();
}

async function loadApis(envoyApis: EnvoyApis, versions: readonly string[]) {
  const loaded = await Promise.all(versions.map(async (version) => [version, await envoyApis.get(version)] as const));
  return new Map(loaded);
}

function toResults({ written, deleted }: Applied, now: Date) {
  return [
    ...written.map(({ row, outcome, changes, checked }) => {
      const warnings = [...checked.warnings, ...warnOfCertificate(row, now)];
      return {
        collection: row.collection,
        name: row.name,
        version: row.version,
        outcome: outcome as string,
        revision: row.revision as number | null,
        ...(changes.length > 0 && { diff: changes }),
        ...(warnings.length > 0 && { warnings }),
      };
    }),
    ...deleted.map(({ collection, name, version }) => ({
      collection,
      name,
      version,
      outcome: 'deleted',
      revision: null,
    })),
  ];
}

function toAudit(results: ReturnType<typeof toResults>) {
  return {
    documents: results
      .filter(({ outcome }) => outcome !== 'unchanged')
      .map(({ collection, name, version, outcome, revision }) => ({ collection, name, version, outcome, revision })),
  };
}

async function reachOf(
  { deps, tx, reader }: { deps: DocumentServiceDeps; tx: Tx; reader: Reader | undefined },
  applied: readonly Applied[],
) {
  const services = new Map<string, { id: string; name: string }>();
  const nodes = new Set<string>();
  for (const { scope, written, deleted } of applied) {
    const changed = written.filter(({ outcome }) => outcome !== 'unchanged');
    const reach = await describeReach(tx, scope, [...changed, ...deleted], { listNodes: deps.listNodes, reader });
    for (const service of reach.services) services.set(service.id, service);
    for (const node of reach.nodes) nodes.add(node);
  }
  return { services: [...services.values()], nodes: [...nodes] };
}

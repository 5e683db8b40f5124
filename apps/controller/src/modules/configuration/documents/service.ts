import { fail, failDocument } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { publish } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import { readerOf } from '../../../platform/auth/index.ts';
import { shortenChange } from '../../../platform/http/audit-diff.ts';
import { actorName, type Reply, type RequestContext, type WriteOutcome } from '../../../platform/http/context.ts';
import { requireMatch, tagOf } from '../../../platform/http/etag.ts';
import { mergePatch } from '../../../platform/json/merge-patch.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import type { EnvoyApis } from '../proxy-versions/index.ts';
import { checkBatch } from './batch.ts';
import { type CheckPorts, checkListenerPorts } from './listener-ports.ts';
import { describeChanges, describeDocument, describeKind, toDocument, warnOfCertificate } from './model.ts';
import { decryptParts } from './private-parts.ts';
import { describeReach, type ListNodes } from './reach.ts';
import {
  type DocumentKey,
  type DocumentRow,
  deleteDocuments,
  findDocument,
  findRevision,
  listDefinedNames,
  lockScope,
  type Scope,
} from './store.ts';
import type { CommentEntry } from './tables.ts';
import {
  type DocumentInput,
  fullResource,
  type OpenedDocument,
  openDocument,
  type WriteResult,
  writeDocument,
} from './write-one.ts';

export interface DocumentServiceDeps {
  readonly db: Db;
  readonly envoyApis: EnvoyApis;
  readonly keyring: Keyring;
  /** Node ids of services, for dry runs. */
  readonly listNodes: ListNodes;
  readonly checkPorts: CheckPorts;
}

export interface WrittenBody {
  readonly type?: string | undefined;
  readonly description?: string | null | undefined;
  readonly labels?: Record<string, string> | undefined;
  readonly comments?: readonly CommentEntry[] | undefined;
  readonly resource: Record<string, unknown>;
}

export interface PatchBody {
  readonly description?: string | null | undefined;
  readonly labels?: Record<string, string | null> | null | undefined;
  readonly resource?: Record<string, unknown> | undefined;
}

/** Writes single documents: load and lock, check, store, publish. See README for the rules. */
export class DocumentService {
  readonly #deps: DocumentServiceDeps;

  constructor(deps: DocumentServiceDeps) {
    this.#deps = deps;
  }

  create(ctx: RequestContext, scope: Scope, key: DocumentKey, body: WrittenBody): Promise<Reply> {
    return this.#change(ctx, scope, key, (before) => {
      if (before) throw fail('record.exists', describeDocument(key, scope.version));
      return toWanted(body);
    });
  }

  replace(ctx: RequestContext, scope: Scope, key: DocumentKey, body: WrittenBody): Promise<Reply> {
    return this.#change(ctx, scope, key, (before) => {
      requireFound(before, key, scope);
      return toWanted(body);
    });
  }

  patch(ctx: RequestContext, scope: Scope, key: DocumentKey, body: PatchBody): Promise<Reply> {
    return this.#change(ctx, scope, key, (before) => {
      const { content, parts } = requireFound(before, key, scope);
      const full = fullResource({ content, parts });
      const written = (body.resource ?? {}) as JsonObject;
      return {
        type: undefined,
        description: body.description === undefined ? content.description : body.description,
        labels: body.labels === undefined ? content.labels : (mergePatch(content.labels, body.labels ?? {}) as never),
        ...(body.labels === null && { labels: {} }),
        comments: undefined,
        resource: body.resource === undefined ? full : (mergePatch(full, written) as JsonObject),
        written,
        keepsPrivate: false,
      };
    });
  }

  restore(ctx: RequestContext, scope: Scope, key: DocumentKey, revision: number): Promise<Reply> {
    return this.#change(ctx, scope, key, async (before, tx) => {
      const { row } = requireFound(before, key, scope);
      const old = await findRevision(tx, row.id, revision);
      if (!old) throw fail('record.not_found', { kind: 'revision', name: revision });
      const parts = decryptParts(this.#deps.keyring, row.id, old.sealed);
      const resource = fullResource({ content: { visible: old.resource as JsonObject }, parts });
      return {
        type: undefined,
        description: old.description,
        labels: old.labels,
        comments: old.comments,
        resource,
        written: resource,
        keepsPrivate: false,
      };
    });
  }

  async remove(ctx: RequestContext, scope: Scope, key: DocumentKey): Promise<Reply> {
    return ctx.write(async (tx) => {
      await lockScope(tx, scope);
      const row = await findDocument(tx, scope, key);
      if (!row) throw fail('record.not_found', describeDocument(key, scope.version));
      requireMatch(ctx, describeKind(key.collection), row);
      const before = openDocument(this.#deps.keyring, row);
      const names = await listDefinedNames(tx, row.id);
      await deleteDocuments(tx, [row.id]);
      throwFirst(await checkBatch(tx, scope, { written: [], lostNames: names, reader: readerOf(ctx) }));
      const reach = ctx.dryRun
        ? await describeReach(tx, scope, [key], { listNodes: this.#deps.listNodes, reader: readerOf(ctx) })
        : undefined;
      await announce(tx, scope, [row], ctx.now);
      const diff = describeChanges(before, undefined);
      const body = reach && { document: null, diff, ...reach };
      return { reply: { body }, audit: auditOf(row, { deleted: true }) };
    });
  }

  async #change(
    ctx: RequestContext,
    scope: Scope,
    key: DocumentKey,
    decide: (before: OpenedDocument | undefined, tx: Tx) => DocumentInput | Promise<DocumentInput>,
  ): Promise<Reply> {
    // Loaded before the transaction: the first use of a version may have to download its Envoy.
    const api = await this.#deps.envoyApis.get(scope.version);
    return ctx.write(async (tx) => {
      await lockScope(tx, scope);
      const row = await findDocument(tx, scope, key);
      const before = row && openDocument(this.#deps.keyring, row);
      if (row) requireMatch(ctx, describeKind(key.collection), row);
      const wanted = await decide(before, tx);
      const options = {
        api,
        keyring: this.#deps.keyring,
        mayReachHost: ctx.project.role === 'owner',
        stamp: { at: ctx.now, by: actorName(ctx) },
      };
      const written = await writeDocument(tx, scope, key, { before, wanted, options });
      const batch = { written: [written], lostNames: written.lostNames, reader: readerOf(ctx) };
      throwFirst(await checkBatch(tx, scope, batch));
      throwFirst(await checkListenerPorts(this.#deps.checkPorts, tx, scope, batch));
      if (written.outcome !== 'unchanged') await announce(tx, scope, [written.row], ctx.now);
      return this.#answer(ctx, scope, { tx, written });
    });
  }

  async #answer(
    ctx: RequestContext,
    scope: Scope,
    { tx, written }: { tx: Tx; written: WriteResult },
  ): Promise<WriteOutcome> {
    const { row, checked, changes } = written;
    const document = toDocument(row, [...checked.warnings, ...warnOfCertificate(row, ctx.now)]);
    const audit = auditOf(row, { revision: row.revision, diff: changes.map(shortenChange) });
    const isUnchanged = written.outcome === 'unchanged';
    if (ctx.dryRun) {
      const reach = await describeReach(tx, scope, [written], {
        listNodes: this.#deps.listNodes,
        reader: readerOf(ctx),
      });
      return { reply: { body: { document, diff: changes, ...reach } }, audit, isUnchanged };
    }
    const shows = [{ kind: 'document', id: row.id }] as const;
    return { reply: { body: document, etag: tagOf(row), location: locationOf(row) }, audit, isUnchanged, shows };
  }
}

export function toWanted(body: WrittenBody): DocumentInput {
  return {
    type: body.type,
    description: body.description ?? null,
    labels: body.labels ?? {},
    comments: body.comments,
    resource: body.resource as JsonObject,
    written: body.resource as JsonObject,
    keepsPrivate: true,
  };
}

/** Publishes the change to the snapshots, in its transaction. */
export async function announce(
  tx: Tx,
  scope: Scope,
  rows: readonly Pick<DocumentRow, 'id' | 'collection' | 'name'>[],
  at: Date,
): Promise<void> {
  const keys = rows.map(({ collection, name }) => `${collection}/${name}`);
  const payload = { project: scope.project, version: scope.version, ids: rows.map(({ id }) => id), keys };
  await publish(tx, 'documents.changed', payload, at);
}

function requireFound(
  before: OpenedDocument | undefined,
  key: DocumentKey,
  scope: Pick<Scope, 'version'>,
): OpenedDocument {
  if (!before) throw fail('record.not_found', describeDocument(key, scope.version));
  return before;
}

export function throwFirst(problems: readonly { error: Error }[]): void {
  if (problems[0]) throw problems[0].error;
}

function auditOf(row: DocumentRow, changes: Record<string, unknown>) {
  return {
    type: row.collection,
    id: row.id,
    name: row.name,
    changes: { version: row.version, ...changes },
  };
}

function locationOf(row: DocumentRow): string {
  return `/api/v3/xds/${row.collection}/${encodeURIComponent(row.name)}?version=${row.version}`;
}

/** The body may repeat the project and the identity of the document, but not change them. */
export function requireSame(field: string, given: string | undefined, actual: string): void {
  if (given !== undefined && given !== actual) throw failDocument('document.identity', { field });
}

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { API_DOCUMENTS_PATH, apiDocumentRoutes, fail } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { actorName, type RequestContext } from '../../../platform/http/context.ts';
import { requireMatch } from '../../../platform/http/etag.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { UploadSlots } from '../../../platform/http/upload-slots.ts';
import { checkScope, readScopeQuery } from './documents.ts';
import {
  deleteDocument,
  deleteVersion,
  insertVersion,
  lockByName,
  lockDocument,
  type ScopeValues,
  updateScope,
} from './import-store.ts';
import { type ApiDocumentDeps, createReportRoutes } from './report-routes.ts';
import { findDocument, findVersion, listDocuments, listVersions, readFile } from './store.ts';
import { readUpload } from './upload.ts';

export function createApiDocumentRoutes(deps: ApiDocumentDeps): Route[] {
  const slots = new UploadSlots();
  return [
    ...createReportRoutes(deps, slots),
    ...createReadRoutes(),
    createImportRoute(deps, slots),
    createScopeRoute(),
    ...createDeleteRoutes(),
  ];
}

function createReadRoutes(): Route[] {
  return [
    implement(apiDocumentRoutes.list, async (ctx, { query }) => ({
      body: await listDocuments(ctx.db, ctx.project.id, query),
    })),
    implement(apiDocumentRoutes.get, async (ctx, { params }) => {
      const document = await findDocument(ctx.db, ctx.project.id, params.document_id);
      return { body: document, etag: document.revision };
    }),
    implement(apiDocumentRoutes.versions, async (ctx, { params, query }) => {
      const { id } = await findDocument(ctx.db, ctx.project.id, params.document_id);
      return { body: await listVersions(ctx.db, { projectId: ctx.project.id, documentId: id }, query) };
    }),
    implement(apiDocumentRoutes.text, async (ctx, { params: { document_id: id, number } }) => {
      const { name } = await findDocument(ctx.db, ctx.project.id, id);
      const file = await readFile(ctx.db, ctx.project.id, { id, number });
      return {
        body: file,
        // A browser must never show it: the file is of somebody else.
        contentType: 'application/octet-stream',
        headers: { 'content-disposition': `attachment; filename="${name}-${number}.${extensionOf(file)}"` },
      };
    }),
  ];
}

function extensionOf(file: Buffer): 'json' | 'yaml' {
  return /^\s*\{/.test(file.toString('utf8', 0, 64)) ? 'json' : 'yaml';
}

function createImportRoute({ reader }: ApiDocumentDeps, slots: UploadSlots): Route {
  return implement(apiDocumentRoutes.import, (ctx, { query }) =>
    slots.hold(ctx.project.id, async () => {
      const scope = readScopeQuery(query);
      const file = await readUpload(ctx);
      const read = await reader.read(ctx.project.id, file);
      const sha256 = createHash('sha256').update(file).digest('hex');
      return ctx.write(async (tx) => {
        const projectId = ctx.project.id;
        const by = actorName(ctx);
        const document = await lockByName(tx, { projectId, name: query.name, by, now: ctx.now });
        const before = document.currentNumber;
        const isSame = before !== null && (await isCurrent(tx, ctx, { id: document.id, number: before, sha256 }));
        const number = isSame
          ? before
          : await insertVersion(
              tx,
              { projectId, document, name: query.name },
              { head: read.head, operations: read.operations, file, sha256, by, now: ctx.now },
            );
        const isScoped = scope !== undefined && (await setScope(tx, ctx, { id: document.id, scope }));
        const body = await findDocument(tx, projectId, document.id);
        return {
          reply: { body, etag: body.revision, location: `${API_DOCUMENTS_PATH}/${document.id}` },
          audit: {
            type: 'api_document',
            id: document.id,
            name: body.name,
            changes: { number: [before, number], operation_count: read.head.operationCount, ...(scope && { scope }) },
          },
          isUnchanged: isSame && !isScoped,
        };
      });
    }),
  );
}

async function isCurrent(
  tx: Tx,
  ctx: RequestContext,
  { id, number, sha256 }: { readonly id: string; readonly number: number; readonly sha256: string },
): Promise<boolean> {
  return (await findVersion(tx, ctx.project.id, { id, number })).sha256 === sha256;
}

/** False if the document has this scope already. */
async function setScope(
  tx: Tx,
  ctx: RequestContext,
  { id, scope }: { readonly id: string; readonly scope: ScopeValues },
): Promise<boolean> {
  const { listener_name, host_prefixes, path_prefixes } = await findDocument(tx, ctx.project.id, id);
  if (isDeepStrictEqual({ listener_name, host_prefixes, path_prefixes }, scope)) return false;
  await updateScope(tx, id, { scope, by: actorName(ctx), now: ctx.now });
  return true;
}

function createScopeRoute(): Route {
  return implement(apiDocumentRoutes.setScope, (ctx, { params: { document_id: id }, body }) => {
    checkScope(body);
    return ctx.write(async (tx) => {
      await requireDocument(tx, ctx, id);
      const before = await findDocument(tx, ctx.project.id, id);
      const isChanged = await setScope(tx, ctx, { id, scope: body });
      const after = await findDocument(tx, ctx.project.id, id);
      const { listener_name, host_prefixes, path_prefixes } = before;
      return {
        reply: { body: after, etag: after.revision },
        audit: {
          type: 'api_document',
          id,
          name: after.name,
          changes: { scope: [{ listener_name, host_prefixes, path_prefixes }, body] },
        },
        isUnchanged: !isChanged,
      };
    });
  });
}

/** Locks the document. Throws record.not_found or record.stale. */
async function requireDocument(tx: Tx, ctx: RequestContext, id: string) {
  const document = await lockDocument(tx, ctx.project.id, id);
  if (document === undefined) throw fail('record.not_found', { kind: 'API document', name: id });
  requireMatch(ctx, 'API document', document.revision);
  return document;
}

function createDeleteRoutes(): Route[] {
  return [
    implement(apiDocumentRoutes.delete, (ctx, { params: { document_id: id } }) =>
      ctx.write(async (tx) => {
        const { name, currentNumber } = await requireDocument(tx, ctx, id);
        await deleteDocument(tx, id, ctx.now);
        return { reply: {}, audit: { type: 'api_document', id, name, changes: { number: [currentNumber, null] } } };
      }),
    ),
    implement(apiDocumentRoutes.deleteVersion, (ctx, { params: { document_id: id, number } }) =>
      ctx.write(async (tx) => {
        const { name, currentNumber } = await requireDocument(tx, ctx, id);
        await findVersion(tx, ctx.project.id, { id, number });
        const newest = await deleteVersion(tx, { id, number }, { by: actorName(ctx), now: ctx.now });
        const after = currentNumber === number ? newest : currentNumber;
        return {
          reply: {},
          audit: { type: 'api_document', id, name, changes: { deleted: number, number: [currentNumber, after] } },
        };
      }),
    ),
  ];
}

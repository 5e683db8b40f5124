import { Buffer } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  API_DOCUMENT_CHANGES_MAX,
  API_DOCUMENT_DAYS_DEFAULT,
  apiDocumentReportRoutes,
  fail,
  LIST_LIMIT_DEFAULT,
} from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { UploadSlots } from '../../../platform/http/upload-slots.ts';
import { toYaml } from '../inventory/index.ts';
import { compare, ItemPage, toSeen, whyExcluded } from './compare.ts';
import type { DocumentReader } from './document-reader.ts';
import { loadIndexes, readScopeQuery } from './documents.ts';
import { compareVersions } from './model/breaking.ts';
import { DocumentIndex, judge, toItem } from './model/comparison.ts';
import type { DocumentOperation } from './model/document.ts';
import { compileScope } from './model/scope.ts';
import { readOperations } from './operations-store.ts';
import { createDocumentPatch } from './patch.ts';
import { readPosition, toPosition } from './position.ts';
import { findSeen, readDetails, readSeen } from './seen-store.ts';
import { findDocument, findNumberBefore, findVersion, toScope } from './store.ts';
import { readUpload } from './upload.ts';

const DAY_MS = 86_400_000;
const SAMPLES = 20;
const MEDIA = { yaml: 'application/yaml', json: 'application/json' } as const;

export interface ApiDocumentDeps {
  readonly reader: DocumentReader;
}

export function createReportRoutes(deps: ApiDocumentDeps, slots: UploadSlots): Route[] {
  return [
    createDifferencesRoute(),
    createCheckRoute(deps, slots),
    createPreviewRoute(),
    createPatchRoute(),
    createBreakingRoute(),
    createOperationRoute(),
  ];
}

export function windowOf(ctx: Pick<RequestContext, 'now'>, days = API_DOCUMENT_DAYS_DEFAULT) {
  return { days, since: new Date(ctx.now.getTime() - days * DAY_MS) };
}

function describe(ctx: RequestContext, indexes: readonly DocumentIndex[], days: number | undefined) {
  const { since, days: used } = windowOf(ctx, days);
  return {
    documents: indexes.map(({ document: { id, name, number } }) => ({ id, name, number })),
    source: 'inventory',
    days: used,
    since: since.toISOString(),
    restricted: isRestricted(ctx),
  } as const;
}

/** Members of a restricted project may not see every service. */
function isRestricted(ctx: RequestContext): boolean {
  return ctx.project.reader !== undefined;
}

function createDifferencesRoute(): Route {
  return implement(apiDocumentReportRoutes.differences, async (ctx, { query }) => {
    const { document_id: only, number, kind: kinds, limit = LIST_LIMIT_DEFAULT, cursor, q, days } = query;
    if (only !== undefined) await findDocument(ctx.db, ctx.project.id, only);
    if (number !== undefined && only === undefined) {
      const details = [{ path: 'number', rule: 'needs', message: 'needs document_id' }];
      throw fail('request.invalid', { reason: 'number needs document_id' }, { details });
    }
    const instead = only !== undefined && number !== undefined ? { id: only, number } : undefined;
    const indexes = await loadIndexes(ctx.db, ctx.project.id, instead);
    const page = new ItemPage({ limit, after: readPosition(cursor), kinds, q });
    const counts = await compare({
      db: ctx.db,
      projectId: ctx.project.id,
      indexes,
      only,
      since: windowOf(ctx, days).since,
      isRestricted: isRestricted(ctx),
      take: page.take,
    });
    const { items, next } = page.close();
    return { body: { items, next_cursor: toPosition(next), ...counts, ...describe(ctx, indexes, days) } };
  });
}

function createCheckRoute({ reader }: ApiDocumentDeps, slots: UploadSlots): Route {
  return implement(apiDocumentReportRoutes.check, (ctx, { query }) =>
    slots.hold(ctx.project.id, async () => {
      const { kind: kinds, limit = LIST_LIMIT_DEFAULT, days } = query;
      const given = readScopeQuery(query) ?? { listener_name: '', host_prefixes: null, path_prefixes: null };
      const { head, operations } = await reader.read(ctx.project.id, await readUpload(ctx));
      const scope = toScope(
        {
          listener_name: given.listener_name,
          host_prefixes: given.host_prefixes && [...given.host_prefixes],
          path_prefixes: given.path_prefixes && [...given.path_prefixes],
        },
        head.servers,
      );
      const { servers, keyQuery } = head;
      const index = new DocumentIndex({ id: null, name: head.title, number: 0, servers, keyQuery, scope });
      for (const part of operations) {
        index.add(JSON.parse(part) as DocumentOperation[]);
        await nextTurn();
      }
      const page = new ItemPage({ limit, kinds });
      const counts = await compare({
        db: ctx.db,
        projectId: ctx.project.id,
        indexes: [index],
        only: null,
        since: windowOf(ctx, days).since,
        isRestricted: isRestricted(ctx),
        take: page.take,
      });
      const { items, matched } = page.close();
      const facts = { ...counts, ...describe(ctx, [index], days), scope, warnings: head.warnings };
      return { body: { items, omitted: matched - items.length, ...facts } };
    }),
  );
}

function createPreviewRoute(): Route {
  return implement(apiDocumentReportRoutes.previewScope, async (ctx, { query }) => {
    const given = readScopeQuery(query);
    const scope = compileScope({
      listener_name: given?.listener_name ?? '',
      host_prefixes: [...(given?.host_prefixes ?? [])],
      path_prefixes: [...(given?.path_prefixes ?? [])],
    });
    let matched = 0;
    let operation_count = 0;
    const samples: { operation_id: string; method: 'GET'; host: string; path: string }[] = [];
    for await (const rows of readSeen(ctx.db, ctx.project.id, windowOf(ctx, query.days).since)) {
      for (const row of rows) {
        if (whyExcluded(row) !== undefined) continue;
        operation_count += 1;
        if (!scope.matches(row)) continue;
        matched += 1;
        const { id: operation_id, host, path } = row;
        if (samples.length < SAMPLES) samples.push({ operation_id, method: row.method as 'GET', host, path });
      }
    }
    return { body: { matched, operation_count, samples } };
  });
}

function createPatchRoute(): Route {
  return implement(apiDocumentReportRoutes.patch, async (ctx, { params: { document_id: id }, query }) => {
    const { format = 'yaml', days } = query;
    const document = await findDocument(ctx.db, ctx.project.id, id);
    const patch = await createDocumentPatch({
      db: ctx.db,
      projectId: ctx.project.id,
      document,
      since: windowOf(ctx, days).since,
    });
    const text = format === 'json' ? `${JSON.stringify(patch, null, 2)}\n` : toYaml(patch);
    return {
      body: Buffer.from(text),
      contentType: MEDIA[format],
      headers: { 'content-disposition': `attachment; filename="${document.name}-patch.${format}"` },
    };
  });
}

function createBreakingRoute(): Route {
  return implement(apiDocumentReportRoutes.breakingChanges, async (ctx, { params: { document_id: id }, query }) => {
    const document = await findDocument(ctx.db, ctx.project.id, id);
    const to_number = query.to_number ?? document.version.number;
    const from_number =
      query.from_number ?? (await findNumberBefore(ctx.db, ctx.project.id, { id, number: to_number }));
    if (from_number === undefined)
      throw fail('record.not_found', { kind: 'version', name: `before number ${to_number}` });
    const older = await loadVersion(ctx.db, ctx.project.id, { id, number: from_number });
    const newer = await loadVersion(ctx.db, ctx.project.id, { id, number: to_number });
    await nextTurn();
    const { changes, added } = compareVersions(older, newer);
    const items = changes.slice(0, API_DOCUMENT_CHANGES_MAX);
    const omitted = changes.length - items.length;
    return { body: { from_number, to_number, items, omitted, added_operations: added } };
  });
}

async function loadVersion(db: Db, projectId: string, version: { readonly id: string; readonly number: number }) {
  const { parts } = await findVersion(db, projectId, version);
  const operations: DocumentOperation[] = [];
  for await (const part of readOperations(db, projectId, version)) operations.push(...part);
  return { servers: parts.servers, operations };
}

function createOperationRoute(): Route {
  return implement(apiDocumentReportRoutes.ofOperation, async (ctx, { params: { operation_id: id } }) => {
    const row = await findSeen(ctx.db, ctx.project.id, id);
    if (row === undefined) throw fail('record.not_found', { kind: 'operation', name: id });
    if (whyExcluded(row) !== undefined) return { body: { item: null } };
    const indexes = await loadIndexes(ctx.db, ctx.project.id);
    const details = await readDetails(ctx.db, ctx.project.id, [id]);
    return { body: { item: toItem(judge(indexes, toSeen(row)), details.get(id)) } };
  });
}

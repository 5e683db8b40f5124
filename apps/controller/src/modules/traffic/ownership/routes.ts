import { Buffer } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import {
  type ApiOwnerRule,
  apiOwnerRoutes,
  fail,
  LIST_LIMIT_DEFAULT,
  OWNER_EXPORT_MAX,
  type OwnedOperation,
} from '@flotilla/contract';
import { actorName, type RequestContext } from '../../../platform/http/context.ts';
import { requireMatch } from '../../../platform/http/etag.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { parseHostPrefix, readPosition, toPosition } from '../api-documents/index.ts';
import { CSV_HEAD, toCsvLine } from './model/csv.ts';
import { compileRules } from './model/evaluate.ts';
import { toOwned } from './model/owned.ts';
import { RulePreview } from './model/preview.ts';
import { TeamTotals } from './model/teams.ts';
import { findOwnedRow, readOwnedRows } from './owned-store.ts';
import { compileFilter, OwnedPage } from './select.ts';
import {
  deleteOverride,
  findOverride,
  listOverrides,
  lockRules,
  readOverrides,
  readRules,
  writeOverride,
  writeRules,
} from './store.ts';

export function createOwnershipRoutes(): Route[] {
  return [...createRuleRoutes(), ...createViewRoutes(), ...createOverrideRoutes()];
}

function createRuleRoutes(): Route[] {
  return [
    implement(apiOwnerRoutes.rules, async (ctx) => {
      const body = await readRules(ctx.db, ctx.project.id);
      return { body, etag: body.revision };
    }),
    implement(apiOwnerRoutes.replaceRules, (ctx, { body: { rules } }) => {
      checkRules(rules);
      return ctx.write(async (tx) => {
        const before = await lockRules(tx, ctx.project.id);
        requireMatch(ctx, 'rules of API owners', before.revision);
        const isUnchanged = isDeepStrictEqual(before.rules, rules);
        const author = { by: actorName(ctx), now: ctx.now };
        if (!isUnchanged) await writeRules(tx, ctx.project.id, { rules, revision: before.revision + 1, ...author });
        const body = await readRules(tx, ctx.project.id);
        return {
          reply: { body, etag: body.revision },
          audit: { type: 'api_owners', changes: { rules: [before.rules.length, rules.length] } },
          isUnchanged,
        };
      });
    }),
    implement(apiOwnerRoutes.preview, async (ctx, { body: { rules } }) => {
      checkRules(rules);
      const evaluate = compileRules(rules);
      const preview = new RulePreview(rules);
      for await (const rows of readOwnedRows(ctx.db, ctx.project.id))
        for (const row of rows) preview.add(row, evaluate(row));
      return { body: preview.close() };
    }),
  ];
}

/** Throws request.invalid. */
function checkRules(rules: readonly ApiOwnerRule[]): void {
  const details = rules.flatMap(({ match: { host_prefix: host } }, index) =>
    host === '' || parseHostPrefix(host) !== undefined
      ? []
      : [{ path: `rules.${index}.match.host_prefix`, rule: 'host', message: 'is not a host such as api.example.com' }],
  );
  const [first] = details;
  if (first !== undefined) throw fail('request.invalid', { reason: `${first.path} ${first.message}` }, { details });
}

async function prepare(ctx: RequestContext) {
  const { rules } = await readRules(ctx.db, ctx.project.id);
  const overrides = await readOverrides(ctx.db, ctx.project.id);
  return { evaluate: compileRules(rules), overrides, names: rules.map(({ name }) => name) };
}

function createViewRoutes(): Route[] {
  return [
    implement(apiOwnerRoutes.teams, async (ctx) => {
      const { evaluate, overrides } = await prepare(ctx);
      const totals = new TeamTotals();
      for await (const rows of readOwnedRows(ctx.db, ctx.project.id))
        for (const row of rows) totals.add(row, evaluate(row, overrides.get(row.id)));
      return { body: totals.close() };
    }),
    implement(apiOwnerRoutes.operations, async (ctx, { query }) => {
      const { limit = LIST_LIMIT_DEFAULT, cursor, project: _, ...filter } = query;
      const page = new OwnedPage(limit, readPosition(cursor));
      const fits = compileFilter(filter);
      for await (const operation of readOwned(ctx)) if (fits(operation)) page.take(operation);
      const { items, next } = page.close();
      return { body: { items, next_cursor: toPosition(next) } };
    }),
    implement(apiOwnerRoutes.export, async (ctx, { query: { project: _, ...filter } }) => {
      const lines = [CSV_HEAD];
      const fits = compileFilter(filter);
      for await (const operation of readOwned(ctx)) {
        if (lines.length > OWNER_EXPORT_MAX) break;
        if (fits(operation)) lines.push(toCsvLine(operation));
      }
      const name = `api-owners-${ctx.now.toISOString().slice(0, 10)}.csv`;
      return {
        body: Buffer.from(lines.join('')),
        contentType: 'text/csv; charset=utf-8',
        headers: { 'content-disposition': `attachment; filename="${name}"`, 'cache-control': 'no-store' },
      };
    }),
  ];
}

/** Reads in parts, so that other requests run in between. */
async function* readOwned(ctx: RequestContext): AsyncGenerator<OwnedOperation> {
  const { evaluate, overrides, names } = await prepare(ctx);
  for await (const rows of readOwnedRows(ctx.db, ctx.project.id))
    for (const row of rows) yield toOwned(row, { evaluate, override: overrides.get(row.id), names });
}

function createOverrideRoutes(): Route[] {
  return [
    implement(apiOwnerRoutes.overrides, async (ctx, { query: { limit, cursor } }) => ({
      body: await listOverrides(ctx.db, ctx.project.id, {
        page: { limit, cursor },
        isRestricted: ctx.project.reader !== undefined,
      }),
    })),
    implement(apiOwnerRoutes.get, async (ctx, { params: { operation_id: id } }) => {
      const row = await findOwnedRow(ctx.db, ctx.project.id, id);
      if (row === undefined) throw unknownOperation(id);
      const { evaluate, overrides, names } = await prepare(ctx);
      const override = overrides.get(id);
      return { body: { operation: toOwned(row, { evaluate, override, names }), override: override ?? null } };
    }),
    implement(apiOwnerRoutes.override, (ctx, { params: { operation_id: id }, body }) =>
      ctx.write(async (tx) => {
        const row = await findOwnedRow(tx, ctx.project.id, id);
        if (row === undefined) throw unknownOperation(id);
        const before = await findOverride(tx, ctx.project.id, id);
        const isUnchanged = isDeepStrictEqual(before, body);
        if (!isUnchanged)
          await writeOverride(tx, ctx.project.id, { id, given: body, by: actorName(ctx), now: ctx.now });
        return {
          reply: { body },
          audit: { ...subjectOf(row), changes: { ownership: [before ?? null, body] } },
          isUnchanged,
        };
      }),
    ),
    implement(apiOwnerRoutes.clearOverride, (ctx, { params: { operation_id: id } }) =>
      ctx.write(async (tx) => {
        const row = await findOwnedRow(tx, ctx.project.id, id);
        const before = await findOverride(tx, ctx.project.id, id);
        if (!(await deleteOverride(tx, ctx.project.id, id)))
          throw fail('record.not_found', { kind: 'override of operation', name: id });
        const subject = row ? subjectOf(row) : { type: 'inventory_operation', id, name: id };
        return { reply: {}, audit: { ...subject, changes: { ownership: [before ?? null, null] } } };
      }),
    ),
  ];
}

function unknownOperation(id: string): Error {
  return fail('record.not_found', { kind: 'operation', name: id });
}

function subjectOf(row: {
  readonly id: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
}) {
  return { type: 'inventory_operation', id: row.id, name: `${row.method} ${row.host}${row.path}` };
}

import {
  FINDING_BULK_MAX,
  FINDING_HISTORY_MAX,
  type FindingBulkAnswer,
  type FindingSelection,
  failFinding,
  findingRoutes,
} from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { actorName, type Reply, type RequestContext, type ShownThing } from '../../../platform/http/context.ts';
import { requireMatch } from '../../../platform/http/etag.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { assignMany, type Counted, decideMany, findMember, listMembers, maySeeAll } from './decision-store.ts';
import { announceFindings, countHistory, insertComment, listHistory } from './history-store.ts';
import { decide, isOpen } from './model/decision.ts';
import { FINDINGS_MAX } from './pass.ts';
import {
  type FindingRow,
  findRow,
  listFindings,
  lockRow,
  readFinding,
  selectIds,
  selectKnownIds,
  summarizeFindings,
} from './store.ts';

const type = 'finding';

export function createFindingRoutes(): Route[] {
  return [...createReadRoutes(), ...createChangeRoutes(), createBulkRoute()];
}

function createReadRoutes(): Route[] {
  return [
    implement(findingRoutes.list, async (ctx, { query }) => ({
      body: await listFindings(ctx.db, ctx.project.id, query),
    })),
    implement(findingRoutes.summary, async (ctx) => ({
      body: await summarizeFindings(ctx.db, ctx.project.id, FINDINGS_MAX),
    })),
    implement(findingRoutes.owners, async (ctx, { query }) => ({
      body: await listMembers(ctx.db, ctx.project.id, query),
    })),
    implement(findingRoutes.get, async (ctx, { params }) => {
      const body = await readFinding(ctx.db, ctx.project.id, params.finding_id);
      return { body, etag: body.revision };
    }),
    implement(findingRoutes.history, async (ctx, { params, query }) => {
      await findRow(ctx.db, ctx.project.id, params.finding_id);
      return { body: await listHistory(ctx.db, ctx.project.id, params.finding_id, query) };
    }),
  ];
}

function createChangeRoutes(): Route[] {
  return [
    implement(findingRoutes.setState, (ctx, { params, body }) => {
      const decided = decide(body, ctx.now);
      return change(ctx, params.finding_id, {
        changes: body,
        apply: (tx, row) => {
          if (!isOpen(row.state)) throw failFinding('finding.closed', { state: row.state });
          return decideMany(tx, changeOf(ctx, [row.id]), decided);
        },
      });
    }),
    implement(findingRoutes.assign, (ctx, { params, body }) =>
      change(ctx, params.finding_id, {
        changes: body,
        apply: (tx, row) => assign(ctx, tx, { ids: [row.id], ownerId: body.owner_id }),
      }),
    ),
    implement(findingRoutes.comment, async (ctx, { params, body }) => {
      await findRow(ctx.db, ctx.project.id, params.finding_id);
      return ctx.write(async (tx) => {
        const row = await lockRow(tx, ctx.project.id, params.finding_id);
        requireMatch(ctx, type, row.revision);
        if ((await countHistory(tx, row.id)) >= FINDING_HISTORY_MAX)
          throw failFinding('finding.too_many_entries', { max: FINDING_HISTORY_MAX });
        const made = { id: createId(ctx.now.getTime()), findingId: row.id, text: body.text };
        const entry = await insertComment(tx, { ...made, projectId: ctx.project.id, now: ctx.now, by: actorName(ctx) });
        await announceFindings(tx, ctx.project.id);
        return { reply: { body: entry }, audit: { ...subjectOf(row), changes: body }, shows: servicesOf(row) };
      });
    }),
  ];
}

interface Change {
  readonly changes: unknown;
  apply(tx: Tx, row: FindingRow): Promise<Counted>;
}

async function change(ctx: RequestContext, id: string, { changes, apply }: Change): Promise<Reply> {
  // The transaction shows the whole project, but a member may only change findings that they see.
  await findRow(ctx.db, ctx.project.id, id);
  return ctx.write(async (tx) => {
    const before = await lockRow(tx, ctx.project.id, id);
    requireMatch(ctx, type, before.revision);
    const { changed } = await apply(tx, before);
    const after = await readFinding(tx, ctx.project.id, before.id);
    return {
      reply: { body: after, etag: after.revision },
      audit: { ...subjectOf(before), changes },
      isUnchanged: changed === 0,
      shows: servicesOf(before),
    };
  });
}

const servicesOf = ({ services }: FindingRow): ShownThing[] => services.map((id) => ({ kind: 'service', id }));

function subjectOf(row: FindingRow) {
  return { type, id: row.id, name: `${row.flag}: ${row.method} ${row.host}${row.path}`.slice(0, 300) };
}

const changeOf = (ctx: RequestContext, ids: readonly string[]) => ({
  projectId: ctx.project.id,
  ids,
  by: actorName(ctx),
  now: ctx.now,
});

/** Throws finding.unknown_owner, or finding.owner_access for a member who may not see all of the findings. */
async function assign(
  ctx: RequestContext,
  tx: Tx,
  { ids, ownerId }: { readonly ids: readonly string[]; readonly ownerId: string | null },
): Promise<Counted> {
  if (ownerId !== null) {
    const name = await findMember(tx, ctx.project.id, ownerId);
    if (name === undefined) throw failFinding('finding.unknown_owner', { id: ownerId });
    if (!(await maySeeAll(tx, ownerId, ids))) throw failFinding('finding.owner_access', { name });
  }
  return assignMany(tx, changeOf(ctx, ids), ownerId);
}

function createBulkRoute(): Route {
  return implement(findingRoutes.changeMany, async (ctx, { body: { select, change: wanted } }) => {
    const decided = 'state' in wanted ? decide(wanted, ctx.now) : undefined;
    // Chosen outside of the transaction, which shows the whole project: a member changes only what they see.
    const { ids, matched } = await choose(ctx, select);
    return ctx.write(async (tx) => {
      const counted = decided
        ? await decideMany(tx, changeOf(ctx, ids), decided)
        : await assign(ctx, tx, { ids, ownerId: 'owner_id' in wanted ? wanted.owner_id : null });
      const answer: FindingBulkAnswer = { matched, ...counted, remaining: matched - ids.length };
      return {
        reply: { body: answer },
        audit: { type, changes: { ...wanted, changed: counted.changed } },
        isUnchanged: counted.changed === 0,
        // Counts alone.
        shows: [],
      };
    });
  });
}

async function choose(ctx: RequestContext, select: FindingSelection) {
  if ('filter' in select) return selectIds(ctx.db, ctx.project.id, { filter: select.filter, max: FINDING_BULK_MAX });
  const ids = await selectKnownIds(ctx.db, ctx.project.id, select.ids);
  return { ids, matched: ids.length };
}

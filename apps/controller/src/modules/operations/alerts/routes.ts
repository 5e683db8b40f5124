import { type AlertView, alertRoutes, RESOURCE_KINDS } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { actorName, type Reply, type RequestContext, type ShownThing } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { parseSilenceEnd } from './silence.ts';
import { acknowledgeAlert, findAlert, listAlerts, lockAlert, silenceAlert, summarizeAlerts } from './store.ts';

export function createAlertRoutes(): Route[] {
  return [
    implement(alertRoutes.list, async (ctx, { query }) => ({ body: await listAlerts(ctx.db, ctx.project.id, query) })),
    implement(alertRoutes.summary, async (ctx) => ({ body: await summarizeAlerts(ctx.db, ctx.project.id) })),
    implement(alertRoutes.get, async (ctx, { params }) => ({
      body: await findAlert(ctx.db, ctx.project.id, params.alert_id),
    })),
    implement(alertRoutes.acknowledge, (ctx, { params, body }) =>
      change(ctx, params.alert_id, {
        changes: body,
        isDone: ({ acknowledged_at }) => (acknowledged_at !== null) === body.acknowledged,
        apply: (tx, { id }) =>
          acknowledgeAlert(tx, id, body.acknowledged ? { at: ctx.now, by: actorName(ctx) } : { at: null, by: null }),
      }),
    ),
    implement(alertRoutes.silence, (ctx, { params, body }) => {
      const until = parseSilenceEnd(body.until, ctx.now);
      return change(ctx, params.alert_id, {
        changes: body,
        isDone: ({ silenced_until }) => silenced_until === (until?.toISOString() ?? null),
        apply: (tx, { id }) => silenceAlert(tx, id, { until, by: until && actorName(ctx) }),
      });
    }),
  ];
}

interface Change {
  readonly changes: unknown;
  isDone(alert: AlertView): boolean;
  apply(tx: Tx, alert: AlertView): Promise<void>;
}

async function change(ctx: RequestContext, alertId: string, { changes, isDone, apply }: Change): Promise<Reply> {
  // The transaction shows the whole project, but a member may only change alerts that they see.
  await findAlert(ctx.db, ctx.project.id, alertId);
  return ctx.write(async (tx) => {
    const before = await lockAlert(tx, ctx.project.id, alertId);
    const isUnchanged = isDone(before);
    if (!isUnchanged) await apply(tx, before);
    const after = await findAlert(tx, ctx.project.id, before.id);
    const name = `${after.rule.name}: ${after.subject.name}`;
    const audit = { type: 'alert', id: after.id, name, changes };
    return { reply: { body: after }, audit, isUnchanged, shows: subjectOf(after) };
  });
}

/** The resource that the alert is about, if permissions can restrict it. */
function subjectOf({ subject: { kind, id } }: AlertView): ShownThing[] {
  const found = RESOURCE_KINDS.find((one) => one === kind);
  return found && id !== null ? [{ kind: found, id }] : [];
}

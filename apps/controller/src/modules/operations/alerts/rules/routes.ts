import { isDeepStrictEqual } from 'node:util';
import { type AlertRuleValues, alertRuleRoutes, alertRuleSchema } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { diffForAudit } from '../../../../platform/http/audit-diff.ts';
import { actorName, type Reply, type RequestContext } from '../../../../platform/http/context.ts';
import { requireMatch } from '../../../../platform/http/etag.ts';
import { implement, type Route } from '../../../../platform/http/route.ts';
import { parseSilenceEnd } from '../silence.ts';
import { deleteRule, findRule, insertRule, listRules, lockRule, silenceRule, updateRule } from './store.ts';

const type = 'alert_rule';

export function createRuleRoutes(): Route[] {
  return [
    implement(alertRuleRoutes.list, async (ctx, { query }) => ({
      body: await listRules(ctx.db, ctx.project.id, query),
    })),
    implement(alertRuleRoutes.create, (ctx, { body }) => {
      const id = createId(ctx.now.getTime());
      return ctx.write(async (tx) => {
        await insertRule(tx, writing(ctx, id), body);
        const made = await findRule(tx, ctx.project.id, id);
        return {
          reply: { body: made, etag: made.revision, location: `${alertRuleRoutes.create.path}/${id}` },
          audit: { type, id, name: made.name, changes: body },
        };
      });
    }),
    implement(alertRuleRoutes.get, async (ctx, { params }) => {
      const found = await findRule(ctx.db, ctx.project.id, params.rule_id);
      return { body: found, etag: found.revision };
    }),
    implement(alertRuleRoutes.replace, (ctx, { params, body }) => change(ctx, params.rule_id, body)),
    implement(alertRuleRoutes.patch, (ctx, { params, body }) => change(ctx, params.rule_id, body)),
    implement(alertRuleRoutes.delete, (ctx, { params: { rule_id: id } }) =>
      ctx.write(async (tx) => {
        const before = await lockRule(tx, ctx.project.id, id);
        requireMatch(ctx, type, before.revision);
        await deleteRule(tx, before.id, ctx.now);
        return { reply: {}, audit: { type, id: before.id, name: before.name } };
      }),
    ),
    implement(alertRuleRoutes.silence, (ctx, { params, body }) => {
      const until = parseSilenceEnd(body.until, ctx.now);
      return ctx.write(async (tx) => {
        const before = await lockRule(tx, ctx.project.id, params.rule_id);
        requireMatch(ctx, type, before.revision);
        await silenceRule(tx, before.id, { until, by: until && actorName(ctx) });
        const after = await findRule(tx, ctx.project.id, before.id);
        return {
          reply: { body: after, etag: after.revision },
          audit: { type, id: after.id, name: after.name, changes: body },
        };
      });
    }),
  ];
}

function change(ctx: RequestContext, id: string, given: Partial<AlertRuleValues>): Promise<Reply> {
  return ctx.write(async (tx) => {
    const before = await lockRule(tx, ctx.project.id, id);
    requireMatch(ctx, type, before.revision);
    const values = toValues({ ...before, ...given });
    const isUnchanged = isDeepStrictEqual(values, toValues(before));
    if (!isUnchanged) await updateRule(tx, writing(ctx, before.id), values);
    const after = await findRule(tx, ctx.project.id, before.id);
    const changes = diffForAudit(toValues(before), toValues(after), alertRuleSchema);
    return {
      reply: { body: after, etag: after.revision },
      audit: { type, id: after.id, name: after.name, changes },
      isUnchanged,
    };
  });
}

function writing(ctx: RequestContext, id: string) {
  return { id, projectId: ctx.project.id, now: ctx.now, by: actorName(ctx) };
}

function toValues(of: AlertRuleValues): AlertRuleValues {
  return {
    name: of.name,
    enabled: of.enabled,
    condition: of.condition,
    for_s: of.for_s,
    severity: of.severity,
    // A set: the order that a caller sends means nothing.
    channels: of.channels.map((id) => id.toLowerCase()).toSorted(),
    quiet_hours: of.quiet_hours,
    repeat_s: of.repeat_s,
    selector: of.selector,
  };
}

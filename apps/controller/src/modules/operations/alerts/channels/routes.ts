import { isDeepStrictEqual } from 'node:util';
import {
  type AlertChannelValues,
  type AlertTarget,
  type AlertTrial,
  alertChannelRoutes,
  alertChannelSchema,
} from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { diffForAudit } from '../../../../platform/http/audit-diff.ts';
import { actorName, type Reply, type RequestContext } from '../../../../platform/http/context.ts';
import { requireMatch } from '../../../../platform/http/etag.ts';
import { implement, type Route } from '../../../../platform/http/route.ts';
import type { Keyring } from '../../../../platform/keyring/index.ts';
import { listDeliveries } from './delivery-views.ts';
import { sealSecret, secretNeeded, splitTarget } from './secrets.ts';
import {
  type ChannelRow,
  type ChannelWrite,
  deleteChannel,
  findChannel,
  insertChannel,
  listChannels,
  lockChannel,
  toChannelView,
  updateChannel,
} from './store.ts';

export interface ChannelDeps {
  readonly keyring: Pick<Keyring, 'encrypt' | 'decrypt'>;
  /** Throws alert_channel.address for an address that the channels of projects may not use. */
  requireAddress(target: AlertTarget): void;
  /** Sends a test message and records it. Resolves also if the receiver does not accept it. */
  sendTest(channel: ChannelRow, by: string): Promise<AlertTrial>;
}

const type = 'alert_channel';

export function createChannelRoutes(deps: ChannelDeps): Route[] {
  return [
    implement(alertChannelRoutes.list, async (ctx, { query }) => ({
      body: await listChannels(ctx.db, ctx.project.id, query),
    })),
    implement(alertChannelRoutes.create, (ctx, { body }) => create(deps, ctx, body)),
    implement(alertChannelRoutes.get, async (ctx, { params }) => {
      const found = await findChannel(ctx.db, ctx.project.id, params.channel_id);
      return { body: toChannelView(found), etag: found.revision };
    }),
    implement(alertChannelRoutes.replace, (ctx, { params, body }) => change(deps, ctx, params.channel_id, body)),
    implement(alertChannelRoutes.patch, (ctx, { params, body }) => change(deps, ctx, params.channel_id, body)),
    implement(alertChannelRoutes.delete, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const before = await lockChannel(tx, ctx.project.id, params.channel_id);
        requireMatch(ctx, type, before.revision);
        await deleteChannel(tx, before);
        return { reply: {}, audit: { type, id: before.id, name: before.name } };
      }),
    ),
    implement(alertChannelRoutes.test, (ctx, { params }) => test(deps, ctx, params.channel_id)),
    implement(alertChannelRoutes.deliveries, async (ctx, { query }) => ({
      body: await listDeliveries(ctx.db, ctx.project.id, query),
    })),
  ];
}

function create(deps: ChannelDeps, ctx: RequestContext, body: AlertChannelValues): Promise<Reply> {
  const id = createId(ctx.now.getTime());
  const values = toWrite(deps, ctx, { id, body });
  return ctx.write(async (tx) => {
    await insertChannel(tx, { id, projectId: ctx.project.id, now: ctx.now, by: actorName(ctx) }, values);
    const made = await findChannel(tx, ctx.project.id, id);
    const location = `${alertChannelRoutes.create.path}/${id}`;
    const changes = { name: made.name, enabled: made.enabled, target: made.target };
    return {
      reply: { body: toChannelView(made), etag: made.revision, location },
      audit: { type, id, name: made.name, changes },
    };
  });
}

function change(deps: ChannelDeps, ctx: RequestContext, id: string, given: Partial<AlertChannelValues>) {
  return ctx.write(async (tx) => {
    const before = await lockChannel(tx, ctx.project.id, id);
    requireMatch(ctx, type, before.revision);
    const body = { name: before.name, enabled: before.enabled, target: before.target, ...given };
    const values = toWrite(deps, ctx, { id: before.id, body, before });
    const isUnchanged =
      values.sealed === before.sealed && isDeepStrictEqual(toComparable(values), toComparable(before));
    if (!isUnchanged) await updateChannel(tx, { id: before.id, now: ctx.now, by: actorName(ctx) }, values);
    const after = await findChannel(tx, ctx.project.id, before.id);
    const changes = diffForAudit(toComparable(before), toComparable(after), alertChannelSchema);
    return {
      reply: { body: toChannelView(after), etag: after.revision },
      audit: { type, id: after.id, name: after.name, changes },
      isUnchanged,
    };
  });
}

interface Given {
  readonly id: string;
  readonly body: AlertChannelValues;
  readonly before?: ChannelRow;
}

/** Throws alert_channel.secret_needed if a secret is neither given nor kept. */
function toWrite(deps: ChannelDeps, ctx: RequestContext, { id, body, before }: Given): ChannelWrite {
  const { name, enabled, target } = body;
  const { shown, secret } = splitTarget(target);
  deps.requireAddress(target);
  if (secret !== undefined) {
    const sealed = sealSecret(deps.keyring, id, secret);
    return { name, enabled, target: shown, sealed, secret_updated_at: ctx.now };
  }
  if (shown.kind === 'email') return { name, enabled, target: shown, sealed: null, secret_updated_at: null };
  if (before?.target.kind !== shown.kind || !before.sealed) throw secretNeeded(shown.kind);
  return { name, enabled, target: shown, sealed: before.sealed, secret_updated_at: before.secret_updated_at };
}

async function test({ sendTest }: ChannelDeps, ctx: RequestContext, id: string): Promise<Reply> {
  const found = await findChannel(ctx.db, ctx.project.id, id);
  if (ctx.dryRun) return { body: { ok: true, latency_ms: 0, message: 'nothing was sent', dry_run: true } };
  return ctx.write(async () => {
    // Outside of the transaction: the receiver may take seconds.
    const trial = await ctx.prepare('test', () => sendTest(found, actorName(ctx)));
    return { reply: { body: trial }, audit: { type, id: found.id, name: found.name, changes: { ok: trial.ok } } };
  });
}

function toComparable({ name, enabled, target }: Pick<ChannelWrite, 'name' | 'enabled' | 'target'>) {
  return { name, enabled, target };
}

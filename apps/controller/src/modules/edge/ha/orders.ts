import { type CommandName, type CommandResultRecord, failHa, type HaPair } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sleep } from '@flotilla/kit';
import type { RequestContext } from '../../../platform/http/context.ts';
import { failStranger } from './checks.ts';
import type { FleetCommands } from './fleet-commands.ts';
import { isActive, isFresh, type PairState, type ReportingMember } from './model.ts';
import { noteHandover } from './pair-store.ts';
import { requirePair } from './service.ts';
import { readPairs } from './state-store.ts';
import { listFresh } from './status.ts';
import { toPairView } from './views.ts';

/** A member that hands over takes its addresses back after 5 s. */
const ANSWER_MAX_MS = 6000;
const HANDOVER_MAX_MS = 10_000;
const LOOK_MS = 250;

interface OrderDeps {
  /** Not of the request: the answer waits for what others write. */
  readonly db: Db;
  readonly commands: FleetCommands;
}

interface Order {
  readonly member: ReportingMember;
  readonly name: CommandName;
  readonly body: Readonly<Record<string, unknown>>;
  readonly changes: unknown;
  /** Members become active in the course of it. */
  readonly movesAddresses: boolean;
}

/** Lets the other member take the addresses. Answers once it has them, or after some seconds. */
export async function failOver(
  ctx: RequestContext,
  deps: OrderDeps,
  { pairId, force }: { pairId: string; force: boolean },
): Promise<HaPair> {
  const sent = await send(ctx, deps, pairId, (pair) => {
    const member = findFailing(pair, ctx.now);
    const changes = { from: member.name, force };
    return { member, name: 'HA SUB_FAILOVER', body: { force }, changes, movesAddresses: true };
  });
  if ('pair' in sent) return sent.pair;
  const result = await deps.commands.untilEnded(sent.result, ANSWER_MAX_MS);
  if (result.outcome === 'refused') {
    await noteHandover(deps.db, pairId, null);
    const extra = { refused: true, reason: result.error?.message };
    throw failHa('ha.refused', {}, { extra });
  }
  if (result.outcome !== 'done') throw failHa('ha.no_answer', {}, { extra: { reason: result.error?.message } });
  const isDone = ({ members }: PairState) =>
    members.some((member) => member.clientId !== result.client_id && isActive(member));
  return toPairView(await waitFor(ctx, deps.db, pairId, isDone), ctx.now);
}

/** The active member. Throws unless it can be asked, and the other one may serve. */
function findFailing(pair: PairState, now: Date): ReportingMember {
  if (pair.members.length < 2) throw failHa('ha.single_member');
  const fresh = listFresh(pair, now);
  if (fresh.length === 0) throw failHa('ha.member_offline');
  const [active] = fresh.filter(isActive);
  if (!active) {
    if (pair.members.some((member) => !isFresh(member, now))) throw failHa('ha.member_offline');
    throw failHa('ha.refused', {}, { extra: { refused: true, reason: 'no member is active' } });
  }
  requireOtherServes(pair, active.clientId);
  return active;
}

function requireOtherServes({ members }: PairState, clientId: string): void {
  const other = members.find((member) => member.clientId !== clientId);
  if (other?.report?.maintenance) throw failHa('ha.other_in_maintenance');
}

/** Begins or ends the maintenance of a member. Answers once it reports so, or after some seconds. */
export async function setMaintenance(
  ctx: RequestContext,
  deps: OrderDeps,
  { pairId, clientId, enabled, force }: { pairId: string; clientId: string; enabled: boolean; force: boolean },
): Promise<HaPair> {
  const sent = await send(ctx, deps, pairId, (pair) => {
    const member = pair.members.find((one) => one.clientId === clientId.toLowerCase());
    if (!member) throw failStranger(clientId);
    if (!member.connected) throw failHa('ha.member_offline');
    if (enabled) requireOtherServes(pair, member.clientId);
    const changes = { member: member.name, enabled, force };
    const movesAddresses = enabled && isActive(member) && pair.members.length > 1;
    return { member, name: 'HA SUB_MAINTENANCE', body: { enabled, force }, changes, movesAddresses };
  });
  if ('pair' in sent) return sent.pair;
  const result = await deps.commands.untilEnded(sent.result, ANSWER_MAX_MS);
  if (result.outcome === 'refused') {
    await noteHandover(deps.db, pairId, null);
    const reason = result.error?.message ?? result.outcome;
    throw failHa('ha.maintenance_refused', { reason }, { extra: { refused: true } });
  }
  if (result.outcome !== 'done') throw failHa('ha.member_no_answer', {}, { extra: { reason: result.error?.message } });
  const isDone = ({ members }: PairState) =>
    members.some((member) => member.clientId === result.client_id && member.report?.maintenance === enabled);
  return toPairView(await waitFor(ctx, deps.db, pairId, isDone), ctx.now);
}

/** Writes the command with its entry in the audit log. A dry run only checks it and returns the pair. */
async function send(
  ctx: RequestContext,
  { commands }: OrderDeps,
  pairId: string,
  plan: (pair: PairState) => Order,
): Promise<{ readonly result: CommandResultRecord } | { readonly pair: HaPair }> {
  const reply = await ctx.write(async (tx) => {
    const { id, project_id: project, name } = await requirePair(tx, ctx, pairId);
    const [pair] = await readPairs(tx, project, id);
    if (!pair) throw failHa('ha.not_found');
    const { member, changes, movesAddresses, ...order } = plan(pair);
    const audit = { type: 'ha_pair', id, name, changes };
    if (ctx.dryRun) return { reply: { body: toPairView(pair, ctx.now) }, audit };
    if (movesAddresses) await noteHandover(tx, id, new Date(ctx.now.getTime() + HANDOVER_MAX_MS));
    const result = await commands.sendInternalWithin(tx, ctx, { ...order, project, clientId: member.clientId });
    return { reply: { body: result }, audit };
  });
  return ctx.dryRun ? { pair: reply.body as HaPair } : { result: reply.body as CommandResultRecord };
}

/** The pair when the condition holds, or after some seconds. */
async function waitFor(
  ctx: RequestContext,
  db: Db,
  pairId: string,
  isDone: (pair: PairState) => boolean,
): Promise<PairState> {
  const endsAt = performance.now() + ANSWER_MAX_MS;
  for (;;) {
    const [pair] = await readPairs(db, ctx.project.id, pairId);
    if (!pair) throw failHa('ha.not_found');
    const isOver = isDone(pair);
    if (isOver && pair.handoverUntil !== null) await noteHandover(db, pairId, null);
    if (isOver) return { ...pair, handoverUntil: null };
    if (performance.now() > endsAt) return pair;
    await sleep(LOOK_MS);
  }
}

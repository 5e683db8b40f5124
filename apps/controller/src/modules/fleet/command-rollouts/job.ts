import { type CommandResultRecord, commandRolloutRoutes, failFleet, selectOperation } from '@flotilla/contract';
import type { JobType, StepContext, StepResult, TargetError } from '../../../platform/jobs/index.ts';
import type { CommandService, PreparedOrder } from '../commands/index.ts';
import {
  decide,
  judge,
  nameClients,
  type RolloutParams,
  type RolloutTarget,
  rolloutSchema,
  splitWaves,
} from './model.ts';
import { insertWave, listTargets, settleWave } from './store.ts';

type Context = StepContext<RolloutParams>;
type Commands = Pick<CommandService, 'prepare' | 'sendWithin' | 'notify' | 'waiting'>;

/** How long a step waits for quick commands before it gives its place to other jobs. */
const STAY_MS = 3000;
const LOOK_AGAIN_MAX_MS = 10_000;

/**
 * Sends a command to clients in waves. The rows of a wave are written with its commands, so a controller that dies sends no wave
 * twice, and another one continues.
 */
export function createRolloutJob(commands: Commands): JobType<RolloutParams> {
  return {
    type: 'commands.rollout',
    title: 'Sends a command to clients in waves',
    params: rolloutSchema,
    route: commandRolloutRoutes.start,
    lockKey: ({ type, sub_type, service }) => `command ${type} ${sub_type} ${service?.id ?? ''}`,
    about: ({ type, sub_type, command }) => {
      const parts = [type, sub_type, selectOperation(type, command)];
      return { type: 'command', name: parts.filter((part) => part !== '').join(' ') };
    },
    steps: [{ name: 'waves', effects: 'database', run: (ctx) => advance(ctx, commands) }],
    onlyFor(params, targets) {
      const names = nameClients(params.clients);
      const wanted = new Set(targets);
      return { ...params, clients: params.clients.filter(({ id }) => wanted.has(names.get(id) ?? id)) };
    },
  };
}

async function advance(ctx: Context, commands: Commands): Promise<StepResult> {
  let hasWaited = false;
  for (;;) {
    ctx.signal.throwIfAborted();
    const targets = await ctx.write((tx) => listTargets(tx, ctx.id));
    const next = decide(ctx.params, targets, new Date());
    switch (next.kind) {
      case 'send':
        await sendWave(ctx, commands, next.wave);
        break;
      case 'wait':
        // Short waits here, long ones without occupying the worker.
        if (hasWaited) {
          await report(ctx, targets);
          const afterMs = Math.min(LOOK_AGAIN_MAX_MS, next.forMs, Math.max(1000, next.sinceMs / 4));
          return { kind: 'again', afterMs };
        }
        await commands.waiting.wait(next.commandIds, Math.min(STAY_MS, next.forMs));
        hasWaited = true;
        break;
      case 'settle':
        await ctx.write((tx) => settleWave(tx, { jobId: ctx.id, wave: next.wave }, new Date()));
        await noteWave(ctx, next.wave);
        hasWaited = false;
        break;
      case 'pause':
        return { kind: 'again', afterMs: next.forMs };
      case 'end':
        await report(ctx, targets);
        return conclude(ctx.params, targets);
    }
  }
}

async function sendWave(ctx: Context, commands: Commands, wave: number): Promise<void> {
  const { params, project: projectId } = ctx;
  if (projectId === null) throw new Error('a rollout belongs to a project');
  const clients = splitWaves(params.clients, params)[wave] ?? [];
  const { type, sub_type, command, service } = params;
  const order = await commands.prepare({
    projectId,
    command: { type, sub_type, command },
    service: service ?? undefined,
    clientIds: clients.map(({ id }) => id),
  });
  const now = new Date();
  // A desired change would reach an offline client at any time, outside of its wave.
  const isAway = ({ client }: PreparedOrder['targets'][number]) => client?.connected === false;
  const away = order.targets.filter(isAway);
  const present = { ...order, targets: order.targets.filter((target) => !isAway(target)) };
  const results = await ctx.write(async (tx) => {
    const sent = await commands.sendWithin(tx, { project: { id: projectId }, now, actor: ctx.actor }, present);
    await insertWave(tx, { jobId: ctx.id, wave, sentAt: now }, [
      ...away.map(({ clientId, client }) => ({
        client_id: clientId,
        command_ids: [],
        refusal: failFleet('client.offline', { name: client?.name ?? clientId }).message,
      })),
      ...present.targets.map(({ clientId }) => toSent(clientId, sent)),
    ]);
    return sent;
  });
  commands.notify(results);
}

function toSent(clientId: string, results: readonly CommandResultRecord[]) {
  const own = results.filter(({ client_id }) => client_id === clientId);
  return {
    client_id: clientId,
    command_ids: own.flatMap(({ command_id }) => command_id ?? []),
    refusal: own.find(({ command_id }) => command_id === null)?.error?.message ?? null,
  };
}

async function noteWave(ctx: Context, wave: number): Promise<void> {
  const targets = await ctx.write((tx) => listTargets(tx, ctx.id));
  const counts = count(
    ctx.params,
    targets.filter((target) => target.wave === wave),
  );
  const waves = splitWaves(ctx.params.clients, ctx.params).length;
  await ctx.note({ wave: `${wave + 1} of ${waves}`, done: counts.done, failed: counts.failed });
  await report(ctx, targets);
}

async function report(ctx: Context, targets: readonly RolloutTarget[]): Promise<void> {
  const { done, failed } = count(ctx.params, targets);
  await ctx.progress(done + failed, ctx.params.clients.length, failed);
}

function count({ wait_s: waitS }: RolloutParams, targets: readonly RolloutTarget[]) {
  const states = targets.map((target) => judge(target, waitS).kind);
  const of = (kind: string) => states.filter((state) => state === kind).length;
  return { done: of('done'), failed: of('failed') };
}

function conclude(params: RolloutParams, targets: readonly RolloutTarget[]): StepResult {
  const names = nameClients(params.clients);
  const byId = new Map(targets.map((target) => [target.client_id, target]));
  const errors = params.clients.flatMap(({ id }): TargetError[] => {
    const name = names.get(id) ?? id;
    const target = byId.get(id);
    if (!target) return [{ target: name, message: 'The rollout stopped before its wave.', pending: true }];
    const state = judge(target, params.wait_s);
    return state.kind === 'failed' ? [{ target: name, message: state.reason }] : [];
  });
  const result = { ...count(params, targets), not_tried: params.clients.length - targets.length };
  return errors.length === 0 ? { kind: 'done', result } : { kind: 'with_errors', errors, result };
}

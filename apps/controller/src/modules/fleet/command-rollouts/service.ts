import { COMMAND_TARGETS_MAX, type CommandRollout, type CommandRolloutBody, failFleet } from '@flotilla/contract';
import type { Reply, RequestContext } from '../../../platform/http/context.ts';
import type { Jobs, JobType } from '../../../platform/jobs/index.ts';
import { listLabelledClients } from '../clients/index.ts';
import type { CommandService } from '../commands/index.ts';
import { type RolloutParams, splitWaves, toSchedule } from './model.ts';

export interface RolloutDeps {
  readonly commands: CommandService;
  readonly jobs: Jobs;
  readonly job: JobType<RolloutParams>;
}

type ProjectRequest = RequestContext & { readonly project: { readonly id: string } };

/** Checks the command as if it were sent now, fixes its clients and starts the job. */
export async function startRollout(
  ctx: ProjectRequest,
  { commands, jobs, job }: RolloutDeps,
  body: CommandRolloutBody,
): Promise<Reply> {
  requireOneOf(body, 'clients', 'labels');
  requireOneOf(body, 'wave_size', 'wave_percent');
  const { type, sub_type, command } = body;
  const ids = body.labels ? await findLabelled(ctx, body.labels) : (body.clients ?? []);
  const { rule, service, targets } = await commands.check(ctx, {
    body: { type, sub_type, command, clients: ids.map((client_id) => ({ client_id })) },
    query: { project: ctx.project.id },
  });
  if (rule.kind === 'query')
    throw refuse('type', `${rule.name} only reads. A rollout is for commands that change something`);
  if (targets.length > COMMAND_TARGETS_MAX)
    throw refuse('clients', `at most ${COMMAND_TARGETS_MAX} clients at once, not ${targets.length}`);
  const clients = targets.map(({ clientId, client }) => {
    if (!client) throw failFleet('client.not_found', { id: clientId });
    return client;
  });
  const params: RolloutParams = {
    type,
    sub_type,
    command,
    service: service ?? null,
    clients: clients.map(({ id, name }) => ({ id, name })),
    ...toSchedule(body, clients.length),
  };
  const waves = splitWaves(clients, params).map((wave) => ({
    clients: wave.map(({ id, name, connected }) => ({ client_id: id, name, connected })),
  }));
  return ctx.write(async (tx) => {
    const { actor } = ctx;
    if (actor.kind === 'anonymous') throw new Error('the guard lets nobody in without a name');
    const author = { kind: actor.kind, id: actor.id, name: actor.name };
    const made = await jobs.enqueue(tx, job, { params, project: ctx.project.id, actor: author });
    const answer: CommandRollout = ctx.dryRun
      ? { dry_run: true, job: null, command: rule.name, waves }
      : { job: made, command: rule.name, waves };
    return {
      reply: { body: answer, ...(answer.job && { location: `/api/v3/jobs/${answer.job.id}` }) },
      audit: {
        type: 'job',
        id: made.id,
        name: `${made.number}`,
        changes: { command: rule.name, service: service?.name, waves: waves.length, clients: params.clients },
      },
    };
  });
}

async function findLabelled(ctx: ProjectRequest, labels: readonly string[]): Promise<string[]> {
  const clients = await listLabelledClients(ctx.db, ctx.project.id, labels);
  if (clients.length === 0) throw refuse('labels', `no client has ${labels.join(' and ')}`);
  return clients.map(({ id }) => id);
}

function requireOneOf(body: CommandRolloutBody, ...names: readonly (keyof CommandRolloutBody)[]): void {
  const [, second] = names.filter((name) => body[name] !== undefined);
  if (second !== undefined) throw refuse(second, `give ${names.join(' or ')}, not both`);
}

function refuse(path: string, message: string): Error {
  return failFleet(
    'command.invalid',
    { reason: `${path}: ${message}` },
    { details: [{ path, rule: 'invalid_value', message }] },
  );
}

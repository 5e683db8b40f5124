import { type CommandBody, type CommandResultRecord, failFleet, type Role } from '@flotilla/contract';
import { type Db, publish, type Tx } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import type { RequestContext } from '../../http/context.ts';
import { narrowToMaker } from '../../http/row-scope.ts';
import type { ProjectContext } from '../services/index.ts';
import { parseBody } from './bodies.ts';
import { CommandDelivery } from './delivery.ts';
import { COMMANDS_CREATED, COMMANDS_FINISHED } from './model.ts';
import { failed, planCommand, type ServiceChanges } from './plan.ts';
import { abandonCommands, type CommandRow, expireCommands, findCommands, insertCommands } from './store.ts';
import { type CommandRule, describeRule, findRule } from './table.ts';
import type { NamedService } from './target-store.ts';
import { locate, type StandingFinder } from './targets.ts';
import { advanceResult } from './views.ts';
import { CommandWaiting } from './waiting.ts';

/** The streams that this controller holds. Notes are cheap and may be given for any client. */
export interface ClientStreams {
  isConnected(clientId: string): boolean;
  /** What the client should run has changed. */
  noteDesired(clientId: string): void;
  /** The client has got commands. */
  noteCommands(clientId: string): void;
  noteAll(): void;
  /** Ends the client's stream here. */
  displace(clientId: string): void;
}

export interface CommandServiceDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly services: ServiceChanges;
  readonly findStanding: StandingFinder;
}

export interface DispatchRequest {
  readonly body: CommandBody;
  readonly query: {
    readonly project?: string | undefined;
    readonly version?: string | undefined;
    readonly wait_ms?: number | undefined;
  };
}

const SWEEP_MS = 2000;

/**
 * Commands are rows: one per client (and service), written in the transaction that changes what the client should run.
 *
 * pending   written, not given to any stream: the client is away, or will be told in a moment. A newer desired change of the
 *           same service makes it `refused` (command.superseded)
 * sent      given to a stream; the deadline runs from the first time. After a lost stream it is sent again under the same id,
 *           and the agent, which remembers ids, does not run it twice
 * running   the agent has accepted it
 * done, failed, refused   the agent has said so. Final: the same word again, or another, changes nothing
 * unknown   no word by the deadline, or the agent itself does not know. A late word of the agent still replaces it
 *
 * Every transition is one conditional UPDATE, so that of two at once one wins and the other finds nothing to do. Only the
 * client that a command was written for can move it. A query or an action for a client that is away fails at once.
 */
export class CommandService {
  readonly #deps: CommandServiceDeps;
  readonly waiting: CommandWaiting;
  /** For the streams of clients. */
  readonly delivery: CommandDelivery;
  #streams: ClientStreams | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: CommandServiceDeps) {
    this.#deps = deps;
    this.waiting = new CommandWaiting(deps.db);
    this.delivery = new CommandDelivery({ db: deps.db, logger: deps.logger, waiting: this.waiting });
  }

  /** Begins to end commands whose deadline has passed. */
  start(streams: ClientStreams): void {
    this.#streams = streams;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      this.sweep(new Date()).catch((error: unknown) => this.#deps.logger.warn({ err: error }, 'commands.sweep_failed'));
    }, SWEEP_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.waiting.close();
  }

  /** Writes the commands, tells the streams and waits, bounded, for what becomes of them. */
  async dispatch(
    ctx: RequestContext,
    { body, query }: DispatchRequest,
  ): Promise<{ results: CommandResultRecord[]; dry_run?: true }> {
    const rule = findRule(body.type, body.sub_type, body.command.operation);
    const parsed = parseBody(rule, body.command);
    const located = await locate(ctx.db, {
      actor: ctx.actor,
      findStanding: this.#deps.findStanding,
      rule,
      body,
      parsed,
      project: query.project,
      version: query.version,
      noteRefusal: (target) => ctx.refusedIn(target),
    });
    const { project, service, targets } = located;
    if (!project) {
      return {
        results: targets.map((target) => failed(target, failFleet('client.not_found', { id: target.clientId })).result),
      };
    }
    const scope: ProjectContext = { project, now: ctx.now, actor: ctx.actor };
    const { reader: maker } = project;
    const write = async (tx: Tx): Promise<CommandResultRecord[]> => {
      if (maker !== undefined && rule.kind !== 'query') await narrowToMaker(tx, { projectId: project.id, maker });
      const plan = await planCommand(tx, { rule, parsed, service, targets, services: this.#deps.services, ctx: scope });
      const commands = plan.planned.flatMap(({ command }) => (command ? [command] : []));
      await insertCommands(tx, commands);
      if (commands.length > 0) await publish(tx, COMMANDS_CREATED, { commands: commands.length }, ctx.now);
      if (plan.superseded.length > 0) await publish(tx, COMMANDS_FINISHED, { ids: plan.superseded }, ctx.now);
      return plan.planned.map(({ result }) => result);
    };
    const results =
      rule.kind === 'query' && !ctx.dryRun
        ? await this.#deps.db.transaction().execute(write)
        : await writeAudited(ctx, write, { rule, project, service });
    if (ctx.dryRun) return { results, dry_run: true };
    for (const { client_id } of results) this.#streams?.noteDesired(client_id);
    for (const { client_id } of results) this.#streams?.noteCommands(client_id);
    return { results: await this.#conclude(results, query.wait_ms ?? rule.waitMs) };
  }

  /** The command as it is when it has ended or `waitMs` have passed. Undefined: there is none. */
  async read(id: string, waitMs: number): Promise<CommandRow | undefined> {
    await this.waiting.wait([id], waitMs);
    return (await findCommands(this.#deps.db, [id]))[0];
  }

  /** Ends everything that was asked of a client, in the transaction that removes it. */
  async abandon(tx: Tx, clientId: string, now: Date): Promise<void> {
    const ids = await abandonCommands(tx, clientId, now);
    if (ids.length > 0) await publish(tx, COMMANDS_FINISHED, { ids }, now);
  }

  /** Ends what is past its deadline. */
  async sweep(now: Date): Promise<void> {
    const ids = await this.#deps.db.transaction().execute((tx) => expireCommands(tx, now));
    this.waiting.noteFinished(ids);
  }

  async #conclude(results: readonly CommandResultRecord[], waitMs: number): Promise<CommandResultRecord[]> {
    const ids = results.flatMap(({ command_id }) => (command_id === null ? [] : [command_id]));
    if (ids.length === 0) return [...results];
    // A client that is away answers when it is back: not worth waiting for.
    const answering = results.flatMap(({ command_id, outcome }) =>
      command_id !== null && outcome === 'running' ? [command_id] : [],
    );
    if (answering.length > 0) await this.waiting.wait(answering, waitMs);
    const rows = new Map((await findCommands(this.#deps.db, ids)).map((row) => [row.id, row]));
    return results.map((result) => advanceResult(result, rows.get(result.command_id ?? '')));
  }
}

/** One transaction with the audit record; a repeated Idempotency-Key gets the commands of the first time. */
async function writeAudited(
  ctx: RequestContext,
  write: (tx: Tx) => Promise<CommandResultRecord[]>,
  {
    rule,
    project,
    service,
  }: { rule: CommandRule; project: { id: string; role: Role }; service: NamedService | undefined },
): Promise<CommandResultRecord[]> {
  const reply = await ctx.write(async (tx) => {
    const results = await write(tx);
    const changes = {
      command: describeRule(rule),
      clients: results.map(({ client_id, outcome }) => ({ client_id, outcome })),
    };
    const subject = service ? { type: 'service', ...service } : { type: 'client', id: results[0]?.client_id ?? '' };
    return {
      reply: { body: { results } },
      audit: { ...subject, projectId: project.id, actorRole: project.role, changes },
    };
  });
  return (reply.body as { results: CommandResultRecord[] }).results;
}

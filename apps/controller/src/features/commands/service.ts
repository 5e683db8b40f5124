import { create } from '@bufbuild/protobuf';
import { type CommandBody, type CommandResultRecord, failFleet, type Role } from '@flotilla/contract';
import { type Db, publish, type Tx } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import type { RequestContext } from '../../http/context.ts';
import { narrowToMaker } from '../../http/row-scope.ts';
import type { ProjectContext } from '../services/index.ts';
import { parseBody } from './bodies.ts';
import { cleanText, readResult } from './model.ts';
import { failed, planCommand, type ServiceChanges } from './plan.ts';
import {
  abandonCommands,
  type CommandRow,
  expireCommands,
  findCommands,
  findUnfinished,
  finish,
  insertCommands,
  markRunning,
  markSent,
} from './store.ts';
import { type CommandRule, describeRule, findRule } from './table.ts';
import { type NamedService, readDesiredRevision } from './target-store.ts';
import { locate, type StandingFinder } from './targets.ts';
import { advanceResult } from './views.ts';
import { CommandWaiting } from './waiting.ts';

/** Topics of the outbox: some client has got commands; some command has ended. */
export const COMMANDS_CREATED = 'commands.created';
export const COMMANDS_FINISHED = 'commands.finished';

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

/** At most so many unfinished commands are handed to a stream at once; the rest follows as they end. */
const UNFINISHED_BATCH = 500;
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
  #streams: ClientStreams | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: CommandServiceDeps) {
    this.#deps = deps;
    this.waiting = new CommandWaiting(deps.db);
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

  /**
   * What a stream of this client is to be given, oldest first; also what an earlier stream has carried. A desired change is
   * held back until the stream has carried the desired state that it belongs to: an agent that knew the command alone would
   * look for a service that it has not been told of.
   */
  async unfinishedFor(
    clientId: string,
    sentRevision: bigint,
    now: Date,
  ): Promise<{ commands: fleet.Command[]; isHeldBack: boolean }> {
    const { db } = this.#deps;
    const unfinished = await findUnfinished(db, clientId, UNFINISHED_BATCH);
    // Read after the commands: whatever revision came with them is in it.
    const isBehind = BigInt(await readDesiredRevision(db, clientId)) > sentRevision;
    const rows = unfinished.filter((row) => !isBehind || row.generation === null);
    return { commands: toMessages(rows, now), isHeldBack: rows.length < unfinished.length };
  }

  async recordSent(clientId: string, commandId: string, now: Date): Promise<void> {
    if (isId(commandId)) await markSent(this.#deps.db, { id: commandId, clientId }, now);
  }

  async recordAccepted(clientId: string, commandId: string): Promise<void> {
    if (isId(commandId)) await markRunning(this.#deps.db, { id: commandId, clientId }, undefined);
  }

  async recordProgress(clientId: string, progress: fleet.CommandProgress): Promise<void> {
    if (!isId(progress.commandId)) return;
    const step = cleanText([progress.step, progress.message].filter((part) => part !== '').join(': '), 1024);
    await markRunning(this.#deps.db, { id: progress.commandId, clientId }, step);
  }

  /**
   * Resolves when the outcome is stored: then the agent may forget it. A result that comes twice, or for a command that is
   * not this client's, changes nothing and is not an error: the agent must stop repeating it. False: nothing was stored.
   */
  async recordResult(clientId: string, result: fleet.CommandResult, now: Date): Promise<boolean> {
    const { commandId } = result;
    if (!isId(commandId)) return false;
    const isStored = await this.#deps.db.transaction().execute(async (tx) => {
      const isNew = await finish(tx, { id: commandId, clientId, by: 'client' }, readResult(result), now);
      if (isNew) await publish(tx, COMMANDS_FINISHED, { ids: [commandId] }, now);
      return isNew;
    });
    if (isStored) this.waiting.noteFinished([commandId]);
    else this.#deps.logger.warn({ client_id: clientId, command_id: commandId }, 'command.result_ignored');
    return isStored;
  }

  /**
   * The service cannot be made for this client: commands that wait for new content will not come true. Those that need no
   * new content still will where the content of before is kept.
   */
  async failDesired(
    { clientId, serviceId }: { clientId: string; serviceId: string },
    { reason, isKept, now }: { reason: string; isKept: boolean; now: Date },
  ): Promise<void> {
    const finding = {
      status: 'failed' as const,
      errorCode: 'service.invalid',
      errorMessage: cleanText(reason),
      result: null,
    };
    const needContent = ['DEPLOY', 'UPDATE_BOOTSTRAP', 'SHIELD'];
    const waiting = await findUnfinished(this.#deps.db, clientId, UNFINISHED_BATCH);
    for (const { id, service_id, generation, type } of waiting) {
      if (service_id !== serviceId || generation === null || type === 'UNDEPLOY') continue;
      if (isKept && !needContent.includes(type)) continue;
      const isNew = await this.#deps.db.transaction().execute(async (tx) => {
        const stored = await finish(tx, { id, clientId, by: 'system' }, finding, now);
        if (stored) await publish(tx, COMMANDS_FINISHED, { ids: [id] }, now);
        return stored;
      });
      if (isNew) this.waiting.noteFinished([id]);
    }
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

function toMessages(rows: readonly CommandRow[], now: Date): fleet.Command[] {
  return rows.flatMap((row) => {
    const leftMs = row.deadline_at === null ? row.timeout_ms : row.deadline_at.getTime() - now.getTime();
    if (leftMs <= 0) return [];
    return [
      create(fleet.CommandSchema, {
        commandId: row.id,
        fence: BigInt(row.fence),
        type: row.type,
        subType: row.sub_type,
        serviceId: row.service_id ?? '',
        payloadJson: Buffer.from(JSON.stringify(row.payload)),
        deadlineMs: leftMs,
      }),
    ];
  });
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An agent may send any text as an id; only ids reach the database. */
function isId(text: string): boolean {
  return ID.test(text);
}

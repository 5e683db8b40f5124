import {
  type CommandBody,
  type CommandKind,
  type CommandResultRecord,
  failFleet,
  type Role,
  selectOperation,
  specOf,
} from '@flotilla/contract';
import { type Db, publish, type Tx } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import type { Actor } from '../../../platform/http/actor.ts';
import type { RequestContext } from '../../../platform/http/context.ts';
import type { RefusedTarget } from '../../../platform/http/refused-target.ts';
import { narrowToCreator } from '../../../platform/http/row-scope.ts';
import type { ForwarderConfigs } from '../log-forwarding/index.ts';
import type { ProjectContext } from '../services/index.ts';
import { type ParsedBody, parseBody } from './bodies.ts';
import { CommandDelivery } from './delivery.ts';
import { COMMANDS_CREATED, COMMANDS_FINISHED } from './model.ts';
import { findOffers, type Offers } from './offers.ts';
import {
  type CommandOrder,
  findInternalTargets,
  type InternalOrder,
  type PreparedOrder,
  prepareOrder,
} from './orders.ts';
import { failed, type PlanRequest, planCommand, type ServiceChanges } from './plan.ts';
import { forgetQuery } from './prune-store.ts';
import type { SealedPayloads } from './sealed-payloads.ts';
import { abandonCommands, type CommandRow, expireCommands, findCommands, insertCommands } from './store.ts';
import { type CommandRule, describeRule, findRule, requireFewClients } from './table.ts';
import { findClients, type NamedService } from './target-store.ts';
import { type Located, locate, type RightsFinder } from './targets.ts';
import { checkUpgrade } from './upgrades.ts';
import { advanceResult } from './views.ts';
import { CommandWaiting } from './waiting.ts';

/** The streams of this controller. Notes are cheap and may name any client. */
export interface ClientStreams {
  isConnected(clientId: string): boolean;
  /** The client's desired state has changed. */
  noteDesired(clientId: string): void;
  /** The client has new commands. */
  noteCommands(clientId: string): void;
  noteAll(): void;
  /** Ends the client's stream on this controller. */
  displace(clientId: string): void;
}

export interface CommandServiceDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly services: ServiceChanges;
  readonly findRights: RightsFinder;
  readonly archive: Offers;
  readonly configs: Pick<ForwarderConfigs, 'store' | 'open'>;
  readonly payloads: SealedPayloads;
  /** Throws unless documents of this proxy version can be checked. */
  readonly requireKnownVersion: (version: string) => Promise<void>;
}

export interface DispatchRequest {
  readonly body: CommandBody;
  readonly query: {
    readonly project?: string | undefined;
    readonly version?: string | undefined;
    readonly wait_ms?: number | undefined;
  };
}

/** A query that a stream repeats. */
export interface Question {
  readonly body: CommandBody;
  readonly project: string;
  readonly waitMs: number;
  readonly noteRefusal: (target: RefusedTarget) => void;
}

interface DeployTarget {
  readonly client_id: string;
  /** undefined: the service keeps its addresses there. */
  readonly addresses?: readonly string[] | undefined;
}

const SWEEP_MS = 2000;
/** Types whose bodies the audit log contains. They have no secrets. */
const SHOWN_TYPES = new Set(['PROXY', 'NETWORK', 'APPLIANCE']);

/**
 * Commands are rows: one per client (and service), written in the transaction that changes what the client should run.
 * pending: written, not sent to a stream yet, because the client is offline or the next send is about to happen. A
 * newer desired change of the same service makes it `refused` (command.superseded)
 * sent: given to a stream; the deadline runs from the first time. After a lost stream it is sent again under the same
 * id; the agent remembers ids and does not run it twice
 * running: the agent has accepted it
 * done, failed, refused: reported by the agent. Final: a later result changes nothing
 * unknown: no result by the deadline, or the agent does not know it either. A late result of the agent still replaces
 * it
 * Every transition is one conditional UPDATE, so that one of two concurrent ones wins and the other changes nothing.
 * Only the client of a command can move it. A query or an action for an offline client fails at once.
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
    this.delivery = new CommandDelivery({ ...deps, waiting: this.waiting });
  }

  /** Starts to end commands whose deadline has passed. */
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

  /** Checks a command and the rights of the caller, and finds its service and clients. Sends nothing. */
  async check(
    ctx: RequestContext,
    { body, query }: DispatchRequest,
  ): Promise<Located & { readonly rule: CommandRule; readonly parsed: ParsedBody }> {
    const rule = findRule(body.type, body.sub_type, selectOperation(body.type, body.command));
    const parsed = parseBody(rule, body.command);
    const located = await locate(ctx.db, {
      actor: ctx.actor,
      findRights: this.#deps.findRights,
      rule,
      body,
      parsed,
      project: query.project,
      version: query.version,
      noteRefusal: (target) => ctx.refusedIn(target),
    });
    await checkUpgrade(ctx.db, { rule, parsed, ...located }, this.#deps.requireKnownVersion);
    return { rule, parsed, ...located };
  }

  /** Reads what an order needs from outside of the transaction that sends it. The caller has checked the rights. */
  prepare(order: CommandOrder): Promise<PreparedOrder> {
    return prepareOrder(this.#deps, order);
  }

  /** Sends a prepared order in the caller's transaction. `notify` sends the commands after the commit. */
  sendWithin(tx: Tx, ctx: ProjectContext, order: PreparedOrder): Promise<CommandResultRecord[]> {
    return this.#write(tx, { ...order, ctx });
  }

  /** Writes the commands, notifies the streams and waits, with a limit, for the outcomes. */
  async dispatch(
    ctx: RequestContext,
    { body, query }: DispatchRequest,
  ): Promise<{ results: CommandResultRecord[]; dry_run?: true }> {
    const { rule, parsed, project, service, targets } = await this.check(ctx, { body, query });
    requireFewClients(rule, targets.length);
    if (!project) {
      return {
        results: targets.map((target) => failed(target, failFleet('client.not_found', { id: target.clientId })).result),
      };
    }
    // Before the transaction, because it may have to wait for the archive.
    const offers = await findOffers(this.#deps.archive, { rule, parsed, targets });
    const scope: ProjectContext = { project, now: ctx.now, actor: ctx.actor };
    const { reader: maker } = project;
    const write = async (tx: Tx): Promise<CommandResultRecord[]> => {
      if (maker !== undefined && rule.kind !== 'query') await narrowToCreator(tx, { projectId: project.id, maker });
      return this.#write(tx, { rule, parsed, service, targets, offers, ctx: scope });
    };
    const results =
      rule.kind === 'query' && !rule.isRecorded && !ctx.dryRun
        ? await this.#deps.db.transaction().execute(write)
        : await writeAudited(ctx, write, { rule, parsed, project, service });
    if (ctx.dryRun) return { results, dry_run: true };
    this.notify(results, rule.kind);
    return { results: await this.#conclude(results, query.wait_ms ?? rule.waitMs) };
  }

  /**
   * Sends a query about one client outside of a request, waits for its end and forgets it. Checks the rights of the actor as
   * for a request. The result is `running` if there is no outcome in time.
   */
  async ask(actor: Actor, { body, project, waitMs, noteRefusal }: Question): Promise<CommandResultRecord | undefined> {
    const { db } = this.#deps;
    const rule = findRule(body.type, body.sub_type, selectOperation(body.type, body.command));
    if (rule.kind !== 'query') throw new Error(`${rule.name} is not a query`);
    const parsed = parseBody(rule, body.command);
    const { findRights } = this.#deps;
    const asked = { actor, findRights, rule, body, parsed, project, version: undefined, noteRefusal };
    const { project: scope, service, targets } = await locate(db, asked);
    if (!scope) return undefined;
    const ctx: ProjectContext = { project: scope, now: new Date(), actor };
    const results = await db.transaction().execute((tx) => this.#write(tx, { rule, parsed, service, targets, ctx }));
    this.notify(results, rule.kind);
    const [result] = await this.#conclude(results, waitMs);
    if (result?.command_id) await forgetQuery(db, result.command_id);
    return result;
  }

  /**
   * Deploys a service in the caller's transaction, after the caller has checked the rights to the service and the clients.
   * `notify` sends the commands after the commit.
   */
  async deployWithin(
    tx: Tx,
    ctx: ProjectContext,
    { service, clients }: { readonly service: NamedService; readonly clients: readonly DeployTarget[] },
  ): Promise<CommandResultRecord[]> {
    return this.#orderWithin(tx, ctx, { rule: findRule('DEPLOY', '', undefined), service, clients });
  }

  /** Removes a service from clients, like `deployWithin`. */
  async undeployWithin(
    tx: Tx,
    ctx: ProjectContext,
    { service, clients }: { readonly service: NamedService; readonly clients: readonly DeployTarget[] },
  ): Promise<CommandResultRecord[]> {
    return this.#orderWithin(tx, ctx, { rule: findRule('UNDEPLOY', '', undefined), service, clients });
  }

  /** Lets the filters of a service load its policies again, like `deployWithin`. */
  async resyncWithin(
    tx: Tx,
    ctx: ProjectContext,
    { service, clients }: { readonly service: NamedService; readonly clients: readonly DeployTarget[] },
  ): Promise<CommandResultRecord[]> {
    const rule = findRule('SHIELD', 'UPDATE_SHIELD_CONFIG', undefined);
    return this.#orderWithin(tx, ctx, { rule, service, clients });
  }

  async #orderWithin(
    tx: Tx,
    ctx: ProjectContext,
    {
      rule,
      service,
      clients,
    }: { readonly rule: CommandRule; readonly service: NamedService; readonly clients: readonly DeployTarget[] },
  ): Promise<CommandResultRecord[]> {
    const known = await findClients(tx, { projectId: ctx.project.id, ids: clients.map(({ client_id }) => client_id) });
    const targets = clients.map(({ client_id, addresses }) => ({
      clientId: client_id,
      client: known.get(client_id),
      addresses,
    }));
    return this.#write(tx, { rule, parsed: parseBody(rule, { service_id: service.id }), service, targets, ctx });
  }

  /**
   * Sends a command that POST /api/op/clients does not know, in the caller's transaction. The caller has checked the rights, records
   * the action, and calls `untilEnded` after the commit.
   */
  async sendInternalWithin(
    tx: Tx,
    ctx: Pick<ProjectContext, 'now' | 'actor'>,
    order: Omit<InternalOrder, 'waitMs'>,
  ): Promise<CommandResultRecord> {
    const targets = await findInternalTargets(tx, order);
    const rule = specOf(order.name);
    const request = { rule, parsed: parseBody(rule, order.body), service: undefined, targets };
    const [result] = await this.#write(tx, { ...request, ctx: { ...ctx, project: { id: order.project } } });
    if (!result) throw new Error(`${order.name} has no result for client ${order.clientId}`);
    return result;
  }

  /** Tells the stream of the client that it has this command. Returns its outcome, or `running` after `waitMs`. */
  async untilEnded(sent: CommandResultRecord, waitMs: number): Promise<CommandResultRecord> {
    this.notify([sent], 'query');
    const [result = sent] = await this.#conclude([sent], waitMs);
    return result;
  }

  /** Does both, in a transaction of its own. */
  async dispatchInternal(
    ctx: Pick<ProjectContext, 'now' | 'actor'>,
    { waitMs, ...order }: InternalOrder,
  ): Promise<CommandResultRecord> {
    const send = (tx: Tx) => this.sendInternalWithin(tx, ctx, order);
    return this.untilEnded(await this.#deps.db.transaction().execute(send), waitMs);
  }

  /** Tells the streams of the clients that they have commands. Queries leave the desired state as it is. */
  notify(results: readonly CommandResultRecord[], kind: CommandKind = 'desired'): void {
    if (kind !== 'query') for (const { client_id } of results) this.#streams?.noteDesired(client_id);
    for (const { client_id } of results) this.#streams?.noteCommands(client_id);
  }

  async #write(
    tx: Tx,
    request: Omit<PlanRequest, 'services' | 'configs' | 'payloads'>,
  ): Promise<CommandResultRecord[]> {
    const { now } = request.ctx;
    const { services, configs, payloads } = this.#deps;
    const plan = await planCommand(tx, { ...request, services, configs, payloads });
    const commands = plan.planned.flatMap(({ command }) => (command ? [command] : []));
    await insertCommands(tx, commands);
    if (commands.length > 0) await publish(tx, COMMANDS_CREATED, { commands: commands.length }, now);
    if (plan.superseded.length > 0) await publish(tx, COMMANDS_FINISHED, { ids: plan.superseded }, now);
    return plan.planned.map(({ result }) => result);
  }

  /** Returns the command when it has ended or after `waitMs`. undefined: it does not exist. */
  async read(id: string, waitMs: number): Promise<CommandRow | undefined> {
    await this.waiting.wait([id], waitMs);
    return (await findCommands(this.#deps.db, [id]))[0];
  }

  /** Ends all commands of a client, in the transaction that removes it. */
  async abandon(tx: Tx, clientId: string, now: Date): Promise<void> {
    const ids = await abandonCommands(tx, clientId, now);
    if (ids.length > 0) await publish(tx, COMMANDS_FINISHED, { ids }, now);
  }

  /** Ends commands whose listeners are known now, and those whose deadline has passed. */
  async sweep(now: Date): Promise<void> {
    await this.delivery.settleHeld(now);
    const ids = await this.#deps.db.transaction().execute((tx) => expireCommands(tx, now));
    this.waiting.noteFinished(ids);
  }

  async #conclude(results: readonly CommandResultRecord[], waitMs: number): Promise<CommandResultRecord[]> {
    const ids = results.flatMap(({ command_id }) => (command_id === null ? [] : [command_id]));
    if (ids.length === 0) return [...results];
    // An offline client answers when it reconnects, so waiting is pointless.
    const answering = results.flatMap(({ command_id, outcome }) =>
      command_id !== null && outcome === 'running' ? [command_id] : [],
    );
    if (answering.length > 0) await this.waiting.wait(answering, waitMs);
    const rows = new Map((await findCommands(this.#deps.db, ids)).map((row) => [row.id, row]));
    return results.map((result) => advanceResult(result, rows.get(result.command_id ?? '')));
  }
}

/** Runs one transaction with the audit entry; a repeated Idempotency-Key gets the commands of the first request. */
async function writeAudited(
  ctx: RequestContext,
  write: (tx: Tx) => Promise<CommandResultRecord[]>,
  {
    rule,
    parsed,
    project,
    service,
  }: {
    rule: CommandRule;
    parsed: ParsedBody;
    project: { id: string; role: Role };
    service: NamedService | undefined;
  },
): Promise<CommandResultRecord[]> {
  const reply = await ctx.write(async (tx) => {
    const results = await write(tx);
    const changes = {
      command: describeRule(rule),
      ...(SHOWN_TYPES.has(rule.type) && { request: parsed.payload }),
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

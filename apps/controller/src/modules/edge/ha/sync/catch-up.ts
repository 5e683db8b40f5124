import type { CommandResultRecord } from '@flotilla/contract';
import { type Db, publish, type Tx } from '@flotilla/db';
import { AppError, type Logger } from '@flotilla/kit';
import { recordAudit } from '../../../../platform/audit/index.ts';
import type { Leading } from '../../../../platform/presence/index.ts';
import type { CommandService, PreparedOrder, ServiceRegistry } from '../../../fleet/public.ts';
import { HA_SYNC_CHANGED } from './events.ts';
import {
  boundError,
  decide,
  deriveBackOffMs,
  deriveOperation,
  type Step,
  type SyncOperation,
  type Work,
} from './model.ts';
import {
  deleteWork,
  lockWork,
  markCatchingUp,
  noteCommand,
  noteFailure,
  postpone,
  readWork,
  type WorkKey,
} from './store.ts';

export interface CatchUpDeps {
  readonly db: Db;
  readonly leadership: Leading;
  readonly logger: Logger;
  readonly commands: Pick<CommandService, 'prepare' | 'sendWithin' | 'deployWithin' | 'undeployWithin' | 'notify'>;
  readonly services: Pick<ServiceRegistry, 'change' | 'lock'>;
  /** Lets the ports of members in a cloud use the addresses of a service. Throws an AppError that says why it could not. */
  readonly allowAddresses: (members: CloudMembers) => Promise<void>;
  readonly now: () => Date;
}

/** Both members have the addresses: either one may take them. */
export interface CloudMembers {
  readonly projectId: string;
  readonly clientIds: readonly string[];
  readonly service: string;
  readonly addresses: readonly string[];
}

type Sent = readonly CommandResultRecord[];
/** An order that was prepared outside of the transaction, for exactly this step. */
interface Prepared {
  readonly name: string;
  readonly order: PreparedOrder | undefined;
}

/** A command that could not be written. */
class Refused extends Error {}

const QUEUE_MS = 1000;
const BROKEN = 'the controller could not write the command; its log says why';

/**
 * Takes one step of one row of work. Each step is one transaction that commits only while this controller leads, and decides again
 * from the rows that it has locked. A command and the note of it are written together, so a row never has two.
 */
export class CatchUp {
  readonly #deps: CatchUpDeps;

  constructor(deps: CatchUpDeps) {
    this.#deps = deps;
  }

  async advance(key: WorkKey): Promise<void> {
    const { db, leadership, commands } = this.#deps;
    const work = await readWork(db, key);
    if (!work) return;
    const step = decide(work);
    if (step.kind === 'wait' || step.kind === 'offline') return;
    try {
      const prepared = await this.#prepare(work, step);
      const sent = await leadership.write((tx) => this.#take(tx, work, prepared));
      if (sent) commands.notify(sent);
    } catch (error) {
      await this.#fail(work, error);
    }
  }

  /** Does outside of the transaction whatever may wait for the archive or for a cloud. */
  async #prepare(work: Work, step: Step): Promise<Prepared> {
    const name = nameStep(work, step);
    const { projectId, service, serviceId, clientId, sourceId, source } = work;
    if (source && source.addresses.length > 0 && mayNeedAddresses(work, step)) {
      const { addresses } = source;
      await this.#deps.allowAddresses({ projectId, clientIds: [clientId, sourceId], service, addresses });
    }
    const command = toCommand(work, step);
    if (!command) return { name, order: undefined };
    const order = await this.#deps.commands.prepare({
      projectId,
      command,
      service: step.kind === 'install' ? undefined : { id: serviceId, name: service },
      clientIds: [clientId],
    });
    return { name, order };
  }

  async #take(tx: Tx, { serviceId, clientId, ...seen }: Work, prepared: Prepared): Promise<Sent> {
    const now = this.#deps.now();
    const key = { serviceId, clientId };
    await markCatchingUp(tx);
    // Services are locked before everything else, as in every change of them.
    await this.#deps.services.lock(tx, { project: { id: seen.projectId }, now, actor: actorOf(seen) }, serviceId);
    const work = await lockWork(tx, key);
    if (!work) return [];
    const step = decide(work);
    switch (step.kind) {
      case 'wait':
      case 'offline':
        return [];
      case 'queue':
        await postpone(tx, key, new Date(now.getTime() + QUEUE_MS));
        return [];
      case 'join':
        await noteCommand(tx, key, { commandId: step.commandId, op: work.op });
        return [];
      case 'drop':
      case 'settle':
        // A settled row whose addresses were allowed for an older state is looked at again.
        if (nameStep(work, step) !== prepared.name) return [];
        await deleteWork(tx, key);
        break;
      case 'fail':
        await this.#noteFailure(tx, work, step.error);
        break;
      case 'install':
      case 'order':
        // The order may have been prepared for an older state; the next look prepares again.
        if (nameStep(work, step) !== prepared.name) return [];
        return this.#send(tx, work, { step, order: prepared.order, now });
    }
    await this.#announce(tx, work);
    return [];
  }

  async #send(
    tx: Tx,
    work: Work,
    { step, order, now }: { readonly step: Step; readonly order: PreparedOrder | undefined; readonly now: Date },
  ): Promise<Sent> {
    const { serviceId, clientId } = work;
    const op = step.kind === 'order' ? step.op : work.op;
    const sent = await this.#order(tx, work, { op, order, now });
    const [result] = sent;
    if (op === 'undeploy' && result?.error?.code === 'command.not_deployed') {
      await deleteWork(tx, work);
      await this.#announce(tx, work);
      return [];
    }
    if (!result?.command_id) throw new Refused(result?.error?.message ?? BROKEN);
    if (step.kind === 'order') await this.#align(tx, work, now);
    await noteCommand(tx, { serviceId, clientId }, { commandId: result.command_id, op });
    const { outcome } = result;
    const name = nameStep(work, step);
    await recordAudit(tx, {
      at: now,
      actor: actorOf(work),
      actorRole: undefined,
      projectId: work.projectId,
      action: 'command.dispatch',
      outcome: 'done',
      status: 200,
      subject: {
        type: 'service',
        id: serviceId,
        name: work.service,
        changes: { command: name, clients: [{ client_id: clientId, outcome }], as_on: work.sourceId },
      },
    });
    await this.#announce(tx, work);
    return sent;
  }

  #order(
    tx: Tx,
    work: Work,
    { op, order, now }: { readonly op: SyncOperation; readonly order: PreparedOrder | undefined; readonly now: Date },
  ): Promise<Sent> {
    const { commands } = this.#deps;
    const ctx = { project: { id: work.projectId }, now, actor: actorOf(work) };
    if (order) return commands.sendWithin(tx, ctx, order);
    const addresses = op === 'deploy' ? (work.source?.addresses ?? []) : undefined;
    const request = {
      service: { id: work.serviceId, name: work.service },
      clients: [{ client_id: work.clientId, addresses }],
    };
    return op === 'deploy' ? commands.deployWithin(tx, ctx, request) : commands.undeployWithin(tx, ctx, request);
  }

  /** Sets the rest, because a DEPLOY starts the proxy and sets no version, and only an upgrade sets the drain time. */
  async #align(tx: Tx, { serviceId, clientId, ...work }: Work, now: Date): Promise<void> {
    const { source, follower } = (await lockWork(tx, { serviceId, clientId })) ?? {};
    if (!source || !follower || deriveOperation(source, follower) === undefined) return;
    await this.#deps.services.change(
      tx,
      { project: { id: work.projectId }, now, actor: actorOf(work) },
      {
        serviceId,
        clientIds: [clientId],
        set: {
          ...(follower.version !== source.version && { envoy_version: source.version }),
          ...(follower.drainTimeS !== source.drainTimeS && { drain_time_s: source.drainTimeS }),
          ...(follower.runState !== source.runState && { run_state: source.runState }),
        },
      },
    );
  }

  /** Records an attempt that did not get as far as a command. */
  async #fail(work: Work, error: unknown): Promise<void> {
    const { leadership, logger } = this.#deps;
    const isExplained = error instanceof AppError || error instanceof Refused;
    if (!isExplained) logger.warn({ err: error, service: work.serviceId, client: work.clientId }, 'ha.sync_failed');
    await leadership.write(async (tx) => {
      if (await this.#noteFailure(tx, work, isExplained ? error.message : BROKEN)) await this.#announce(tx, work);
    });
  }

  #noteFailure(tx: Tx, { serviceId, clientId, since, attempts: before }: Work, error: string): Promise<boolean> {
    const attempts = before + 1;
    const nextAttemptAt = new Date(this.#deps.now().getTime() + deriveBackOffMs(attempts));
    return noteFailure(tx, { serviceId, clientId, since }, { attempts, error: boundError(error), nextAttemptAt });
  }

  #announce(tx: Tx, { projectId, pairId }: Work): Promise<void> {
    return publish(tx, HA_SYNC_CHANGED, { project_id: projectId, pair_id: pairId }, this.#deps.now());
  }
}

/** The cloud is asked before the service comes, and if there is nothing else to do. */
function mayNeedAddresses({ command }: Work, step: Step): boolean {
  switch (step.kind) {
    case 'install':
      return true;
    case 'order':
      return step.op === 'deploy';
    case 'settle':
      return command === null;
    default:
      return false;
  }
}

function actorOf({ pair }: Pick<Work, 'pair'>) {
  return { kind: 'system', id: null, name: `HA pair ${pair}` } as const;
}

/** The words of the command with what was prepared for it. */
function nameStep({ source }: Work, step: Step): string {
  if (step.kind === 'install') return `DATAPLANE_VERSION SET_VERSION ${step.version}`;
  if (step.kind !== 'order') return `${step.kind} ${source?.addresses.join() ?? ''}`;
  switch (step.op) {
    case 'deploy':
      return `DEPLOY ${source?.addresses.join(' ') ?? ''}`.trim();
    case 'undeploy':
      return 'UNDEPLOY';
    case 'start':
      return 'SERVICE SUB_START';
    case 'stop':
      return 'SERVICE SUB_STOP';
    case 'version':
      return `DATAPLANE_VERSION SET_VERSION ${source?.version ?? ''}`;
  }
}

/** Undefined for those that `CommandService` has a method for. */
function toCommand({ serviceId, source }: Work, step: Step) {
  if (step.kind === 'install') return setVersion(step.version, {});
  if (step.kind !== 'order') return undefined;
  const of = { service_id: serviceId };
  switch (step.op) {
    case 'start':
      return { type: 'SERVICE', sub_type: 'SUB_START', command: of };
    case 'stop':
      return { type: 'SERVICE', sub_type: 'SUB_STOP', command: of };
    case 'version':
      return setVersion(source?.version ?? '', of);
    case 'deploy':
    case 'undeploy':
      return undefined;
  }
}

function setVersion(version: string, of: { readonly service_id?: string }) {
  return { type: 'DATAPLANE_VERSION', sub_type: '', command: { operation: 'SET_VERSION', version, ...of } };
}

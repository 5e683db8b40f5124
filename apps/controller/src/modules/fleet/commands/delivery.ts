import { create } from '@bufbuild/protobuf';
import { type Db, isRefusedValue, publish, type Tx } from '@flotilla/db';
import { Batches, type Logger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import type { ForwarderConfigs } from '../log-forwarding/index.ts';
import type { ServiceRegistry } from '../services/index.ts';
import { concludeDeploy, LISTENERS_WAIT_MS } from './deploy-end.ts';
import { type DeployKey, holdResult, listHeld, readDeployFacts } from './deploy-store.ts';
import { COMMANDS_FINISHED, cleanText, type Finding, readResult } from './model.ts';
import type { SealedPayloads } from './sealed-payloads.ts';
import {
  type CommandKey,
  type CommandRow,
  type Ending,
  findUnfinished,
  finish,
  finishFreeQueries,
  markFreeRunning,
  markFreeSent,
  markRunning,
  markSent,
  type SentCommand,
} from './store.ts';
import { readDesiredRevisions } from './target-store.ts';
import { describeReturn, lockReturning, returnToFormer } from './upgrades.ts';
import type { CommandWaiting } from './waiting.ts';

/** Maximum number of unfinished commands per batch; the rest follows as they end. */
const UNFINISHED_BATCH = 500;

/** Clients or commands per statement. */
const BATCH_MAX = 500;

/** Larger results are stored one by one, so that a statement stays small. */
const BATCHED_RESULT_MAX_BYTES = 16 * 1024;

interface Unfinished {
  readonly unfinished: readonly CommandRow[];
  /** The revision of the desired state of the client. */
  readonly revision: number;
}

type End = 'ended' | 'held' | 'ignored';

/** A report of a stream about one command. */
type Step =
  | ({ readonly kind: 'sent' } & SentCommand)
  | ({ readonly kind: 'accepted' } & CommandKey)
  | ({ readonly kind: 'ended' } & Ending);

const NONE: ReadonlySet<string> = new Set();

/** Delivers commands to the streams of clients and stores their outcomes. */
export class CommandDelivery {
  readonly #db: Db;
  readonly #logger: Logger;
  readonly #waiting: CommandWaiting;
  readonly #configs: Pick<ForwarderConfigs, 'open'>;
  readonly #payloads: Pick<SealedPayloads, 'open'>;
  readonly #services: Pick<ServiceRegistry, 'change' | 'lock'>;

  // A command for a thousand clients is read, sent and answered a thousand times at once.
  readonly #unfinished: Batches<string, Unfinished>;
  /** In one queue, because statements that run at the same time would find each other's rows locked. */
  readonly #steps: Batches<Step, End | undefined>;

  constructor(deps: {
    db: Db;
    logger: Logger;
    waiting: CommandWaiting;
    configs: Pick<ForwarderConfigs, 'open'>;
    payloads: Pick<SealedPayloads, 'open'>;
    services: Pick<ServiceRegistry, 'change' | 'lock'>;
  }) {
    this.#db = deps.db;
    this.#logger = deps.logger;
    this.#waiting = deps.waiting;
    this.#configs = deps.configs;
    this.#payloads = deps.payloads;
    this.#services = deps.services;
    const limits = { max: BATCH_MAX, isOfOneItem: isRefusedValue };
    this.#unfinished = new Batches({ ...limits, run: (clientIds) => this.#readUnfinished(clientIds) });
    this.#steps = new Batches({ ...limits, run: (steps) => this.#take(steps) });
  }

  /**
   * The commands to send to this client, oldest first, including those that an earlier stream has sent. A desired
   * change waits until the stream has sent its desired state: an agent with the command alone would look for an unknown
   * service.
   */
  async unfinishedFor(
    clientId: string,
    sentRevision: bigint,
    now: Date,
  ): Promise<{ commands: fleet.Command[]; isHeldBack: boolean }> {
    const { unfinished, revision } = await this.#unfinished.add(clientId);
    const isBehind = BigInt(revision) > sentRevision;
    const rows = unfinished.filter((row) => !isBehind || row.generation === null);
    const readable = rows.flatMap((row) => {
      const payload = this.#payloads.open(row);
      return payload ? [{ ...row, payload }] : [];
    });
    const payloads = await this.#configs.open(this.#db, readable);
    const commands = rows.flatMap((row) => toMessages(row, payloads.get(row.id), now));
    return { commands, isHeldBack: rows.length < unfinished.length || payloads.size < rows.length };
  }

  async recordSent(clientId: string, commandId: string, now: Date): Promise<void> {
    if (isId(commandId)) await this.#steps.add({ kind: 'sent', id: commandId, clientId, now });
  }

  async recordAccepted(clientId: string, commandId: string): Promise<void> {
    if (isId(commandId)) await this.#steps.add({ kind: 'accepted', id: commandId, clientId });
  }

  async recordProgress(clientId: string, progress: fleet.CommandProgress): Promise<void> {
    if (!isId(progress.commandId)) return;
    const step = cleanText([progress.step, progress.message].filter((part) => part !== '').join(': '), 1024);
    await markRunning(this.#db, { id: progress.commandId, clientId }, step);
  }

  /**
   * Resolves when the outcome is stored, and the agent may forget it. A repeated result, or one for another client's
   * command, changes nothing and is not an error, because the agent must stop repeating it. False: nothing was stored.
   */
  async recordResult(clientId: string, result: fleet.CommandResult, now: Date): Promise<boolean> {
    const { commandId } = result;
    if (!isId(commandId)) return false;
    const key = { id: commandId, clientId };
    const finding = readResult(result);
    const isSmall = result.resultJson.length <= BATCHED_RESULT_MAX_BYTES;
    const end = await (isSmall
      ? this.#steps.add({ kind: 'ended', ...key, finding, now })
      : this.#conclude(key, finding, { isOver: false, now }));
    if (end === 'ended') this.#waiting.noteFinished([commandId]);
    if (end === 'ignored') this.#logger.warn({ client_id: clientId, command_id: commandId }, 'command.result_ignored');
    return end !== 'ignored';
  }

  /** Ends the commands whose results waited for listeners, as far as these are known now. */
  async settleHeld(now: Date): Promise<void> {
    for (const { result, isOver, ...key } of await listHeld(this.#db, now)) {
      const finding = { status: 'done', errorCode: null, errorMessage: null, result } as const;
      if ((await this.#conclude(key, finding, { isOver, now })) === 'ended') this.#waiting.noteFinished([key.id]);
    }
  }

  async #readUnfinished(clientIds: readonly string[]): Promise<Unfinished[]> {
    const rows = await findUnfinished(this.#db, clientIds, UNFINISHED_BATCH);
    // Read after the commands, so that they include their revisions.
    const revisions = await readDesiredRevisions(this.#db, clientIds);
    const byClient = Map.groupBy(rows, (row) => row.client_id);
    return clientIds.map((id) => ({ unfinished: byClient.get(id) ?? [], revision: revisions.get(id) ?? 0 }));
  }

  /** Those that cannot be taken together are taken by themselves. */
  async #take(steps: readonly Step[]): Promise<Array<End | undefined | Promise<End | undefined>>> {
    const sent = steps.filter((step) => step.kind === 'sent');
    const accepted = steps.filter((step) => step.kind === 'accepted');
    const ended = steps.filter((step) => step.kind === 'ended');
    const taken = await this.#db.transaction().execute(async (tx) => {
      const marked = sent.length > 0 ? await markFreeSent(tx, sent) : NONE;
      const running = accepted.length > 0 ? await markFreeRunning(tx, accepted) : NONE;
      const ends = ended.length > 0 ? await finishFreeQueries(tx, ended) : NONE;
      const at = ended[0]?.now;
      if (at && ends.size > 0) await publish(tx, COMMANDS_FINISHED, { ids: [...ends] }, at);
      return { sent: marked, accepted: running, ended: ends };
    });
    return steps.map((step) => {
      if (taken[step.kind].has(step.id)) return step.kind === 'ended' ? 'ended' : undefined;
      return this.#takeOne(step);
    });
  }

  async #takeOne(step: Step): Promise<End | undefined> {
    switch (step.kind) {
      case 'sent':
        await markSent(this.#db, step);
        return undefined;
      case 'accepted':
        await markRunning(this.#db, step, undefined);
        return undefined;
      case 'ended':
        return this.#conclude(step, step.finding, { isOver: false, now: step.now });
    }
  }

  #conclude(
    { id, clientId }: DeployKey,
    finding: Finding,
    { isOver, now }: { readonly isOver: boolean; readonly now: Date },
  ): Promise<End> {
    const key = { id, clientId };
    return this.#db.transaction().execute(async (tx) => {
      const facts = finding.status === 'done' ? await readDeployFacts(tx, key) : undefined;
      const end = concludeDeploy(finding, facts, isOver);
      if (end === undefined) {
        await holdResult(tx, key, { result: finding.result, until: new Date(now.getTime() + LISTENERS_WAIT_MS) });
        return 'held';
      }
      if (!(await this.#finish(tx, { ...key, by: 'client' }, end, now))) return 'ignored';
      await publish(tx, COMMANDS_FINISHED, { ids: [key.id] }, now);
      return 'ended';
    });
  }

  /** A client whose upgrade fails wants its earlier version again, in the same transaction. */
  async #finish(tx: Tx, key: Parameters<typeof finish>[1], finding: Finding, now: Date): Promise<boolean> {
    const upgrade = await lockReturning(tx, this.#services, { key, finding, now });
    if (!upgrade) return finish(tx, key, finding, now);
    const isReturning = await returnToFormer(tx, this.#services, upgrade, now);
    return finish(tx, key, describeReturn(finding, upgrade, isReturning), now);
  }

  /**
   * The service cannot be built for this client: fails the commands that wait for new content. Those that need no new
   * content continue if the previous content is kept.
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
    const waiting = await findUnfinished(this.#db, [clientId], UNFINISHED_BATCH);
    for (const { id, service_id, generation, type } of waiting) {
      if (service_id !== serviceId || generation === null || type === 'UNDEPLOY') continue;
      if (isKept && !needContent.includes(type)) continue;
      const isNew = await this.#db.transaction().execute(async (tx) => {
        const stored = await this.#finish(tx, { id, clientId, by: 'system' }, finding, now);
        if (stored) await publish(tx, COMMANDS_FINISHED, { ids: [id] }, now);
        return stored;
      });
      if (isNew) this.#waiting.noteFinished([id]);
    }
  }
}

function toMessages(row: CommandRow, payload: object | undefined, now: Date): fleet.Command[] {
  const leftMs = row.deadline_at === null ? row.timeout_ms : row.deadline_at.getTime() - now.getTime();
  if (leftMs <= 0 || !payload) return [];
  return [
    create(fleet.CommandSchema, {
      commandId: row.id,
      fence: BigInt(row.fence),
      type: row.type,
      subType: row.sub_type,
      serviceId: row.service_id ?? '',
      payloadJson: Buffer.from(JSON.stringify(payload)),
      deadlineMs: leftMs,
    }),
  ];
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An agent may send any text as an id; only valid ids are used in queries. */
function isId(text: string): boolean {
  return ID.test(text);
}

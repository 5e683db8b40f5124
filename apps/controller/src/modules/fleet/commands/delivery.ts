import { create } from '@bufbuild/protobuf';
import { type Db, isRefusedValue, publish } from '@flotilla/db';
import { Batches, type Logger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import type { ForwarderConfigs } from '../log-forwarding/index.ts';
import { concludeDeploy, LISTENERS_WAIT_MS } from './deploy-end.ts';
import { type DeployKey, holdResult, listHeld, readDeployFacts } from './deploy-store.ts';
import { COMMANDS_FINISHED, cleanText, type Finding, readResult } from './model.ts';
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

/** Delivers commands to the streams of clients and stores their outcomes. */
export class CommandDelivery {
  readonly #db: Db;
  readonly #logger: Logger;
  readonly #waiting: CommandWaiting;
  readonly #configs: Pick<ForwarderConfigs, 'open'>;

  // A command for a thousand clients is read, sent and answered a thousand times at once.
  readonly #unfinished: Batches<string, Unfinished>;
  readonly #sent: Batches<SentCommand, undefined>;
  readonly #accepted: Batches<CommandKey, undefined>;
  readonly #results: Batches<Ending, End>;

  constructor(deps: { db: Db; logger: Logger; waiting: CommandWaiting; configs: Pick<ForwarderConfigs, 'open'> }) {
    this.#db = deps.db;
    this.#logger = deps.logger;
    this.#waiting = deps.waiting;
    this.#configs = deps.configs;
    const limits = { max: BATCH_MAX, isOfOneItem: isRefusedValue };
    this.#unfinished = new Batches({ ...limits, run: (clientIds) => this.#readUnfinished(clientIds) });
    this.#sent = new Batches({ ...limits, run: (keys) => this.#markSent(keys) });
    this.#accepted = new Batches({ ...limits, run: (keys) => this.#markAccepted(keys) });
    this.#results = new Batches({ ...limits, run: (endings) => this.#end(endings) });
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
    const payloads = await this.#configs.open(this.#db, rows);
    const commands = rows.flatMap((row) => toMessages(row, payloads.get(row.id), now));
    return { commands, isHeldBack: rows.length < unfinished.length || payloads.size < rows.length };
  }

  async recordSent(clientId: string, commandId: string, now: Date): Promise<void> {
    if (isId(commandId)) await this.#sent.add({ id: commandId, clientId, now });
  }

  async recordAccepted(clientId: string, commandId: string): Promise<void> {
    if (isId(commandId)) await this.#accepted.add({ id: commandId, clientId });
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
      ? this.#results.add({ ...key, finding, now })
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

  async #markSent(sent: readonly SentCommand[]): Promise<Array<undefined | Promise<undefined>>> {
    const marked = await markFreeSent(this.#db, sent);
    return sent.map((one) => (marked.has(one.id) ? undefined : markSent(this.#db, one)));
  }

  async #markAccepted(keys: readonly CommandKey[]): Promise<Array<undefined | Promise<undefined>>> {
    const marked = await markFreeRunning(this.#db, keys);
    return keys.map((key) => (marked.has(key.id) ? undefined : markRunning(this.#db, key, undefined)));
  }

  /** Ends the queries together, and every other command by itself. */
  async #end(endings: readonly Ending[]): Promise<Array<End | Promise<End>>> {
    const ids = await this.#db.transaction().execute(async (tx) => {
      const ended = await finishFreeQueries(tx, endings);
      const at = endings[0]?.now ?? new Date();
      if (ended.length > 0) await publish(tx, COMMANDS_FINISHED, { ids: ended }, at);
      return new Set(ended);
    });
    return endings.map(({ finding, now, ...key }) =>
      ids.has(key.id) ? 'ended' : this.#conclude(key, finding, { isOver: false, now }),
    );
  }

  #conclude(
    key: DeployKey,
    finding: Finding,
    { isOver, now }: { readonly isOver: boolean; readonly now: Date },
  ): Promise<End> {
    return this.#db.transaction().execute(async (tx) => {
      const facts = finding.status === 'done' ? await readDeployFacts(tx, key) : undefined;
      const end = concludeDeploy(finding, facts, isOver);
      if (end === undefined) {
        await holdResult(tx, key, { result: finding.result, until: new Date(now.getTime() + LISTENERS_WAIT_MS) });
        return 'held';
      }
      if (!(await finish(tx, { ...key, by: 'client' }, end, now))) return 'ignored';
      await publish(tx, COMMANDS_FINISHED, { ids: [key.id] }, now);
      return 'ended';
    });
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
        const stored = await finish(tx, { id, clientId, by: 'system' }, finding, now);
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

import type { Db, OutboxEvent } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import * as z from 'zod';
import { CLIENTS_MOVED, CLIENTS_REMOVED } from '../clients/index.ts';
import { type ClientStreams, COMMANDS_CREATED, COMMANDS_FINISHED, type CommandWaiting } from '../commands/index.ts';
import { SERVICES_CHANGED } from '../services/index.ts';
import type { PairsPort } from './pairs-port.ts';
import { DOCUMENTS_CHANGED, type FindReachedServices, findReachedClients, POLICIES_CHANGED } from './reached.ts';
import type { OpenSession } from './sessions.ts';
import { listClientsWithCommands, listOwnClients, listRevisions } from './stream-store.ts';

/** Covers lost events with cheap queries. */
const RECHECK_MS = 60_000;

/** Topics that may change bootstraps or bundles. */
const REACHING: ReadonlySet<string> = new Set([DOCUMENTS_CHANGED, POLICIES_CHANGED, SERVICES_CHANGED, CLIENTS_REMOVED]);

const finishedSchema = z.object({ ids: z.array(z.string()) });

export interface FleetChangesDeps {
  readonly db: Db;
  readonly controllerId: string;
  readonly streams: ClientStreams;
  readonly sessions: ReadonlyMap<string, OpenSession>;
  readonly waiting: CommandWaiting;
  readonly findReachedServices: FindReachedServices;
  readonly pairs: Pick<PairsPort, 'findReached'>;
  readonly logger: Logger;
}

/**
 * Converts the events of all controllers into marks on the streams of this one. The work itself is read from the
 * tables, with one query for all streams and any number of events. Repeated or reordered events therefore do no harm,
 * and a lost one is covered by the recheck.
 */
export class FleetChanges {
  readonly #deps: FleetChangesDeps;
  #recheck: NodeJS.Timeout | undefined;

  constructor(deps: FleetChangesDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#recheck = setInterval(() => {
      this.#deps.waiting.noteAny();
      this.#check(new Set([COMMANDS_CREATED, SERVICES_CHANGED, CLIENTS_MOVED])).catch((error: unknown) =>
        this.#deps.logger.warn({ err: error }, 'fleet.recheck_failed'),
      );
    }, RECHECK_MS);
    this.#recheck.unref();
  }

  stop(): void {
    clearInterval(this.#recheck);
  }

  /**
   * Handles a batch of the outbox. Call it after the snapshots have processed the batch: bootstraps are built from the
   * same documents.
   */
  async handle(events: readonly OutboxEvent[]): Promise<void> {
    const finished = events.filter(({ topic }) => topic === COMMANDS_FINISHED);
    for (const { payload } of finished) this.#deps.waiting.noteFinished(finishedSchema.parse(payload).ids);
    await this.#check(new Set(events.map(({ topic }) => topic)));
    if (this.#deps.sessions.size === 0) return;
    const contents = events.filter(({ topic }) => REACHING.has(topic));
    const { db, findReachedServices, pairs, sessions, streams } = this.#deps;
    const reached = await findReachedClients(db, contents, findReachedServices);
    for (const id of new Set([...reached, ...(await pairs.findReached(events))])) {
      if (sessions.has(id)) streams.noteDesired(id);
    }
  }

  /** Makes the client's stream read its bootstraps and ports again: no event announces a build that succeeds late. */
  handleRebuilt(clientId: string): void {
    if (this.#deps.sessions.has(clientId)) this.#deps.streams.noteDesired(clientId);
  }

  /** Events may have been lost: every stream reads again. */
  async handleLoss(): Promise<void> {
    this.#deps.waiting.noteAny();
    await this.#dropForeign();
    this.#deps.streams.noteAll();
  }

  async #check(topics: ReadonlySet<string>): Promise<void> {
    if (this.#deps.sessions.size === 0) return;
    if (topics.has(CLIENTS_MOVED) || topics.has(CLIENTS_REMOVED)) await this.#dropForeign();
    if (topics.has(SERVICES_CHANGED)) await this.#noteDesired();
    if (topics.has(COMMANDS_CREATED)) await this.#noteCommands();
  }

  /** Drops streams of clients that were removed or have a newer stream on another controller. */
  async #dropForeign(): Promise<void> {
    const { db, sessions, streams, controllerId } = this.#deps;
    const ids = [...sessions.keys()];
    const ours = new Set(await listOwnClients(db, controllerId, ids));
    for (const id of ids) if (!ours.has(id)) streams.displace(id);
  }

  async #noteDesired(): Promise<void> {
    const { db, sessions, streams } = this.#deps;
    for (const { id, desired_revision } of await listRevisions(db, [...sessions.keys()])) {
      if (BigInt(desired_revision) > (sessions.get(id)?.revision ?? 0n)) streams.noteDesired(id);
    }
  }

  async #noteCommands(): Promise<void> {
    const { db, sessions, streams } = this.#deps;
    for (const id of await listClientsWithCommands(db, [...sessions.keys()])) streams.noteCommands(id);
  }
}

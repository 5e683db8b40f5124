import { setTimeout as delay } from 'node:timers/promises';
import type { Db, Tx } from '@flotilla/db';
import { type Clock, type Closable, type Logger, RepeatedWork } from '@flotilla/kit';
import type { Leading } from '../../../platform/presence/index.ts';
import { advanceFindings } from './advance-store.ts';
import { expireAcceptances, releaseOwners } from './expiry-store.ts';
import { settleGone } from './gone-store.ts';
import { listRounds, PASS_CHUNK, type Round, readOperations, saveProgress } from './pass-store.ts';
import { countFindings } from './store.ts';

const EVERY_MS = 60_000;
/** The next pass continues where one ends that takes longer. */
const DEADLINE_MS = 45_000;
/** The longest pause between two transactions. A pause is as long as the last transaction, so that a pass takes half of one connection at most. */
const PAUSE_MAX_MS = 500;
const BATCHES_MAX = 1000;
/** Findings of a project. */
export const FINDINGS_MAX = 200_000;

export interface PassDeps {
  readonly db: Db;
  readonly leadership: Leading;
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * Compares the findings of all projects with the catalogue once a minute while this controller leads. Each step is one short transaction that commits only
 * while the lease is held, and saves where the next one continues: after a crash, or on another controller, a step is repeated, which changes nothing.
 */
export class FindingPass implements Closable {
  readonly #deps: PassDeps;
  readonly #stopped = new AbortController();
  readonly #passes: RepeatedWork;

  constructor(deps: PassDeps) {
    this.#deps = deps;
    deps.leadership.leads('findings');
    const options = { everyMs: EVERY_MS, logger: deps.logger, failure: 'findings.pass_failed' };
    this.#passes = new RepeatedWork(options, () => this.#run());
    this.#passes.request();
    this.#passes.start();
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#passes.close();
  }

  async #run(): Promise<void> {
    const { leadership, db, clock } = this.#deps;
    const { signal } = this.#stopped;
    if (!leadership.isLeading) return;
    try {
      await runPass({ db, clock, write: (work) => leadership.write(work), signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

interface PassWork extends Pick<PassDeps, 'db' | 'clock'> {
  /** Resolves to undefined if this controller does not lead any more. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T | undefined>;
  readonly signal?: AbortSignal;
}

/** One pass over all projects. */
export async function runPass(work: PassWork): Promise<void> {
  const endsMs = work.clock.monotonic() + DEADLINE_MS;
  const isOver = () => work.signal?.aborted === true || work.clock.monotonic() > endsMs;
  const now = () => new Date(work.clock.now());
  await repeat(work, isOver, (tx) => expireAcceptances(tx, now()));
  await repeat(work, isOver, (tx) => releaseOwners(tx, now()));
  for (const round of await listRounds(work.db, now())) {
    if (isOver()) return;
    await runRound(work, round, isOver);
  }
}

/** Ends when the project is compared, the time is over, or this controller does not lead any more. */
async function runRound(work: PassWork, begun: Round, isOver: () => boolean): Promise<void> {
  let room = Math.max(0, FINDINGS_MAX - (await countFindings(work.db, begun.projectId)));
  let round: Round | undefined = begun;
  while (round !== undefined && !isOver()) {
    const current: Round = round;
    const outcome = await paced(work, (tx) => advanceRound(tx, current, { room, now: new Date(work.clock.now()) }));
    if (outcome === undefined) return;
    room -= outcome.made;
    round = outcome.after === null ? undefined : { ...current, after: outcome.after };
  }
  if (round === undefined && begun.isSweep) await settleAll(work, begun.projectId, isOver);
}

async function settleAll(work: PassWork, projectId: string, isOver: () => boolean): Promise<void> {
  let after: string | null = '';
  for (let batch = 0; after !== null && batch < BATCHES_MAX && !isOver(); batch += 1) {
    const from: string = after;
    const settled = await paced(work, (tx) =>
      settleGone(tx, { projectId, after: from, now: new Date(work.clock.now()) }),
    );
    if (settled === undefined) return;
    after = settled.after;
  }
}

/** `after` null: the round has ended. */
async function advanceRound(tx: Tx, round: Round, { room, now }: { readonly room: number; readonly now: Date }) {
  const operations = await readOperations(tx, round);
  const made =
    operations.length === 0 ? 0 : await advanceFindings(tx, { projectId: round.projectId, operations, room, now });
  const after = operations.length < PASS_CHUNK ? null : (operations.at(-1)?.id ?? null);
  await saveProgress(tx, round, { after, now });
  return { made, after };
}

/** Repeats a step that handles one batch until it has nothing to do. */
async function repeat(work: PassWork, isOver: () => boolean, step: (tx: Tx) => Promise<number>): Promise<void> {
  for (let batch = 0; batch < BATCHES_MAX && !isOver(); batch += 1) {
    const handled = await paced(work, step);
    if (handled === undefined || handled === 0) return;
  }
}

/** Runs one transaction, and then leaves the database to others for as long. */
async function paced<T>(work: PassWork, step: (tx: Tx) => Promise<T>): Promise<T | undefined> {
  const begunMs = work.clock.monotonic();
  const outcome = await work.write(step);
  const tookMs = work.clock.monotonic() - begunMs;
  await delay(Math.min(PAUSE_MAX_MS, tookMs), undefined, work.signal && { signal: work.signal });
  return outcome;
}

import type { Level, ResourceKind, RouteContract } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type * as z from 'zod';
import type { JobStatus } from './tables.ts';

/** The actor whose rights a job needs. `system` needs none; only the program itself creates such jobs. */
export type JobActor =
  | { readonly kind: 'user' | 'token'; readonly id: string; readonly name: string }
  | { readonly kind: 'system'; readonly id: null; readonly name: string };

export interface JobRef {
  readonly id: string;
  readonly number: number;
}

/**
 * How a step ended.
 * done: continue with the next step, or end the job
 * no_work: end the job, because there was nothing to do
 * wait_for_children: continue when every spawned job has ended
 * again: run this step again later; it has not failed
 * with_errors: like `done`, but the job ends as done_with_errors
 */
export type StepResult =
  | { readonly kind: 'done'; readonly result?: unknown; readonly write?: StepWrite }
  | { readonly kind: 'no_work' }
  | { readonly kind: 'wait_for_children' }
  | { readonly kind: 'again'; readonly afterMs: number }
  | { readonly kind: 'with_errors'; readonly errors: readonly TargetError[]; readonly result?: unknown };

/** Runs in the transaction that ends the step, so its writes happen exactly once. */
export type StepWrite = (tx: Tx) => Promise<void>;

export interface TargetError {
  readonly target: string;
  readonly message: string;
  /** The target was not attempted. */
  readonly pending?: true;
}

export interface StepContext<P> {
  readonly id: string;
  readonly params: P;
  readonly project: string | null;
  /** The actor who requested the job; its rights are checked before each step. */
  readonly actor: JobActor;
  /** Starts at 1. */
  readonly attempt: number;
  /** Grows with every claim. For effects outside the database, where a later claim outranks an earlier one. */
  readonly fence: number;
  /** Aborted when the job is cancelled or its lease is lost. */
  readonly signal: AbortSignal;
  /** Results of the finished steps by name. */
  readonly results: Readonly<Record<string, unknown>>;
  /**
   * The only way to write: commits if and only if the lease is still held. Throws LeaseLost. In a project's job it
   * reads and writes rows of the project only, and changes nothing that the actor may not change.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  progress(done: number, total: number, failed?: number): Promise<void>;
  /** Sends an event of kind `note` to those who watch the job. Must not contain a secret. */
  note(data: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * Starts jobs of the same project and actor, whose ends this one can wait for; all or none. Children that an earlier
   * attempt of the step created are not created again; their current state is returned.
   */
  spawn<C>(type: JobType<C>, orders: readonly ChildOrder<C>[]): Promise<readonly ChildJob[]>;
  /** All children of the job, from this step and earlier ones, ordered by number. */
  children(): Promise<readonly ChildJob[]>;
}

/** `key` identifies the child among those of its type in the step; it must be the same when the step runs again. */
export interface ChildOrder<C> {
  readonly key: string;
  readonly params: C;
}

export interface ChildJob extends JobRef {
  readonly type: string;
  readonly status: JobStatus;
}

/**
 * The consequence for a step whose worker dies.
 * database: it only writes through `write` or with its result; it runs again and sees its earlier writes
 * repeatable: it may safely be done twice; it runs again
 * once: it must not be done twice; the job fails with `job.unknown_outcome`, and a person decides
 */
export type StepEffects = 'database' | 'repeatable' | 'once';

export interface JobStep<P> {
  readonly name: string;
  readonly effects: StepEffects;
  run(ctx: StepContext<P>): Promise<StepResult>;
}

/** A resource that a job works on, and the level of access that it needs. */
export interface JobNeed {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly level: Level;
}

/** The subject of a job for display: `backup`, `key`. */
export interface JobResource {
  readonly type: string;
  readonly name: string;
}

export interface JobType<P> {
  /** Stable, dotted. */
  readonly type: string;
  readonly title: string;
  /** Members that this schema marks as secrets are stored encrypted. */
  readonly params: z.ZodType<P>;
  /** The route whose rights are checked again before each step; null for jobs that only the system starts. */
  readonly route: Pick<RouteContract, 'access' | 'family'> | null;
  /** Checked with the route if permissions restrict the actor. */
  needs?(params: P): readonly JobNeed[];
  readonly steps: readonly [JobStep<P>, ...JobStep<P>[]];
  about?(params: P): JobResource;
  /** Only one job per project and key may run or wait; further ones are refused. */
  lockKey?(params: P): string;
  readonly attemptsMax?: number;
  /**
   * A single quick step: many are claimed and ended together. It cannot wait or write with its result, which is not
   * stored.
   */
  readonly isSmall?: true;
  /** Parameters of a job that does the same for these targets only. */
  onlyFor?(params: P, targets: readonly string[]): P;
}

/** A job type as the runner sees it. The type's own schema checks the parameters before a step receives them. */
export type AnyJobType = JobType<unknown>;

/** The lease has expired or another worker holds it: nothing written in this transaction is kept. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of this job is not held any more');
    this.name = 'LeaseLost';
  }
}

/** Thrown by a step that would fail again in the same way. */
export class PermanentFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PermanentFailure';
    this.code = code;
  }
}

export const LEASE_MS = 15_000;
export const ATTEMPTS_MAX = 5;

import type { Level, ResourceKind, RouteContract } from '@flotilla/contract';
import type { JobStatus, Tx } from '@flotilla/db';
import type * as z from 'zod';

/** Whose rights a job needs. `system`: nobody's; only the program itself makes such jobs. */
export type JobActor =
  | { readonly kind: 'user' | 'token'; readonly id: string; readonly name: string }
  | { readonly kind: 'system'; readonly id: null; readonly name: string };

export interface JobRef {
  readonly id: string;
  readonly number: number;
}

/**
 * How a step ended.
 * done               the next step, or the end of the job
 * no_work            the job ends: there was nothing to do
 * wait_for_children  the next step, once every job that was spawned has ended
 * again              this step once more, later; it has not failed
 * with_errors        as `done`, but the job ends as done_with_errors
 */
export type StepResult =
  | { readonly kind: 'done'; readonly result?: unknown; readonly write?: StepWrite }
  | { readonly kind: 'no_work' }
  | { readonly kind: 'wait_for_children' }
  | { readonly kind: 'again'; readonly afterMs: number }
  | { readonly kind: 'with_errors'; readonly errors: readonly TargetError[]; readonly result?: unknown };

/** Part of the transaction in which the step ends: what it writes is there once, whatever happens to the worker. */
export type StepWrite = (tx: Tx) => Promise<void>;

export interface TargetError {
  readonly target: string;
  readonly message: string;
  /** It was not tried at all. */
  readonly pending?: true;
}

export interface StepContext<P> {
  readonly params: P;
  readonly project: string | null;
  /** Who has asked for it; their rights are asked for before each step. */
  readonly actor: JobActor;
  /** From 1. */
  readonly attempt: number;
  /** Grows with every claim: for effects outside the database, where a later one outranks an earlier one. */
  readonly fence: number;
  /** Aborted when the job is to be cancelled or its lease is lost. */
  readonly signal: AbortSignal;
  /** Of the steps that are done, by name. */
  readonly results: Readonly<Record<string, unknown>>;
  /**
   * The only way to write: commits if and only if the lease is still held. Throws LeaseLost. Of a job of a project it shows and
   * takes rows of the project alone, and changes nothing that its actor may not change.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  progress(done: number, total: number, failed?: number): Promise<void>;
  /** Told to those who watch the job, as kind `note`. Never holds a secret. */
  note(data: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * Jobs of the same project and actor whose ends this one can wait for. All or none. Those that the step has asked for before,
   * in a try that failed or whose worker died, are not made again: they stay as they are, and it is told how they stand.
   */
  spawn<C>(type: JobType<C>, orders: readonly ChildOrder<C>[]): Promise<readonly ChildJob[]>;
  /** All that the job has, of this step and of those before it, in the order of their numbers. */
  children(): Promise<readonly ChildJob[]>;
}

/** `key` names the child among those of its type that the step asks for; it must be the same when the step runs again. */
export interface ChildOrder<C> {
  readonly key: string;
  readonly params: C;
}

export interface ChildJob extends JobRef {
  readonly type: string;
  readonly status: JobStatus;
}

/**
 * What may happen to a step whose worker dies in it.
 * database    all it writes, it writes through `write` or with its result: it runs again, and finds what it wrote before
 * repeatable  it may be done twice without harm: it runs again
 * once        it must not be done twice: the job ends as failed with `job.unknown_outcome`, and a person decides
 */
export type StepEffects = 'database' | 'repeatable' | 'once';

export interface JobStep<P> {
  readonly name: string;
  readonly effects: StepEffects;
  run(ctx: StepContext<P>): Promise<StepResult>;
}

/** A single thing that a job works on, and what it does with it. */
export interface JobNeed {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly level: Level;
}

/** What a job is about, for people: `backup`, `key`. */
export interface JobResource {
  readonly type: string;
  readonly name: string;
}

export interface JobType<P> {
  /** Stable, dotted. */
  readonly type: string;
  readonly title: string;
  /** Members that are secrets by this schema are kept sealed. */
  readonly params: z.ZodType<P>;
  /** The route whose rights are asked for again before each step; null for what only the system starts. */
  readonly route: Pick<RouteContract, 'access' | 'family' | 'tag'> | null;
  /** Asked for with the route, where permissions say what its actor reaches. */
  needs?(params: P): readonly JobNeed[];
  readonly steps: readonly [JobStep<P>, ...JobStep<P>[]];
  about?(params: P): JobResource;
  /** Of all jobs of a project with one key, one runs or waits at a time; a further one is refused. */
  lockKey?(params: P): string;
  readonly attemptsMax?: number;
  /** One quick step: many are claimed and ended together. It cannot wait, nor write with its result, which is not kept. */
  readonly isSmall?: true;
  /** Parameters of a job that does the same for these targets alone. */
  onlyFor?(params: P, targets: readonly string[]): P;
}

/** As the runner sees it; parameters are checked by the type's own schema before they are handed over. */
export type AnyJobType = JobType<unknown>;

/** The lease is over or somebody else holds it: nothing that was written in this transaction stays. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of this job is not held any more');
    this.name = 'LeaseLost';
  }
}

/** Thrown by a step that would fail in the same way again. */
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

import type { Failure } from '../failure.ts';
import type { EventStore } from '../port.ts';

/** A question to the worker: one for each call of the port. */
export interface Task {
  readonly name: 'open' | keyof EventStore;
  readonly args: readonly unknown[];
}

export interface Question {
  readonly id: number;
  readonly task: Task;
  readonly nowMs: number;
}

export interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly failure?: Failure;
}

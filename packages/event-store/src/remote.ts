import type { MessagePort } from 'node:worker_threads';
import { AppError } from '@flotilla/kit';
import { EVENT_STORE_ERRORS } from './errors.ts';
import { type Failure, fromFailure, toFailure } from './failure.ts';
import type { EventStore } from './port.ts';

/** Only the thread that opened the store closes it. */
type Served = Exclude<keyof EventStore, 'close'>;

interface Question {
  readonly id: number;
  readonly name: Served;
  readonly args: readonly unknown[];
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly failure?: Failure;
}

const SERVED: ReadonlySet<string> = new Set<Served>([
  'append',
  'totals',
  'percentiles',
  'series',
  'latencyMap',
  'groups',
  'top',
  'distinct',
  'rates',
  'facets',
  'page',
  'exportEvents',
  'forward',
  'completeFrom',
  'raiseCompleteFrom',
  'projects',
  'deleteProject',
  'maintain',
  'compact',
  'health',
]);
/** Questions that one port has open at a time. */
const OPEN_MAX = 512;

/** Answers the questions of another thread until the port closes. Errors keep their code, status and message. */
export function serveStore(port: MessagePort, store: EventStore): void {
  port.on('message', (question: Question) => {
    const send = (answer: Answer) => port.postMessage(answer);
    answer(store, question).then(
      (result) => send({ id: question.id, result }),
      (cause: unknown) => send({ id: question.id, failure: describe(cause) }),
    );
  });
}

async function answer(store: EventStore, { name, args }: Question): Promise<unknown> {
  if (!SERVED.has(name)) throw EVENT_STORE_ERRORS.failed(new Error(`The store has no method ${name}.`));
  return (store[name] as (...given: readonly unknown[]) => Promise<unknown>)(...args);
}

function describe(cause: unknown): Failure {
  return toFailure(cause instanceof AppError ? cause : EVENT_STORE_ERRORS.failed(cause));
}

interface Caller {
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * The store that `serveStore` serves at the other end of the port. When the port closes, also because the other thread ended, open and later
 * calls fail with `event_store.closed`. `close` closes the port; the store stays open.
 */
export function connectStore(port: MessagePort): EventStore {
  const callers = new Map<number, Caller>();
  let next = 0;
  let isClosed = false;
  port.on('message', ({ id, result, failure }: Answer) => {
    const caller = callers.get(id);
    callers.delete(id);
    if (failure === undefined) caller?.resolve(result);
    else caller?.reject(fromFailure(failure));
  });
  port.on('close', () => {
    isClosed = true;
    for (const { reject } of callers.values()) reject(EVENT_STORE_ERRORS.closed());
    callers.clear();
  });
  // Only a question that waits keeps the program running.
  port.unref();
  const call = <T>(name: Served, ...args: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      if (isClosed) throw EVENT_STORE_ERRORS.closed();
      if (callers.size >= OPEN_MAX) throw EVENT_STORE_ERRORS.crowded();
      next += 1;
      // First, because arguments that no message can carry throw here.
      port.postMessage({ id: next, name, args } satisfies Question);
      callers.set(next, { resolve, reject });
    }) as Promise<T>;
  return {
    append: (project, batch) => call('append', project, batch),
    totals: (project, range) => call('totals', project, range),
    percentiles: (project, range) => call('percentiles', project, range),
    series: (project, range) => call('series', project, range),
    latencyMap: (project, query) => call('latencyMap', project, query),
    groups: (project, range) => call('groups', project, range),
    top: (project, range) => call('top', project, range),
    distinct: (project, range) => call('distinct', project, range),
    rates: (project, range) => call('rates', project, range),
    facets: (project, range) => call('facets', project, range),
    page: (project, range) => call('page', project, range),
    exportEvents: (project, options) => call('exportEvents', project, options),
    forward: (project, query) => call('forward', project, query),
    completeFrom: () => call('completeFrom'),
    raiseCompleteFrom: (timeMs) => call('raiseCompleteFrom', timeMs),
    projects: () => call('projects'),
    deleteProject: (project) => call('deleteProject', project),
    maintain: (nowMs, retention) => call('maintain', nowMs, retention),
    compact: () => call('compact'),
    health: () => call('health'),
    close: async () => port.close(),
  };
}

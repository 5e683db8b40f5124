import { once } from 'node:events';
import { appendFile, readFile } from 'node:fs/promises';
import { Backoff, sleep, toErrorMessage } from '@flotilla/kit';
import { cleanMessage } from '../../logs/parse-line.ts';
import type { Refusal } from './bulk-answer.ts';
import { renderWriterCounters } from './counters.ts';
import { Delivery } from './delivery.ts';
import { createPost } from './post.ts';
import type { WriterSettings } from './settings.ts';
import { answerTransactions, splitLines } from './transactions.ts';

const COUNTERS_EVERY_MS = 10_000;
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 30_000;
const TEXT_MAX = 500;

export interface WriterIo {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/**
 * Sends the documents that rsyslog writes to standard input to a search engine, until the input ends or `signal` aborts. `path` is
 * the file with the settings. A document is confirmed when the server has taken or refused it.
 */
export async function runLogWriter(path: string, { stdin, stdout, signal }: WriterIo): Promise<number> {
  const settings = JSON.parse(await readFile(path, 'utf8')) as WriterSettings;
  // rsyslog may be gone while a delivery is under way.
  const ended = new AbortController();
  stdin.once('end', () => ended.abort());
  const stopping = AbortSignal.any([signal, ended.signal]);
  const notes = new WriterNotes(settings);
  const timer = setInterval(() => void notes.writeCounters(), COUNTERS_EVERY_MS);
  try {
    await answer({ stdin, stdout, signal: stopping }, createDeliver(settings, notes, stopping));
  } finally {
    clearInterval(timer);
  }
  return 0;
}

type Deliver = (documents: readonly string[]) => Promise<string | undefined>;

function createDeliver(settings: WriterSettings, notes: WriterNotes, signal: AbortSignal): Deliver {
  const post = createPost(settings, signal);
  const delivery = new Delivery({ ...settings, post, onRefused: (one) => notes.addRefusal(one) });
  const backoff = new Backoff({ initialMs: PAUSE_MS, maxMs: PAUSE_MAX_MS, jitter: 0.2 });
  return async (documents) => {
    const failure = await delivery.deliver(documents);
    if (signal.aborted) return 'stopping';
    await notes.setFailure(failure);
    if (failure === undefined) backoff.reset();
    // rsyslog repeats the transaction at once.
    else await sleep(backoff.next(), signal);
    return failure;
  };
}

async function answer({ stdin, stdout, signal }: WriterIo, deliver: Deliver): Promise<void> {
  const lines = splitLines(stdin as AsyncIterable<Uint8Array>);
  for await (const text of answerTransactions(lines, deliver)) {
    if (signal.aborted) return;
    if (!stdout.write(`${text}\n`)) await once(stdout, 'drain');
  }
}

/** Writes about the writer itself into the logs of the forwarder. A log that cannot be written never stops it. */
class WriterNotes {
  readonly #logs: Pick<WriterSettings, 'ownLog' | 'countersLog'>;
  #refused = 0;
  #failure: string | undefined;

  constructor(logs: Pick<WriterSettings, 'ownLog' | 'countersLog'>) {
    this.#logs = logs;
  }

  addRefusal({ reason, count }: Refusal): void {
    this.#refused += count;
    void this.#log('warning', `the server refuses ${count} lines: ${reason}`);
  }

  /** Notes why nothing is delivered, once for each reason. Undefined: it is delivered again. */
  async setFailure(failure: string | undefined): Promise<void> {
    if (failure === this.#failure) return;
    this.#failure = failure;
    if (failure === undefined) await this.#log('info', 'lines are delivered again');
    else await this.#log('error', `lines are not delivered, trying again: ${failure}`);
    await this.writeCounters();
  }

  async writeCounters(): Promise<void> {
    const line = renderWriterCounters({ refused: this.#refused, failing: this.#failure !== undefined });
    await append(this.#logs.countersLog, line);
  }

  #log(level: 'info' | 'warning' | 'error', text: string): Promise<void> {
    const clean = cleanMessage(text).replaceAll('\n', ' ').slice(0, TEXT_MAX);
    return append(this.#logs.ownLog, `${new Date().toISOString()} ${level} ${clean}\n`);
  }
}

async function append(path: string, text: string): Promise<void> {
  await appendFile(path, text, { mode: 0o600 }).catch((error: unknown) =>
    process.stderr.write(`${toErrorMessage(error)}\n`),
  );
}

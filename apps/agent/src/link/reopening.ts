import { sleep } from '@flotilla/kit';
import type { Client } from '@grpc/grpc-js';
import type { Identity } from '../identity/identity-files.ts';

interface ReopeningOptions {
  readonly open: (identity: Identity) => Client;
  readonly onOpened: (client: Client) => void;
  /** Opens a new command stream on `client`. */
  readonly reconnect: () => void;
}

/** The controller has so long to answer on a new connection. */
const ATTEMPT_MS = 2500;

/**
 * The connection to the controller, which is replaced for a new certificate, and to prove that the network works: an old TCP
 * connection may survive where no new one can be opened.
 */
export class Reopening {
  readonly #options: ReopeningOptions;
  readonly #welcomed = new Set<() => void>();
  #identity: Identity;
  #client: Client;
  #isClosed = false;

  constructor(identity: Identity, options: ReopeningOptions) {
    this.#identity = identity;
    this.#options = options;
    this.#client = options.open(identity);
  }

  get client(): Client {
    return this.#client;
  }

  /** Reconnects with this identity. */
  use(identity: Identity): void {
    this.#identity = identity;
    this.#replace();
  }

  /** The controller has answered on the newest stream. */
  noteWelcome(): void {
    for (const wake of this.#welcomed) wake();
  }

  /** Resolves when the controller has welcomed this agent on a connection that was opened after the call. Rejects on abort. */
  async prove(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<true>();
    const wake = () => resolve(true);
    try {
      for (;;) {
        signal.throwIfAborted();
        this.#replace();
        this.#welcomed.add(wake);
        const isWelcome = await Promise.race([promise, sleep(ATTEMPT_MS, signal).then(() => false)]);
        if (isWelcome) return;
      }
    } finally {
      this.#welcomed.delete(wake);
      // The network is as before now, and an attempt over the changed one would only end with its timeout.
      if (signal.aborted) this.#replace();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#client.close();
  }

  #replace(): void {
    if (this.#isClosed) return;
    const previous = this.#client;
    this.#client = this.#options.open(this.#identity);
    this.#options.onOpened(this.#client);
    this.#options.reconnect();
    previous.close();
  }
}

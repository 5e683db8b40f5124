import type { DuckDBConnection } from '@duckdb/node-api';

const CONNECTIONS_MAX = 4;

/** A query has a connection of its own. More than four wait: each may use all of DuckDB's memory. */
export class Connections {
  readonly #connect: () => Promise<DuckDBConnection>;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(connect: () => Promise<DuckDBConnection>) {
    this.#connect = connect;
  }

  async use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    if (this.#running >= CONNECTIONS_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      const connection = await this.#connect();
      try {
        return await work(connection);
      } finally {
        connection.closeSync();
      }
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /** Waits for the queries that run. */
  async whenIdle(): Promise<void> {
    while (this.#running > 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

import type { DuckDBConnection } from '@duckdb/node-api';
import { readRows } from './file.ts';

interface Mark {
  readonly epoch: string;
  readonly sequence: number;
  readonly seenMs: number;
}

const FLUSH_ROWS = 500;

/**
 * The last batch of each epoch of each sender. The marks of a transaction count for its later batches, and for others after `commit`.
 */
export class Senders {
  readonly #marks = new Map<string, Mark>();
  readonly #pending = new Map<string, Mark>();

  async load(connection: DuckDBConnection): Promise<void> {
    const sql =
      'select project, sender, epoch, max(sequence) as sequence, max("seenMs") as seen from senders group by all';
    for (const row of await readRows(connection, sql)) {
      const epoch = String(row.epoch);
      const key = toKey(Number(row.project), String(row.sender), epoch);
      this.#marks.set(key, { epoch, sequence: Number(row.sequence), seenMs: Number(row.seen) });
    }
  }

  isKnown(project: number, { sender, epoch, sequence }: { sender: string; epoch: string; sequence: number }): boolean {
    const key = toKey(project, sender, epoch);
    const mark = this.#pending.get(key) ?? this.#marks.get(key);
    return mark !== undefined && sequence <= mark.sequence;
  }

  add(
    project: number,
    { sender, epoch, sequence }: { sender: string; epoch: string; sequence: number },
    seenMs: number,
  ) {
    this.#pending.set(toKey(project, sender, epoch), { epoch, sequence, seenMs });
  }

  async flush(connection: DuckDBConnection): Promise<void> {
    await writeMarks(connection, [...this.#pending]);
  }

  commit(): void {
    for (const [key, mark] of this.#pending) this.#marks.set(key, mark);
    this.#pending.clear();
  }

  rollback(): void {
    this.#pending.clear();
  }

  /** Rewrites the table with one row for each epoch that was seen since, within the caller's transaction. */
  async shrink(connection: DuckDBConnection, sinceMs: number): Promise<void> {
    for (const [key, { seenMs }] of this.#marks) if (seenMs < sinceMs) this.#marks.delete(key);
    await connection.run('truncate senders');
    await writeMarks(connection, [...this.#marks]);
  }

  forgetProject(project: number): void {
    for (const key of this.#marks.keys()) if (key.startsWith(`[${project},`)) this.#marks.delete(key);
  }
}

function toKey(project: number, sender: string, epoch: string): string {
  return JSON.stringify([project, sender, epoch]);
}

async function writeMarks(connection: DuckDBConnection, marks: readonly (readonly [string, Mark])[]): Promise<void> {
  for (let start = 0; start < marks.length; start += FLUSH_ROWS) {
    const rows = marks.slice(start, start + FLUSH_ROWS).map(([key, mark]) => {
      const [project, sender] = JSON.parse(key) as [number, string];
      return { sql: `(${project}, ?, ?, ${mark.sequence}, ${Math.floor(mark.seenMs)})`, values: [sender, mark.epoch] };
    });
    await connection.run(
      `insert into senders values ${rows.map(({ sql }) => sql).join(', ')}`,
      rows.flatMap(({ values }) => values),
    );
  }
}

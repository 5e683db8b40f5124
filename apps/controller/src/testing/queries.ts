import type { Db } from '@flotilla/db';
import { CompiledQuery } from 'kysely';

interface Recorded {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Records the queries of `work` on all connections, without those of outbox readers and of the loops for pairs. */
export async function recordQueries(db: Db, work: () => Promise<unknown>): Promise<Recorded[]> {
  let owner: { executeQuery(query: Recorded, ...rest: unknown[]): unknown } = Object.getPrototypeOf(db.getExecutor());
  while (!Object.hasOwn(owner, 'executeQuery')) owner = Object.getPrototypeOf(owner);
  const original = owner.executeQuery;
  const recorded: Recorded[] = [];
  owner.executeQuery = function record(this: unknown, query, ...rest) {
    if (!/"(outbox|controllers)"|\bha_(sync|address_pairs)\b|'peer_ok'/.test(query.sql)) recorded.push(query);
    return original.call(this, query, ...rest);
  };
  try {
    await work();
  } finally {
    owner.executeQuery = original;
  }
  return recorded;
}

/** Returns PostgreSQL's plan for a query. */
export async function explain(db: Db, query: Recorded): Promise<string> {
  const plan = CompiledQuery.raw(`explain ${query.sql}`, [...query.parameters]);
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': string }>(plan);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

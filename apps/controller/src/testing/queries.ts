import { AsyncLocalStorage } from 'node:async_hooks';
import type { Db } from '@flotilla/db';
import { CompiledQuery } from 'kysely';

interface Recorded {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const works = new AsyncLocalStorage<symbol>();

/** Records the queries that `work` makes on all connections, without those that the controller makes at the same time. */
export async function recordQueries(db: Db, work: () => Promise<unknown>): Promise<Recorded[]> {
  let owner: { executeQuery(query: Recorded, ...rest: unknown[]): unknown } = Object.getPrototypeOf(db.getExecutor());
  while (!Object.hasOwn(owner, 'executeQuery')) owner = Object.getPrototypeOf(owner);
  const original = owner.executeQuery;
  const recorded: Recorded[] = [];
  const own = Symbol('work');
  owner.executeQuery = function record(this: unknown, query, ...rest) {
    if (works.getStore() === own) recorded.push(query);
    return original.call(this, query, ...rest);
  };
  try {
    await works.run(own, work);
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

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDuckDbStore, toProjectId } from '@flotilla/event-store';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createControllerDatabase } from '../../../testing/database.ts';
import type { CollectTask } from './testing/collect-process.ts';
import { createCatalogue, createWorld, type World } from './testing/world.ts';

const PROCESS = join(import.meta.dirname, 'testing/collect-process.ts');
const EVENTS_PER_BATCH = 20;
const BATCHES = 24;

let database: TestDatabase;
beforeAll(async () => {
  database = await createControllerDatabase();
  await createCatalogue(database);
});
afterAll(() => database?.close());

/** Runs the process and returns the numbers that it was given an answer for. */
async function collect(task: Omit<CollectTask, 'connection'>, killAfter?: number) {
  const argument = JSON.stringify({ connection: database.server.appConnection(database.name), ...task });
  const child = spawn(process.execPath, [PROCESS, argument], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let text = '';
  for await (const part of child.stdout) {
    text += String(part);
    if (killAfter !== undefined && text.split('\n').length > killAfter) child.kill('SIGKILL');
  }
  const [code, signal] = (await ended) as [number | null, string | null];
  const acknowledged = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map(Number);
  return { acknowledged, code, signal };
}

/** The first number without an answer: an agent goes on there. */
function firstOwed(acknowledged: readonly number[], first: number): number {
  let next = first;
  while (acknowledged.includes(next)) next += 1;
  return next;
}

async function countCatalogue({ client }: World) {
  const { rows } = await sql<{ batches: number; seen: number }>`
    select count(*)::int as batches, coalesce(sum(seen), 0)::int as seen from test_catalogue
    where client = ${client}::uuid`.execute(database.owner);
  return rows[0];
}

async function countEvents(dataDir: string, { project }: World): Promise<number> {
  const store = await openDuckDbStore({ path: join(dataDir, 'events.duckdb') });
  const now = Date.now();
  const { data } = await store.totals(toProjectId(project), { from: now - 3_600_000, to: now + 60_000 });
  await store.close();
  return data.events;
}

describe('a collector that is killed', { timeout: 180_000 }, () => {
  it.each([
    ['before the catalogue has what the event store has', { crash: 'before catalogue', crashAt: 6 } as const],
    ['after the catalogue has it and before the agent knows', { crash: 'after catalogue', crashAt: 9 } as const],
    ['at any other moment', {}],
  ])('%s loses nothing that was acknowledged, and counts nothing twice', async (name, crash) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'flotilla-collector-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const world = await createWorld(database, `killed ${name}`);
    const task = { ...world, dataDir, last: BATCHES };
    const killed = await collect({ ...task, first: 1, ...crash }, 'crash' in crash ? undefined : 5);
    expect(killed.signal).toBe('SIGKILL');
    const first = firstOwed(killed.acknowledged, 1);
    expect(await countEvents(dataDir, world)).toBeGreaterThanOrEqual(killed.acknowledged.length * EVENTS_PER_BATCH);
    expect((await countCatalogue(world))?.batches).toBeGreaterThanOrEqual(killed.acknowledged.length);
    const rest = await collect({ ...task, first });
    expect(rest).toMatchObject({ code: 0, signal: null });
    expect(await countEvents(dataDir, world)).toBe(BATCHES * EVENTS_PER_BATCH);
    expect(await countCatalogue(world)).toEqual({ batches: BATCHES, seen: BATCHES * EVENTS_PER_BATCH });
  });
});

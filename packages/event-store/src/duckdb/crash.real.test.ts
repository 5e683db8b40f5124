import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFullTier } from '@flotilla/kit/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toProjectId } from '../port.ts';
import { createBatch, createRandom, createTraffic, NOON_MS } from '../testing/events.ts';
import { openDuckDbStore } from './store.ts';

const PROCESS = join(import.meta.dirname, '..', 'testing', 'appending-process.ts');
const KILLS = isFullTier ? 60 : 3;
const project = toProjectId('shop');
const range = { from: NOON_MS - 2_000_000, to: NOON_MS + 2_000_000 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'event-store-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the process until it has had this many acknowledgements and then for some milliseconds. Returns the last acknowledged batch. */
async function appendAndKill(path: string, first: number, { acknowledged, laterMs }: Kill): Promise<number> {
  const child = spawn(process.execPath, [PROCESS, path, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let text = '';
  let killing = false;
  for await (const part of child.stdout) {
    text += String(part);
    if (killing || text.split('\n').length - 2 < acknowledged) continue;
    killing = true;
    setTimeout(() => child.kill('SIGKILL'), laterMs);
  }
  await ended;
  const numbers = text.slice(0, text.lastIndexOf('\n')).split('\n').slice(1);
  return Number(numbers.at(-1) ?? first - 1);
}

interface Kill {
  readonly acknowledged: number;
  readonly laterMs: number;
}

describe('the DuckDB event store that is killed', () => {
  it('has every acknowledged batch once, and rollups that agree with the events', { timeout: 600_000 }, async () => {
    const path = join(folder, 'events.duckdb');
    const random = createRandom(11);
    let next = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const moment = { acknowledged: 1 + Math.floor(random() * 30), laterMs: Math.floor(random() * 25) };
      const last = await appendAndKill(path, next, moment);
      const store = await openDuckDbStore({ path, now: () => NOON_MS });
      const { data } = await store.totals(project, { ...range, resolution: 'raw' });
      // Batches are whole, and at most one was on its way.
      expect([last + 1, last + 2]).toContain(data.events / 10);
      for (const resolution of ['1m', '1h', '1d'] as const) {
        expect((await store.totals(project, { ...range, resolution })).data).toEqual(data);
      }
      next = data.events / 10;
      const events = createTraffic(10, { seed: last, startMs: NOON_MS, spanMs: 100 });
      expect(await store.append(project, createBatch(last, events))).toBe('duplicate');
      expect((await store.health()).setAside).toBeNull();
      await store.close();
    }
    expect(next).toBeGreaterThan(KILLS);
  });
});

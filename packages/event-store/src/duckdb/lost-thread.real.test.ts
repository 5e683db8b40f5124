import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFullTier } from '@flotilla/kit/testing';
import { describe, expect, it } from 'vitest';
import { toProjectId } from '../port.ts';
import { createBatch, createEvent, NOON_MS } from '../testing/events.ts';
import { openDuckDbStore } from './store.ts';

const PROCESS = join(import.meta.dirname, '..', 'testing', 'losing-process.ts');
const ROUNDS = isFullTier ? 60 : 2;
/** Events that the thread had an answer for. */
const ACKNOWLEDGED = 20_000;

describe('the DuckDB event store whose owner ends while it works', () => {
  it.each(['exit', 'error', 'terminate'])(
    'neither aborts the program nor loses what it acknowledged, and frees the file: %s of a thread',
    { timeout: 300_000 },
    async (how) => {
      const child = spawn(process.execPath, [PROCESS, how, String(ROUNDS)], { stdio: ['ignore', 'pipe', 'inherit'] });
      const exit = once(child, 'exit');
      let text = '';
      for await (const part of child.stdout) text += String(part);
      expect(await exit).toEqual([0, null]);
      const found = text.trim().split('\n').map(Number);
      expect(found).toHaveLength(ROUNDS);
      expect(Math.min(...found)).toBeGreaterThanOrEqual(ACKNOWLEDGED);
    },
  );

  it('starts again if its process is killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'event-store-'));
    const project = toProjectId('shop');
    const store = await openDuckDbStore({ path: join(folder, 'events.duckdb'), now: () => NOON_MS });
    await store.append(project, createBatch(1, [createEvent()]));
    const { processId } = await store.health();
    process.kill(processId ?? 0, 'SIGKILL');
    await expect.poll(() => store.append(project, createBatch(2, [createEvent()])).catch(() => 'lost')).toBe('stored');
    expect(await store.append(project, createBatch(1, [createEvent()]))).toBe('duplicate');
    expect((await store.totals(project, { from: NOON_MS - 1, to: NOON_MS + 1 })).data.events).toBe(2);
    expect((await store.health()).processId).not.toBe(processId);
    await store.close();
    rmSync(folder, { recursive: true });
  });
});

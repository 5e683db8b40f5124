import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { documentRoutes } from '@flotilla/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Owner } from './owner.ts';
import { PROJECT, Stage, settle, takePicture } from './stage.ts';

/** Far more than the page of a list has (200). */
const ROWS = 10_000;
const BATCH = 500;
/** A row in the middle. */
const SOUGHT = ROWS / 2 + 55;
/** Rows on the screen and a few around them. */
const ROWS_IN_PAGE_MAX = 80;

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.open();
  const owner = await Owner.of(stage);
  await insertClients(stage, owner.project);
  await applyClusters(owner);
});
afterAll(() => stage?.close());

function nameOf(index: number): string {
  return `big-${String(index).padStart(5, '0')}`;
}

async function insertClients(stage: Stage, project: string): Promise<void> {
  const now = new Date();
  await stage.fleet.withDatabase(async (db) => {
    for (let from = 0; from < ROWS; from += BATCH) {
      const clients = Array.from({ length: BATCH }, (_, step) => ({
        id: randomUUID(),
        project_id: project,
        name: nameOf(from + step),
        hostname: `host-${from + step}.example.org`,
        os: 'linux',
        arch: step % 2 === 0 ? 'x64' : 'arm64',
        kernel: '6.1.0',
        agent_version: '0.1.0',
        provider: '',
        metadata: '{}',
        cores: 4,
        memory_bytes: 8_589_934_592,
        runtime_dir: '/run/flotilla',
        data_dir: '/var/lib/flotilla',
        connected_to: null,
        connect_reason: null,
        disconnect_reason: null,
        created_at: now,
        updated_at: now,
      }));
      await db.insertInto('clients').values(clients).execute();
      const stats = clients.map(({ id }, step) => ({
        client_id: id,
        at: now,
        load_percent: step % 100,
        memory_percent: (step * 7) % 100,
        stats: '{}',
      }));
      await db.insertInto('client_stats').values(stats).execute();
    }
  });
}

async function applyClusters(owner: Owner): Promise<void> {
  for (let from = 0; from < ROWS; from += BATCH) {
    const documents = Array.from({ length: BATCH }, (_, step) => ({
      collection: 'clusters' as const,
      name: nameOf(from + step),
      version: '1.40.0',
      type: 'envoy.config.cluster.v3.Cluster',
      resource: { name: nameOf(from + step), connect_timeout: '1s' },
    }));
    await owner.call(documentRoutes.apply, { query: {}, body: { project: owner.project, documents } });
  }
}

interface BigList {
  readonly what: string;
  readonly path: string;
  /** Number of rows that the demo itself has. */
  readonly extra: number;
}

const LISTS: readonly BigList[] = [
  { what: 'clients', path: `/p/${PROJECT}/clients`, extra: 1 },
  { what: 'clusters', path: `/p/${PROJECT}/resources/clusters`, extra: 1 },
];

describe.each(LISTS)('a long list of $what', ({ what, path, extra }) => {
  const rows = (page: Page) => page.locator('[data-index]');
  const link = (page: Page, index: number) => page.getByRole('link', { name: nameOf(index), exact: true });

  it('opens with the first rows, and only visible rows are in the page', async () => {
    const { page, complaints, close } = await stage.open(`${path}?sort=name`);
    await link(page, 0).waitFor();
    await settle(page);
    expect(await rows(page).count()).toBeLessThan(ROWS_IN_PAGE_MAX);
    await takePicture(page, `big ${what}`);
    expect(complaints).toEqual([]);
    await close();
  });

  it('scrolls to the last row with the wheel, without a blank screen on the way', async () => {
    const { page, close } = await stage.open(`${path}?sort=name`);
    await link(page, 0).waitFor();
    await page.getByRole('group', { name: `List of ${what}` }).hover();
    await recordFrames(page);
    const last = link(page, ROWS - 1);
    let blank = 0;
    while (!(await last.isVisible())) {
      await page.mouse.wheel(0, 4000);
      if (!(await rows(page).first().isVisible())) blank += 1;
    }
    expect(blank).toBe(0);
    expect(await rows(page).count()).toBeLessThan(ROWS_IN_PAGE_MAX);
    report(`scrolling ${what}`, await readFrames(page));
    await close();
  });

  it('can be navigated by keyboard, from row to row, and to the end', async () => {
    const { page, close } = await stage.open(`${path}?sort=name`);
    await link(page, 0).waitFor();
    await settle(page);
    const first = rows(page).first().getByRole('link').or(rows(page).first().getByRole('checkbox')).first();
    await first.focus();
    for (let step = 1; step <= 40; step += 1) {
      await page.keyboard.press('ArrowDown');
      await page.waitForFunction(
        (index) => document.activeElement?.closest('[data-index]')?.getAttribute('data-index') === String(index),
        step,
      );
    }
    await page.getByRole('group', { name: `List of ${what}` }).focus();
    while (!(await link(page, ROWS - 1).isVisible())) await page.keyboard.press('End');
    await close();
  });

  it('shows the matching rows while the user types, and then returns to its previous state', async () => {
    const { page, close } = await stage.open(`${path}?sort=name`);
    await link(page, 0).waitFor();
    await settle(page);
    const search = page.getByRole('searchbox', { name: `Search ${what}` });
    const times: number[] = [];
    for (const index of [7, ROWS / 2 - 289, ROWS - 1, ROWS / 10 + 23, SOUGHT]) {
      const began = performance.now();
      await search.fill(nameOf(index));
      await page.getByRole('status').getByText('1 row', { exact: true }).waitFor();
      await link(page, index).waitFor();
      times.push(performance.now() - began);
    }
    report(`searching ${what}, from the text to the row`, times);
    await link(page, SOUGHT).click();
    await page.getByRole('heading', { level: 1, name: nameOf(SOUGHT) }).waitFor();
    await page.goBack();
    await link(page, SOUGHT).waitFor();
    expect(await search.inputValue()).toBe(nameOf(SOUGHT));
    await page.getByRole('button', { name: 'Clear' }).click();
    await link(page, 0).waitFor();
    await close();
  });

  it('reacts at once to a new order', async () => {
    const { page, close } = await stage.open(`${path}?sort=name`);
    await link(page, 0).waitFor();
    const header = page.getByRole('columnheader', { name: 'Name' }).getByRole('button');
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const began = performance.now();
      await header.click();
      await page.waitForURL(/sort=-name/);
      await link(page, ROWS - 1).waitFor();
      times.push(performance.now() - began);
      await page.goBack();
      await link(page, 0).waitFor();
    }
    report(`sorting ${what}`, times);
    await close();
  });

  it('has all rows in the exported file once they are loaded', async () => {
    const { page, close } = await stage.open(`${path}?sort=name`);
    await link(page, 0).waitFor();
    await scrollToEnd(page, ROWS + extra);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    const text = await readFile(await download.path(), 'utf8');
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(1 + ROWS + extra);
    expect(text).toContain(nameOf(ROWS - 1));
    await close();
  });
});

describe('the selection of all rows', () => {
  it('includes all loaded rows, and shows their number', async () => {
    const { page, close } = await stage.open(`/p/${PROJECT}/resources/clusters?sort=name`);
    await page.getByRole('link', { name: nameOf(0) }).waitFor();
    await scrollToEnd(page, ROWS + 1);
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await page
      .getByRole('toolbar', { name: 'Selected rows' })
      .getByText(`${ROWS + 1} selected`)
      .waitFor();
    await page.getByRole('button', { name: 'Deselect all' }).click();
    await page.getByRole('toolbar', { name: 'Selected rows' }).waitFor({ state: 'detached' });
    await close();
  });
});

async function scrollToEnd(page: Page, count: number): Promise<void> {
  const last = page.locator(`[data-index="${count - 1}"]`);
  while (!(await last.isVisible()))
    await page.getByRole('group', { name: /^List of/ }).evaluate((list) => list.scrollTo(0, list.scrollHeight));
}

declare global {
  var frameTimes: number[] | undefined;
}

/** Records the milliseconds between frames, as the browser draws them. */
async function recordFrames(page: Page): Promise<void> {
  await page.evaluate(() => {
    const times: number[] = [];
    globalThis.frameTimes = times;
    let before = performance.now();
    const next = (now: number) => {
      times.push(now - before);
      before = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
}

function readFrames(page: Page): Promise<number[]> {
  return page.evaluate(() => globalThis.frameTimes ?? []);
}

/** Prints measurements. They depend on the machine, so no test asserts them. */
function report(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  console.info(`${what}: n ${sorted.length}, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms`);
}

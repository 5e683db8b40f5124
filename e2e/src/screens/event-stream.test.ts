import { backupRoutes, documentRoutes, projectRoutes, versionRoutes } from '@flotilla/contract';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Owner } from './owner.ts';
import { PROJECT, Stage, signIn } from './stage.ts';

const base = `/p/${PROJECT}`;
const OTHER = 'second';
const TABS = 8;

/** Pages, each with a name that appears when its own request was answered. */
const PAGES = [
  ['resources/clusters', 'demo-upstream'],
  ['resources/listeners', 'demo-listener'],
  ['resources/routes', 'demo-routes'],
  ['services', 'demo'],
  ['clients', 'this-machine'],
  ['policies', 'demo-policy'],
  ['resources/listeners?sort=name', 'demo-listener'],
  ['resources/clusters?sort=name', 'demo-upstream'],
] as const;

let stage: Stage;
let owner: Owner;
let version: string;

beforeAll(async () => {
  stage = await Stage.open({ hasPageCache: true });
  owner = await Owner.of(stage);
  const { items } = await owner.call(versionRoutes.list, { query: { project: owner.project } });
  version = items.find(({ documents }) => documents > 0)?.version ?? '';
  await owner.call(projectRoutes.create, { query: {}, body: { name: OTHER, starters: [] } });
});
afterAll(() => stage?.close());

/** Returns the number of streams that the controller counts. */
async function countStreams(): Promise<number> {
  const text = await (await fetch(`${stage.url}/metrics`)).text();
  return Number(/^flotilla_controller_event_streams (\d+)$/m.exec(text)?.[1]);
}

const shows = (page: Page, path: string, name: string) =>
  page.goto(`${base}/${path}`).then(() => page.getByRole('main').getByText(name, { exact: true }).first().waitFor());

const connected = (page: Page) => page.getByRole('banner').getByText('Connected').waitFor();

async function openTabs(context: BrowserContext, first: Page): Promise<Page[]> {
  const pages = [first];
  while (pages.length < TABS) pages.push(await context.newPage());
  for (const [index, page] of pages.entries()) {
    const [path, name] = PAGES[index] ?? PAGES[0];
    await shows(page, path, name);
  }
  return pages;
}

async function makeCluster(name: string, project = owner.project): Promise<void> {
  const resource = { name, connect_timeout: '1s' };
  const one = { collection: 'clusters' as const, name, version, type: 'envoy.config.cluster.v3.Cluster', resource };
  await owner.call(documentRoutes.apply, { query: {}, body: { project, documents: [one] } });
}

describe('the tabs of one browser', () => {
  it('all load, share one stream, and continue when the tab that holds it is closed (screen bug 1)', async () => {
    const { page, close } = await stage.open('about:blank');
    const pages = await openTabs(page.context(), page);
    await Promise.all(pages.map(connected));
    await expect.poll(countStreams).toBe(1);

    for (const one of pages) await one.goto(`${base}/resources/clusters`);
    await Promise.all(pages.map(connected));
    await expect.poll(countStreams).toBe(1);
    await makeCluster('for-all-tabs');
    for (const one of pages) await one.getByRole('link', { name: 'for-all-tabs' }).waitFor();

    // The first tab got the lock first; each following tab gets it in turn.
    for (const [round, holder] of pages.slice(0, 3).entries()) {
      await holder.close();
      const left = pages.slice(round + 1);
      await makeCluster(`after-closing-${round}`);
      for (const one of left) await one.getByRole('link', { name: `after-closing-${round}` }).waitFor();
      await Promise.all(left.map(connected));
      await expect.poll(countStreams).toBe(1);
    }
    await close();
    await expect.poll(countStreams).toBe(0);
  });

  it('receive the events of the project that each of them shows (screen bug 1)', async () => {
    const { page, close } = await stage.open(`${base}/resources/clusters`);
    await connected(page);
    const second = await page.context().newPage();
    await second.goto(`/p/${OTHER}/resources/clusters`);
    await connected(second);
    await expect.poll(countStreams).toBe(1);
    const { items } = await owner.call(projectRoutes.list, { query: {} });
    const other = items.find(({ name }) => name === OTHER)?.id;
    await makeCluster('in-the-second', other);
    await second.getByRole('link', { name: 'in-the-second' }).waitFor();
    await makeCluster('in-the-first');
    await page.getByRole('link', { name: 'in-the-first' }).waitFor();
    expect(await second.getByRole('link', { name: 'in-the-first' }).count()).toBe(0);
    await close();
  });

  it('follow the signed-in account, and receive no events of another one (screen bug 1)', async () => {
    const victor = await owner.addMember('viewer');
    const { page, close } = await stage.open('/', { user: undefined });
    await signIn(page, await stage.admin());
    await page.goto(`${base}/audit`);
    await connected(page);
    const other = await page.context().newPage();
    await other.goto(`${base}/resources/clusters`);
    await connected(other);
    const heard: string[] = [];
    await page.exposeFunction('hear', (text: string) => heard.push(text));
    const victorId = victor.id;
    await page.evaluate((id) => {
      const hear = Reflect.get(globalThis, 'hear') as (text: string) => void;
      const channel = new BroadcastChannel(`flotilla-events ${id}`);
      channel.onmessage = ({ data }) => hear(JSON.stringify(data));
    }, victorId);

    await other.getByRole('button', { name: 'Account of admin' }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await expect.poll(countStreams).toBe(0);
    await signIn(other, victor);
    await page.getByRole('button', { name: `Account of ${victor.username}` }).waitFor();
    await other.goto(`${base}/resources/clusters`);
    await connected(page);
    await connected(other);
    await expect.poll(countStreams).toBe(1);
    // A viewer may not receive the first topic. Every role may receive the second.
    await owner.call(projectRoutes.create, { query: {}, body: { name: 'third', starters: [] } });
    await makeCluster('seen-by-victor');
    await other.getByRole('link', { name: 'seen-by-victor' }).waitFor();
    await expect.poll(() => heard.join()).toContain('seen-by-victor');
    const topics = heard.flatMap((text) => /"topic":"(\w+)"/.exec(text)?.[1] ?? []);
    expect(new Set(topics)).toEqual(new Set(['document']));
    await close();
  });
});

describe('one tab', () => {
  it('opens eight addresses one after the other, and closes the stream of each page that it leaves (screen bug 1)', async () => {
    const { page, close } = await stage.open('about:blank');
    for (const [path, name] of PAGES) {
      await shows(page, path, name);
      await connected(page);
    }
    await expect.poll(countStreams).toBe(1);
    await makeCluster('made-meanwhile');
    // Back to pages that the browser may have cached: they connect again and show the current state.
    for (let back = 1; back < PAGES.length; back += 1) await page.goBack();
    await page.getByRole('link', { name: 'made-meanwhile' }).waitFor();
    await connected(page);
    await makeCluster('made-after-back');
    await page.getByRole('link', { name: 'made-after-back' }).waitFor();
    await expect.poll(countStreams).toBe(1);
    await close();
  });

  it('follows a job to its end without a second stream (screen bug 1)', async () => {
    const { page, close } = await stage.open(`${base}/jobs`);
    await connected(page);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const query = { project: owner.project };
    const { job } = await owner.call(backupRoutes.export, { query, body: { secret_free: true } });
    await page
      .getByRole('link', { name: new RegExp(`${job.number}`) })
      .first()
      .click();
    const events = page.getByRole('list', { name: 'Events' });
    await events.getByText(/^Ended/).waitFor();
    expect(asked.filter((path) => path.endsWith('/events'))).toEqual([]);
    await expect.poll(countStreams).toBe(1);
    await close();
  });
});

import { randomUUID } from 'node:crypto';
import {
  auditRoutes,
  documentRoutes,
  enrolmentRoutes,
  policyRoutes,
  projectRoutes,
  serviceRoutes,
  xdsRoutes,
} from '@flotilla/contract';
import { isFullTier } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Owner } from './owner.ts';
import { expectAccessible, PROJECT, Stage, settle, takePicture } from './stage.ts';

const MARKUP = '<img src=x onerror="globalThis.wasRun=1"><script>globalThis.wasRun=1</script>"\'>{{7*7}}';
const HEBREW = 'שרת ראשי של המשרד (תל אביב) ‮edoc.exe';
const COMBINING = `${[...'Zalgo was here'].join('\u0351\u036b\u032a')} 👩‍👩‍👧‍👦 ǆ`;
const WORDLESS = 'W'.repeat(128);
/** A name of the maximum length for documents, services, users and projects. */
const LONG = `n${'0123456789'.repeat(12)}abcdef`;
const TEXTS = { markup: MARKUP, hebrew: HEBREW, combining: COMBINING, wordless: WORDLESS };

declare global {
  var wasRun: number | undefined;
}

let stage: Stage;
let owner: Owner;
let clients: Record<keyof typeof TEXTS, string>;
let version: string;
let service: string;
let user: string;
/** The audit entry of a failed sign-in. */
let signIn: string;

beforeAll(async () => {
  stage = await Stage.open();
  owner = await Owner.of(stage);
  const query = { project: owner.project };
  const { items } = await owner.call(xdsRoutes.list, { params: { collection: 'clusters' }, query });
  version = items[0]?.version ?? '';
  await owner.call(documentRoutes.apply, {
    query: {},
    body: {
      project: owner.project,
      documents: [
        ...Object.entries(TEXTS).map(([kind, text]) => ({
          collection: 'clusters' as const,
          name: `odd-${kind}`,
          version,
          type: 'envoy.config.cluster.v3.Cluster',
          description: text,
          labels: { [`odd-${kind}`]: text },
          resource: { name: `odd-${kind}`, alt_stat_name: text },
        })),
        {
          collection: 'clusters' as const,
          name: LONG,
          version,
          type: 'envoy.config.cluster.v3.Cluster',
          description: WORDLESS,
          resource: { name: LONG },
        },
      ],
    },
  });
  const { text } = await owner.call(policyRoutes.get, { params: { name: 'demo-policy' }, query });
  await owner.call(policyRoutes.create, {
    query,
    body: { name: LONG, description: MARKUP, text: text.replace('name: demo-policy', `name: ${LONG}`) },
  });
  await owner.call(enrolmentRoutes.createToken, { query, body: { note: MARKUP } });
  await owner.call(enrolmentRoutes.createToken, { query, body: { note: `${HEBREW} ${WORDLESS}`.slice(0, 256) } });
  await owner.call(projectRoutes.create, {
    query: {},
    body: { name: LONG, description: `${MARKUP} ${HEBREW} ${WORDLESS}`, starters: [] },
  });
  user = (await owner.addUser(LONG, 'viewer', `${'e'.repeat(60)}@${'long-label.'.repeat(15)}example.org`)).id;
  clients = await insertClients(Object.entries(TEXTS));
  service = await createService();
  signIn = await failedSignIns();
});
afterAll(() => stage?.close());

/** Inserts clients directly: agents choose their names, so the API cannot set them. */
async function insertClients(texts: [string, string][]): Promise<Record<keyof typeof TEXTS, string>> {
  const now = new Date();
  const ids: Record<string, string> = {};
  await stage.fleet.withDatabase(async (db) => {
    for (const [kind, text] of texts) {
      const id = randomUUID();
      ids[kind] = id;
      await db
        .insertInto('clients')
        .values({
          id,
          project_id: owner.project,
          name: text,
          hostname: text,
          os: text,
          arch: text,
          kernel: text,
          agent_version: text,
          provider: text,
          metadata: JSON.stringify({ [text]: text }),
          cores: 2,
          memory_bytes: 1024,
          runtime_dir: `/${text}`,
          data_dir: `/${text}`,
          connected_to: null,
          connect_time: now,
          connect_reason: text,
          disconnect_time: now,
          disconnect_reason: text,
          last_seen: now,
          created_at: now,
          updated_at: now,
        })
        .execute();
    }
  });
  return ids as Record<keyof typeof TEXTS, string>;
}

async function createService(): Promise<string> {
  const { id } = await owner.call(serviceRoutes.create, {
    query: { project: owner.project },
    body: {
      name: LONG,
      version,
      bootstrap: 'demo-bootstrap',
      clients: [{ client_id: clients.markup }, { client_id: clients.hebrew }],
    },
  } as never);
  return id;
}

/** Signs in with an unknown name and an invented user agent: anyone can write such texts into the audit log. */
async function failedSignIns(): Promise<string> {
  for (const username of [MARKUP, HEBREW, WORDLESS])
    await fetch(`${stage.url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': username === HEBREW ? 'x'.repeat(400) : MARKUP },
      body: JSON.stringify({ username, password: 'not known' }),
    });
  const { items } = await owner.call(auditRoutes.list, { query: { action: 'session.login', outcome: 'denied' } });
  return items.find(({ request }) => request.user_agent === MARKUP)?.id ?? '';
}

interface OddPage {
  readonly name: string;
  readonly path: () => string;
  /** Texts that the page must show exactly as they were written. */
  readonly shows: readonly string[];
}

const base = `/p/${PROJECT}`;
const PAGES: readonly OddPage[] = [
  { name: 'the overview', path: () => `${base}/overview`, shows: [] },
  { name: 'the list of clients', path: () => `${base}/clients`, shows: Object.values(TEXTS) },
  { name: 'a client named with markup', path: () => `${base}/clients/${clients.markup}`, shows: [MARKUP] },
  { name: 'a client named from right to left', path: () => `${base}/clients/${clients.hebrew}`, shows: [HEBREW] },
  { name: 'a client named with many marks', path: () => `${base}/clients/${clients.combining}`, shows: [COMBINING] },
  {
    name: 'a client with a long word for a name',
    path: () => `${base}/clients/${clients.wordless}`,
    shows: [WORDLESS],
  },
  { name: 'the enrolment tokens', path: () => `${base}/clients?tab=enrolment`, shows: [MARKUP] },
  { name: 'the list of services', path: () => `${base}/services`, shows: [LONG] },
  { name: 'a service', path: () => `${base}/services/${service}`, shows: [LONG] },
  { name: 'the nodes of a service', path: () => `${base}/services/${service}?tab=nodes`, shows: [LONG] },
  { name: 'the form of a service', path: () => `${base}/services/${service}/edit`, shows: [MARKUP] },
  { name: 'the graph of a service', path: () => `${base}/services/${service}?tab=graph`, shows: [] },
  { name: 'the dialog to deploy a service', path: () => `${base}/services/${service}?do=deploy`, shows: [MARKUP] },
  { name: 'the list of clusters', path: () => `${base}/resources/clusters`, shows: [LONG] },
  { name: 'a long cluster', path: () => `${base}/resources/clusters/${version}/${LONG}`, shows: [LONG] },
  { name: 'a cluster as a form', path: () => `${base}/resources/clusters/${version}/odd-markup`, shows: [] },
  { name: 'a cluster as code', path: () => `${base}/resources/clusters/${version}/odd-hebrew?view=yaml`, shows: [] },
  {
    name: 'the history of a cluster',
    path: () => `${base}/resources/clusters/${version}/odd-markup?tab=history`,
    shows: [],
  },
  { name: 'what uses a cluster', path: () => `${base}/resources/clusters/${version}/${LONG}?tab=uses`, shows: [LONG] },
  { name: 'the list of policies', path: () => `${base}/policies`, shows: [LONG] },
  { name: 'a policy', path: () => `${base}/policies/${LONG}`, shows: [LONG] },
  { name: 'the audit log', path: () => `${base}/audit?projects=all`, shows: [] },
  {
    name: 'an entry of the audit log',
    path: () => `${base}/audit?projects=all&entry=${signIn}`,
    shows: [MARKUP],
  },
  { name: 'the users', path: () => `${base}/users`, shows: [LONG] },
  { name: 'a user', path: () => `${base}/users/${user}`, shows: [LONG] },
  { name: 'the projects', path: () => '/projects', shows: [LONG] },
];

describe('odd names are only names', () => {
  /** One page for each place of a name: a tile, a list, a title, a form, a graph, a dialog, code, a log. */
  const SAMPLE = [0, 1, 2, 3, 10, 11, 12, 13, 16, 20, 22, 25];

  it.each(isFullTier ? PAGES : PAGES.filter((_, index) => SAMPLE.includes(index)))(
    '$name',
    async ({ name, path, shows }) => {
      const { page, complaints, close } = await stage.open(path());
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await page.locator('h1').waitFor();
        await settle(page);
        await takePicture(page, `odd ${name} ${width}`);
        // A phone leaves columns out.
        if (width === 1280) for (const text of shows) await expectShownAsText(page, text);
        await expectHolds(page);
      }
      // The same pages with usual names are checked, too.
      if (isFullTier) await expectAccessible(page, name);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it('are shown as text in the palette, in the switcher of projects, and in the title of the window', async () => {
    const { page, complaints, close } = await stage.open(`/p/${LONG}/overview`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settle(page);
    await expectHolds(page);
    await page.getByRole('button', { name: /choose another/ }).click();
    await page.getByRole('option', { name: new RegExp(LONG) }).waitFor();
    await takePicture(page, 'odd switcher');
    await expectHolds(page);
    await page.goto(`${base}/clients/${clients.markup}`);
    await page.getByRole('heading', { level: 1 }).getByText(MARKUP).waitFor();
    expect(await page.title()).toContain(MARKUP);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('W'.repeat(20));
    await page.getByRole('option', { name: WORDLESS }).waitFor();
    await takePicture(page, 'odd palette');
    await expectHolds(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await takePicture(page, 'odd palette 390');
    await expectHolds(page);
    expect(complaints).toEqual([]);
    await close();
  });
});

/** Expects the exact text, in an element that isolates its text direction from its surroundings. */
async function expectShownAsText(page: Page, text: string): Promise<void> {
  await expect.poll(async () => (await findShown(page, text)).count, { message: text }).toBeGreaterThan(0);
  if (text === HEBREW) expect((await findShown(page, text)).loose, text).toEqual([]);
}

function findShown(page: Page, text: string): Promise<{ count: number; loose: string[] }> {
  return page.evaluate((wanted) => {
    const holders = [...document.querySelectorAll('main *, [role=dialog] *')].filter(
      (element) =>
        [...element.childNodes].some(
          (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.includes(wanted),
        ) ||
        (element instanceof HTMLInputElement && element.value === wanted),
    );
    const isIsolated = (element: Element): boolean =>
      element instanceof HTMLInputElement ||
      /isolate|plaintext/.test(getComputedStyle(element).unicodeBidi) ||
      (getComputedStyle(element).display === 'inline' &&
        element.parentElement !== null &&
        isIsolated(element.parentElement));
    return {
      count: holders.length,
      loose: holders.filter((one) => !isIsolated(one)).map((one) => one.outerHTML.slice(0, 120)),
    };
  }, text);
}

async function expectHolds(page: Page): Promise<void> {
  expect(await page.evaluate(() => globalThis.wasRun)).toBeUndefined();
  // After a change of the width the page is laid out again.
  const overflow = () => page.evaluate(() => (document.scrollingElement?.scrollWidth ?? 0) - window.innerWidth);
  await expect.poll(overflow).toBeLessThanOrEqual(0);
  expect(await page.locator('main img, [role=dialog] img').count()).toBe(0);
}

import { fleetRoutes } from '@flotilla/contract';
import { selectForTier } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect } from 'vitest';
import { lookEverywhere } from '../everywhere.ts';
import { shareFurnishedStage } from '../shared-stage.ts';
import { type PageOptions, PROJECT, type Stage, type StagePage } from '../stage.ts';
import { ANSWERS } from './answers.ts';
import { FINDING_ANSWERS } from './findings.ts';
import { type Answers, type Requests, serve } from './serve.ts';

export const BASE = `/p/${PROJECT}/traffic`;

export interface OpenOptions extends PageOptions {
  /** These answers come before the usual ones. */
  readonly other?: Answers;
  /** Asks the controller: nothing is answered in its place. */
  readonly isReal?: boolean;
  /** Whether the services have API discovery on. */
  readonly discovery?: boolean;
  /** Default: below the screens about traffic. */
  readonly isElsewhere?: boolean;
}

export interface TrafficRoom {
  /** Opens a screen about traffic. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  /** Closes the page before the test ends, to open another one. */
  close(): Promise<void>;
  /** All requests of the page, newest last. */
  requests(): Requests;
  /** The newest request of the page whose path and query contain this text. */
  lastOf(part: string): string;
}

/** The screens about traffic with answers of this folder and `own` ones. After each test its page has to be without errors. */
export function useTrafficRoom(own: Answers = []): TrafficRoom {
  let stage: Stage;
  let opened: StagePage | undefined;
  let requests: Requests = [];
  beforeAll(async () => {
    ({ stage } = await shareFurnishedStage());
  });
  afterEach(async () => {
    expect(opened?.complaints ?? []).toEqual([]);
    if (opened) expect(await opened.page.evaluate(() => 'wasRun' in globalThis)).toBe(false);
    await opened?.close();
    opened = undefined;
  });
  return {
    open: async (path, options = {}) => {
      opened = await stage.open('about:blank', options);
      const { page } = opened;
      requests = options.isReal
        ? []
        : await serve(page, [...ANSWERS, ...FINDING_ANSWERS, ...own, ...(options.other ?? [])]);
      if (options.discovery !== undefined) await setDiscovery(page, options.discovery);
      await page.goto(options.isElsewhere ? path : `${BASE}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      return page;
    },
    close: async () => {
      await opened?.close();
      opened = undefined;
    },
    requests: () => requests,
    lastOf: (part) => requests.findLast((one) => one.includes(part)) ?? '',
  };
}

export type ListedScreen = readonly [name: string, path: string, heading: string | RegExp];

/** Looks at screens about traffic, one after another. The tests of a commit look at a third of them. `ready` waits for what a screen loads late. */
export async function lookAtScreens(
  page: Page,
  screens: readonly ListedScreen[],
  ready?: (name: string) => Promise<void>,
): Promise<void> {
  for (const [name, path, heading] of selectForTier(screens, 3)) {
    await page.goto('about:blank');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${BASE}${path}`);
    await page.getByRole('heading', { level: 1, name: heading, includeHidden: true }).waitFor();
    await ready?.(name);
    await lookEverywhere(page, name);
  }
}

/** Answers with the controller's services, all of which have API discovery on or off. */
async function setDiscovery(page: Page, isOn: boolean): Promise<void> {
  await page.route(new RegExp(`${fleetRoutes.services.path}\\?`), async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { items: object[] };
    await route.fulfill({
      response,
      json: { ...body, items: body.items.map((service) => ({ ...service, api_discovery: isOn })) },
    });
  });
}

import type { ShieldSeries } from '@flotilla/contract';
import { isFullTier } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage } from './stage.ts';

const MINUTE_MS = 60_000;
const FIRST_GAP = 30;
const GAPS = 6;

let stage: Stage;

beforeAll(async () => {
  ({ stage } = await shareFurnishedStage());
});

/** The answer for an hour in which a client was away for some minutes, and once for longer than its filter keeps counts. */
function withGaps(series: ShieldSeries): ShieldSeries {
  const fromMs = Math.floor(Date.parse(series.from) / MINUTE_MS) * MINUTE_MS;
  const minutes = Array.from({ length: 60 }, (_, n) => ({ n, at: new Date(fromMs + n * MINUTE_MS).toISOString() }));
  const isGap = (n: number) => n >= FIRST_GAP && n < FIRST_GAP + GAPS;
  const points = minutes.map(({ n, at }) => ({
    at,
    allowed: 400 + 20 * (n % 7),
    blocked: 60,
    detected: 12,
    errors: 0,
  }));
  return {
    ...series,
    points: points.filter((_, n) => !isGap(n)),
    gaps: minutes.filter(({ n }) => isGap(n)).map(({ at }) => at),
    unplaced: { dropped: 1234, clock_off: 56 },
  };
}

async function answerWithGaps(page: Page): Promise<void> {
  await page.route(/\/api\/v3\/shield\/series/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: withGaps(await response.json()) });
  });
}

const CHARTS = [
  ['overview', 'overview'],
  ['policy', 'policies/demo-policy?tab=traffic'],
] as const;

it.each(['light', 'dark'] as const)(
  'charts explain their gaps and incomplete steps, and show the requests without a minute (screen bug 7) (%s)',
  async (scheme) => {
    for (const [name, path] of isFullTier ? CHARTS : [CHARTS[scheme === 'light' ? 0 : 1]]) {
      const { page, complaints, close } = await stage.open('/', { scheme });
      await answerWithGaps(page);
      await page.goto(`/p/${PROJECT}/${path}`);
      const chart = page.getByRole('figure', { name: /policy verdict/i });
      await chart.getByText('Gap: no report').scrollIntoViewIfNeeded();
      await chart.getByText('Dashed: incomplete').waitFor();
      await page.getByText(/Missing requests: 1,234/).waitFor();
      await page.getByText(/Requests shown in the minute of their report: 56/).waitFor();
      await look(page, `gaps-${name}-${scheme}`);
      expect(complaints).toEqual([]);
      await close();
    }
  },
);

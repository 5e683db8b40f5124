import {
  type PolicyDetections,
  type PolicyDraft,
  policyDraftRoutes,
  type ReplayReport,
  shieldTrialRoutes,
} from '@flotilla/contract';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, type PageOptions, PROJECT, type Stage, type StagePage } from './stage.ts';
import { ANSWERS } from './traffic-insight/answers.ts';
import { HOSTILE, OPERATIONS } from './traffic-insight/catalogue.ts';
import { type Answers, type Requests, serve } from './traffic-insight/serve.ts';

const BASE = `/p/${PROJECT}/traffic`;
const FIRST = OPERATIONS[0]?.id ?? '';
const FIRST_FINDING = '01a224e5-7a63-7e7b-ae70-000000000001';
const FINDING = '01a224e5-7a63-7e7b-ae70-28a9c90859ed';
const NOW = new Date().toISOString();
const TEXT = 'apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata:\n  name: draft-shop\nspec:\n  domains: []\n';

const limit = {
  requests_per_second: 1.333,
  burst: 80,
  per_minute: 80,
  basis: 'traffic',
  counted_by: 'source',
  sources: 41,
  consumers: 12,
  minutes: 2000,
  requests: 41_000,
  p999: 40,
  max: 300,
  factor: 2,
  over: { sources: 1, minutes: 2, requests: 260 },
} as const;
const DRAFT: PolicyDraft = {
  name: 'draft-shop',
  text: TEXT,
  operations: 2,
  routes: [
    {
      host: 'shop.example',
      hosts: ['shop.example', 'shop.example:8443'],
      normalized_path: '/orders/{id}',
      methods: ['DELETE', 'GET'],
      operation_ids: [FIRST],
      finding_ids: [],
      flags: ['unauthenticated'],
      auth_schemes: ['none'],
      traffic: { requests: 1_200_000, anonymous: 312, sources: 40, consumers: 7 },
      engines: [
        { engine: 'jwt', why: 'Flags: unauthenticated. Requests without credentials were accepted.', limit: null },
        { engine: 'rate_limit', why: '41 sources made requests in 2000 minutes.', limit },
      ],
      notes: [{ flag: 'weak_tls_version', text: 'Weak TLS. Fix it at the proxy: TLS of the listener.' }],
    },
    {
      host: 'shop.example',
      hosts: ['shop.example'],
      normalized_path: HOSTILE,
      methods: ['GET'],
      operation_ids: [FIRST],
      finding_ids: [],
      flags: [],
      auth_schemes: [],
      traffic: null,
      engines: [],
      notes: [],
    },
  ],
  notes: ['An exact host wins over "*".'],
  placeholders: [{ field: 'spec.domains[0].routes[0].policy.engines.jwt.issuer', what: 'issuer of the tokens' }],
  skipped: [{ operation_id: FIRST, reason: 'path' }],
  skipped_findings: [{ finding_id: FINDING, reason: 'closed' }],
  from: NOW,
  to: NOW,
  without_traffic: null,
};
const group = {
  name: 'consumer 00000000000000c7',
  requests: 400,
  allow_to_block: 312,
  block_to_allow: 0,
  other_reason: 0,
  detection_changed: 0,
};
const groups = { groups: [group], others: { requests: 0, flips: 0 } };
const none = { groups: [], others: { requests: 0, flips: 0 } };
const REPORT: ReplayReport = {
  candidate: { digest: 'a'.repeat(64) },
  baseline: { kind: 'recorded', digest: null },
  totals: {
    requests: 1200,
    bad_records: 0,
    out_of_order: 0,
    without_time: 0,
    without_status: 0,
    baseline: { allowed: 1200, blocked: 0, detected: 0 },
    candidate: { allowed: 888, blocked: 312, detected: 0 },
    flips: 312,
    allow_to_block: 312,
    block_to_allow: 0,
    other_reason: 0,
    detection_changed: 0,
    undetermined: 40,
  },
  from: NOW,
  to: NOW,
  by_policy: none,
  by_route: none,
  by_engine: none,
  by_reason: { ...groups, groups: [{ ...group, name: 'jwt.missing' }] },
  by_client: groups,
  by_host: none,
  samples: [],
  missing: [{ what: 'header authorization', engine: 'jwt', requests: 40 }],
  traffic: {
    from: NOW,
    to: NOW,
    events: 900,
    requests: 1200,
    total_requests: 1_200_000,
    replayed_from: NOW,
    truncated: true,
    sampled_events: 12,
    left_out: 0,
  },
  bad_records: [],
};
const DETECTIONS: PolicyDetections = {
  policy: { name: 'guard', revision: 3, updated_at: NOW, detect_parts: 1, services: [] },
  from: NOW,
  to: NOW,
  inspected: 54_000,
  detected: 312,
  blocked: 0,
  errors: 0,
  dropped: 0,
  by_route: [{ name: '=/orders/{id}', events: 312, last_at: NOW }],
  by_engine: [{ name: 'jwt', events: 312, last_at: NOW }],
  by_reason: [{ name: 'jwt.missing', events: 312, last_at: NOW }],
  trend: [0, 1, 2].map((hour) => ({
    at: new Date(Date.UTC(2026, 10, 28, hour)).toISOString(),
    detected: 100 + hour,
    blocked: 0,
  })),
  requests: {
    findings: 312,
    found: 312,
    truncated: false,
    succeeded: 300,
    authenticated: 0,
    anonymous: 312,
    consumers: [{ consumer: null, requests: 312, succeeded: 300, authenticated: 0 }],
    statuses: [{ status: 200, requests: 300 }],
  },
  safe_to_block: false,
  checks: [
    { check: 'attached', passed: false, needed: 1, found: 0 },
    { check: 'requests', passed: true, needed: 1000, found: 54_000 },
    { check: 'hours', passed: true, needed: 24, found: 30 },
    { check: 'credentials', passed: true, needed: 0, found: 0 },
    { check: 'complete', passed: true, needed: 0, found: 0 },
  ],
  block_text: TEXT,
  without_traffic: null,
};
const DRAFTS: Answers = [
  [policyDraftRoutes.suggest, DRAFT],
  [policyDraftRoutes.detections, DETECTIONS],
  [shieldTrialRoutes.replay, REPORT],
];

let stage: Stage;
let opened: StagePage | undefined;
let page: Page;
let requests: Requests;
/** The selections of the drafts that the page asked for. */
let selections: unknown[];

beforeAll(async () => {
  ({ stage } = await shareFurnishedStage());
});
afterEach(async () => {
  expect(opened?.complaints ?? []).toEqual([]);
  if (opened) expect(await page.evaluate(() => 'wasRun' in globalThis)).toBe(false);
  await opened?.close();
  opened = undefined;
});

async function open(path: string, options: PageOptions & { readonly other?: Answers } = {}): Promise<void> {
  opened = await stage.open('about:blank', options);
  ({ page } = opened);
  selections = [];
  page.on('request', (asked) => {
    if (asked.url().includes('/suggest-policy')) selections.push(asked.postDataJSON());
  });
  requests = await serve(page, [...ANSWERS, ...DRAFTS, ...(options.other ?? [])]);
  await page.goto(`${BASE}${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

const runTrial = async () => {
  await page.getByRole('button', { name: 'Run the trial' }).click();
  await page.getByText('Would have blocked 312 of 1,200 requests').waitFor();
};

describe.each([
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 1280 },
  { scheme: 'light', width: 390 },
] as const)('the screens that draft policies, $scheme at $width px', ({ scheme, width }) => {
  it('are accessible, have no errors, and fit the window', async () => {
    await open(`/drafts/new?operation_id=${FIRST}`, { scheme, width });
    await runTrial();
    const fits = async (name: string) => {
      await look(page, `${name}-${scheme}-${width}`);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, name).toBeLessThanOrEqual(0);
    };
    await fits('policy-draft');
    await page.goto(`${BASE}/drafts/new`);
    await page.getByText('Nothing is selected').waitFor();
    await fits('policy-draft-empty');
    await page.goto(`${BASE}/detections?policy=guard`);
    await page.getByText('Not safe to block yet').waitFor();
    await page.locator('figure canvas').first().waitFor();
    await fits('policy-detections');
  });
});

describe('a draft', () => {
  it('shows its reasons and what it lacks, and its trial says who would be blocked', async () => {
    await open(`/drafts/new?operation_id=${FIRST}`);
    await page.getByText('issuer of the tokens').waitFor();
    await page.getByText('1,200,000, 312 without credentials').waitFor();
    await page.getByText('1 endpoint: no route can match exactly this path').waitFor();
    await runTrial();
    await page.getByRole('cell', { name: '312' }).first().waitFor();
    await page.getByText('Replayed 900 events for 1,200 of 1,200,000 requests').waitFor();
    await page.getByText('jwt needs header authorization: 40 requests').waitFor();
  });

  it('opens the editor of a new policy with its text and name', async () => {
    await open(`/drafts/new?operation_id=${FIRST}`);
    await page.getByRole('button', { name: 'Edit and save' }).click();
    await page.waitForURL(/\/policies\/new/);
    await expect.poll(() => page.getByLabel('Name').first().inputValue()).toBe('draft-shop');
  });

  it('of a host or flag is made by the form, which is in the URL', async () => {
    await open('/drafts/new');
    await page.getByLabel('Host').fill('shop.example');
    await page.getByLabel('A rate limit for each path').check();
    await page.getByRole('button', { name: 'Draft', exact: true }).click();
    await page.waitForURL(/host=shop\.example&part=findings&part=rate_limits/);
    await page.getByText('To fill in before you save').waitFor();
    expect(requests.some((one) => one.includes('/suggest-policy'))).toBe(true);
  });

  it('of findings sends their ids alone, and names those that are not in it', async () => {
    await open(`/drafts/new?finding_id=${FINDING}&finding_id=${FIRST_FINDING}&flag=missing_hsts`);
    await page.getByText('2 findings: the draft is about their flags alone').waitFor();
    await page.getByText('1 finding: closed').waitFor();
    await page.getByText('and at 1 other port').waitFor();
    expect(selections).toEqual([{ finding_ids: [FINDING, FIRST_FINDING], parts: ['findings'] }]);
  });

  it('that the controller refuses says why', async () => {
    const refused = { refused: { status: 404, code: 'record.not_found', message: 'No operation for a draft' } };
    await open('/drafts/new?host=nowhere.example', { other: [[policyDraftRoutes.suggest, refused]] });
    await page.getByText('No operation for a draft').waitFor();
  });
});

describe('the detections of a policy', () => {
  it('say what is not met, and ask before the policy blocks', async () => {
    await open('/detections?policy=guard');
    await page.getByText('312; 300 succeeded, 312 had no credentials').waitFor();
    await page.getByRole('button', { name: 'Block' }).click();
    await page.getByText('Not all criteria are met').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
  });
});

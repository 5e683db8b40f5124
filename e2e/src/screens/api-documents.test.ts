import { type ApiCoverageItem, apiDocumentReportRoutes, apiDocumentRoutes, apiOwnerRoutes } from '@flotilla/contract';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { lookAtScreens, type OpenOptions, useTrafficRoom } from './traffic-insight/room.ts';
import type { Answers } from './traffic-insight/serve.ts';

const ID = '00000000-0000-4000-8000-0000000000d1';
const AT = '2026-11-20T10:00:00.000Z';
const HOSTILE = '"><img src=x onerror="globalThis.wasRun=1">';

const VERSION = {
  number: 3,
  current: true,
  format: 'openapi-3.1',
  title: 'Shop API',
  document_version: '2.4.0',
  operation_count: 120,
  deprecated_count: 3,
  servers: ['shop.example.com/v1'],
  warnings: [{ field: 'paths./carts', message: 'common.yaml#/Cart is in another file, which is not read.' }],
  bytes: 12_345,
  sha256: '0'.repeat(64),
  imported_at: AT,
  imported_by: 'ann',
};
const DOCUMENT = {
  id: ID,
  project: ID,
  name: 'shop',
  version: VERSION,
  version_count: 2,
  listener_name: '',
  host_prefixes: null,
  path_prefixes: ['/v1'],
  scope: { listener_name: '', host_prefixes: ['shop.example.com'], path_prefixes: ['/v1'] },
  created_at: AT,
  updated_at: AT,
  updated_by: 'ann',
  revision: 4,
};

const item = (kinds: ApiCoverageItem['kinds'], path: string, more: Partial<ApiCoverageItem> = {}): ApiCoverageItem => ({
  kinds,
  operation_id: kinds.includes('unused') ? null : path.length.toString(16).padStart(16, '0'),
  method: 'GET',
  host: kinds.includes('unused') ? '' : 'shop.example.com',
  path,
  last_seen: kinds.includes('unused') ? null : AT,
  seen_count: 1234,
  documents: [{ id: ID, name: 'shop', number: 3, path, operation: '' }],
  undeclared_parameters: [],
  undeclared_statuses: [],
  ...more,
});
const ITEMS = [
  item(['undocumented'], '/v1/internal/debug', { method: 'POST' }),
  item(['documented', 'undeclared_parameter', 'undeclared_status'], '/v1/orders/{orderId}', {
    undeclared_parameters: ['debug', HOSTILE],
    undeclared_statuses: ['429'],
  }),
  item(['unused'], '/v1/coupons/{code}'),
  item(['documented', 'deprecated_in_use'], `/v1/${HOSTILE}`),
];
const COUNTS = {
  documented: 104,
  overlap: 0,
  undocumented: 1,
  unscoped: 12,
  out_of_scope: 0,
  unused: 1,
  deprecated_in_use: 1,
  undeclared_parameter: 1,
  undeclared_status: 1,
};
const DIFFERENCES = {
  items: ITEMS,
  next_cursor: null,
  counts: COUNTS,
  operation_count: 117,
  excluded: { grpc: 4, tcp: 0, graphql: 2, other_methods: 0 },
  documents: [{ id: ID, name: 'shop', number: 3 }],
  source: 'inventory',
  days: 7,
  since: AT,
  restricted: false,
};

const zeros = (names: readonly string[], more: object) => ({
  ...Object.fromEntries(names.map((name) => [name, 0])),
  ...more,
});
const team = (name: string, operations: number) => ({
  team: name,
  operation_count: operations,
  risk: zeros(['none', 'low', 'medium', 'high', 'critical'], { none: operations - 1, high: 1 }),
  criticality: zeros(['critical', 'high', 'medium', 'low', 'none'], { none: operations }),
  data_classes: zeros(['personal', 'national_id', 'financial', 'health', 'special_category', 'credentials'], {}),
  unauthenticated_writes: 2,
  personal_data: 3,
  without_owner: 4,
  riskiest: [
    { operation_id: '0'.repeat(16), method: 'POST', host: 'shop.example.com', path: '/v1/pay', active_risk_score: 120 },
  ],
});
const RULE = {
  name: 'payments',
  enabled: true,
  match: { listener_name: '', host_prefix: 'shop.example.com', path_prefixes: ['/pay'], methods: [] },
  set: { team: 'payments', owner: '', criticality: 'critical', data_classes: [], tags: ['pci'] },
};
const OWNED = {
  operation_id: '0'.repeat(16),
  method: 'POST',
  host: 'shop.example.com',
  path: `/v1/${HOSTILE}`,
  listeners: ['web'],
  protocols: ['http/2'],
  team: HOSTILE,
  owner: 'ann',
  criticality: 'high',
  data_classes: [],
  tags: ['pci'],
  rules: ['payments'],
  overridden: true,
  active_risk_score: 120,
  active_exposure_score: 0,
  active_risk_band: 'high',
  active_flags: [],
  pii_categories: ['email'],
  unauthenticated_write: true,
  suggested_data_classes: ['personal'],
  last_seen: AT,
};

const ANSWERS: Answers = [
  [apiDocumentRoutes.list, { items: [DOCUMENT], next_cursor: null }],
  [apiDocumentRoutes.get, DOCUMENT],
  [apiDocumentRoutes.import, DOCUMENT],
  [apiDocumentRoutes.delete, {}],
  [apiDocumentRoutes.setScope, DOCUMENT],
  [
    apiDocumentRoutes.versions,
    { items: [VERSION, { ...VERSION, number: 2, current: false, document_version: HOSTILE }], next_cursor: null },
  ],
  [apiDocumentRoutes.deleteVersion, {}],
  [apiDocumentReportRoutes.differences, DIFFERENCES],
  [
    apiDocumentReportRoutes.previewScope,
    {
      matched: 117,
      operation_count: 400,
      samples: [{ operation_id: '0'.repeat(16), method: 'GET', host: 'shop.example.com', path: `/${HOSTILE}` }],
    },
  ],
  [
    apiDocumentReportRoutes.breakingChanges,
    {
      from_number: 2,
      to_number: 3,
      items: [{ kind: 'operation_removed', method: 'GET', path: `/${HOSTILE}`, detail: '' }],
      omitted: 0,
      added_operations: 4,
    },
  ],
  [apiOwnerRoutes.teams, { items: [team('', 40), team('payments', 12), team(HOSTILE, 1)], operation_count: 53 }],
  [apiOwnerRoutes.operations, { items: [OWNED], next_cursor: null }],
  [apiOwnerRoutes.rules, { rules: [RULE], revision: 1, updated_at: AT, updated_by: 'ann' }],
  [
    apiOwnerRoutes.preview,
    {
      operation_count: 53,
      unowned: 40,
      rules: [{ name: 'payments', matched: 12, effective: 12, shadowed: false, shadowed_by: [], samples: [] }],
    },
  ],
  [apiOwnerRoutes.replaceRules, { rules: [RULE], revision: 2, updated_at: AT, updated_by: 'ann' }],
];

const room = useTrafficRoom(ANSWERS);
const { lastOf } = room;
let page: Page;

async function open(path: string, options: OpenOptions = {}): Promise<void> {
  page = await room.open(path, options);
}

const SCREENS = [
  ['api-documents', '/documents', 'API documents'],
  ['api-documents-differences', '/documents?tab=differences', 'API documents'],
  ['api-documents-import', '/documents?create=document', 'API documents'],
  ['api-document', `/documents/${ID}`, 'shop'],
  ['api-document-scope', `/documents/${ID}?tab=scope`, 'shop'],
  ['api-document-versions', `/documents/${ID}?tab=versions`, 'shop'],
  ['api-teams', '/teams', 'Teams'],
  ['api-teams-endpoints', '/teams?tab=endpoints', 'Teams'],
  ['api-teams-rules', '/teams?tab=rules', 'Teams'],
] as const;

it('the screens of API documents and owners are accessible, have no errors, and fit the window of a computer and of a phone', async () => {
  await open('/documents');
  await lookAtScreens(page, SCREENS);
});

it('a document is pasted or dropped, and opens after its import', async () => {
  await open('/documents?create=document');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('shop');
  await dialog.getByLabel('Or paste the document').fill('openapi: 3.0.3');
  const file = await page.evaluateHandle(() => {
    const dropped = new DataTransfer();
    dropped.items.add(new File(['openapi: 3.0.3'], 'shop.yaml'));
    return dropped;
  });
  await dialog.getByText('or drop it here').dispatchEvent('drop', { dataTransfer: file });
  await dialog.getByText('shop.yaml, 14').waitFor();
  await dialog.getByRole('button', { name: 'Import' }).click();
  await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
  expect(lastOf('POST')).toContain('name=shop');
});

it('a refused document says which line is wrong', async () => {
  const refused = {
    status: 422,
    code: 'api_document.invalid',
    message: 'The file is not a usable OpenAPI or Swagger document: line 2, column 8: the { opened here has no }.',
  };
  await open('/documents?create=document', { other: [[apiDocumentRoutes.import, { refused }]] });
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('shop');
  await dialog.getByLabel('Or paste the document').fill('openapi: 3.0.3\npaths: {');
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('line 2, column 8').waitFor();
});

it('differences are filtered by chips that the URL keeps', async () => {
  await open(`/documents/${ID}`);
  await page.getByText('Undocumented 1').click();
  await page.waitForURL(/kind=undocumented/);
  await expect
    .poll(() => lastOf('/differences'))
    .toMatch(/document_id=.*kind=undocumented|kind=undocumented.*document_id=/);
  await page.getByText('30 days', { exact: true }).click();
  await expect.poll(() => lastOf('/differences')).toContain('days=30');
});

it('a project without documents says what they are for', async () => {
  const other: Answers = [[apiDocumentRoutes.list, { items: [], next_cursor: null }]];
  await open('/documents', { other });
  await page.getByText('No API documents yet').waitFor();
  await page.getByRole('button', { name: 'Import the first document' }).click();
  await page.getByRole('dialog').waitFor();
});

it('rules are tried before they are saved', async () => {
  await open('/teams?tab=rules');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('53 endpoints, 40 without a team').waitFor();
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByRole('group', { name: 'the new rule' }).getByLabel('Name').fill('rest');
  await page.getByRole('button', { name: 'Move rest up' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('1 rule saved.').waitFor();
  expect(lastOf('PUT')).toContain('/ownership/rules');
});

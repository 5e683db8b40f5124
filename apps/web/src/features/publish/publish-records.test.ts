import type { Change, PublishResult } from '@flotilla/contract';
import { afterEach, expect, it, vi } from 'vitest';
import { readRecords } from './publish-records.ts';

afterEach(() => vi.unstubAllGlobals());

const CLUSTER = '/api/v3/xds/clusters/shop/revisions/3';
const SERVICE = '/api/op/services/s/revisions/6';
const timeout: Change = { path: 'resource.connect_timeout', change: 'changed', before: '5s', after: '7s' };
const listener: Change = { path: 'listeners[1]', change: 'added', after: 'web' };
const cluster = {
  revision: 3,
  created_at: '2026-01-01T00:00:00.000Z',
  created_by: 'anna',
  type: 'envoy.config.cluster.v3.Cluster',
  description: null,
  labels: {},
  resource: { name: 'shop', connect_timeout: '5s' },
  private: [],
  comments: [],
};
const service = {
  revision: 6,
  at: '2026-01-01T00:00:00.000Z',
  by: 'anna',
  document: { name: 'shop', listeners: ['edge'] },
};

/** Answers with these bodies, and with 404 elsewhere. */
function answer(bodies: Readonly<Record<string, unknown>>): void {
  vi.stubGlobal('fetch', async (url: string) => {
    const body = bodies[url.split('?', 1)[0] ?? ''];
    return body ? Response.json(body) : Response.json({ code: 'record.not_found', message: 'gone' }, { status: 404 });
  });
}

function plan(diff: readonly Change[] = [timeout]): PublishResult {
  return {
    version: '1.39.3',
    documents: [{ collection: 'clusters', name: 'shop', version: '1.39.3', outcome: 'changed', revision: 4, diff }],
    service: { id: 's', name: 'shop', outcome: 'changed', revision: 7, diff: [listener] },
  } as unknown as PublishResult;
}

it('each record is shown from the revision that the dry run compared with', async () => {
  answer({ [CLUSTER]: cluster, [SERVICE]: service });
  const [first, second] = await readRecords(plan(), 'p');
  expect(first).toEqual({
    name: 'clusters/shop',
    outcome: 'changed',
    change: {
      diff: [timeout],
      text: {
        before: 'name: shop\nconnect_timeout: 5s\n',
        after: 'name: shop\nconnect_timeout: 7s\n',
        language: 'yaml',
        beforeLabel: 'Revision 3',
        members: ['resource'],
      },
    },
  });
  expect(second?.change.text).toMatchObject({
    before: 'name: shop\nlisteners:\n  - edge\n',
    after: 'name: shop\nlisteners:\n  - edge\n  - web\n',
    beforeLabel: 'Revision 6',
  });
});

it('a record that cannot be read is shown by its differences, and the others by their texts', async () => {
  answer({ [SERVICE]: service });
  const [first, second] = await readRecords(plan(), 'p');
  expect(first?.change).toEqual({ diff: [timeout], text: undefined });
  expect(second?.change.text).toBeDefined();
});

it('a record that was created again meanwhile is shown by its differences', async () => {
  answer({ [CLUSTER]: { ...cluster, resource: { name: 'shop', connect_timeout: '1s' } }, [SERVICE]: service });
  const [first] = await readRecords(plan(), 'p');
  expect(first?.change).toEqual({ diff: [timeout], text: undefined });
});

it('comments count for the maximum of differences, although the text does not show them', async () => {
  answer({ [CLUSTER]: cluster, [SERVICE]: service });
  const comment: Change = { path: 'comments["connect_timeout"]', change: 'added', after: 'Ask first.' };
  const [few] = await readRecords(plan([timeout, comment]), 'p');
  expect(few?.change.text?.after).toContain('7s');
  const [many] = await readRecords(plan([timeout, ...Array<Change>(199).fill(comment)]), 'p');
  expect(many?.change.text).toBeUndefined();
});

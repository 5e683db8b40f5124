import { TEST_ENVOY_CACHE_DIR } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { type DocumentCalls, document, documentCallsOf, routesTo, VERSION } from './testing/documents.ts';

let t: TestController;
let calls: DocumentCalls;
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  calls = documentCallsOf(t);
});
afterAll(() => t.close());

const count = async () =>
  (
    await t.database.db
      .selectFrom('documents')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
  ).n;

describe('apply', () => {
  it('writes documents in any order, all together, with one audit entry', async () => {
    const answer = await calls.apply([
      document('routes', 'first', routesTo('later')),
      document('clusters', 'later', { type: 'STATIC' }),
    ]);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(answer.body.results.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['created', 'created']);
    const again = await calls.apply([
      document('routes', 'first', routesTo('later')),
      document('clusters', 'later', { type: 'STATIC' }),
    ]);
    expect(again.body.results.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['unchanged', 'unchanged']);
    const records = await t.database.db
      .selectFrom('audit_log')
      .selectAll()
      .where('action', '=', 'document.apply')
      .orderBy('id')
      .execute();
    expect(records.at(-2)?.changes).toMatchObject({ documents: [{ name: 'first' }, { name: 'later' }] });
  });

  it('changes nothing if one of 500 documents is invalid, and names it', async () => {
    const before = await count();
    const documents = Array.from({ length: 500 }, (_, i) => document('clusters', `many-${i}`, { type: 'STATIC' }));
    documents[311] = document('clusters', 'many-311', { type: 'NO_SUCH_TYPE' });
    const answer = await calls.apply(documents);
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].path).toBe('documents[311].resource.type');
    expect(answer.body.errors).toHaveLength(1);
    expect(await count()).toBe(before);
    documents[311] = document('clusters', 'many-311', { type: 'STATIC' });
    expect((await calls.apply(documents)).status).toBe(200);
    expect(await count()).toBe(before + 500);
  });

  it('reports every invalid document at once', async () => {
    const answer = await calls.apply([
      document('clusters', 'ok', { type: 'STATIC' }),
      document('clusters', 'bad-1', { nope: 1 }),
      document('routes', 'bad-2', { name: 'else', virtual_hosts: [] }),
    ]);
    expect(answer.body).toMatchObject({ code: 'document.batch_refused' });
    expect(answer.body.errors.map(({ name, code }: { name: string; code: string }) => [name, code])).toEqual([
      ['bad-1', 'document.invalid'],
      ['bad-2', 'document.name_mismatch'],
    ]);
  });

  it('deletes documents, prunes them by label, and respects expected revisions', async () => {
    const labels = { app: 'shop' };
    await calls.apply([
      document('clusters', 'keep', { type: 'STATIC' }, { labels }),
      document('clusters', 'drop', { type: 'STATIC' }, { labels }),
    ]);
    const dry = await t.owner.call('POST', '/api/v3/xds/apply?dry_run=true', {
      project: t.project,
      documents: [document('clusters', 'keep', { type: 'STATIC' }, { labels })],
      prune: { version: VERSION, labels },
    });
    expect(dry.body).toMatchObject({
      dry_run: true,
      results: [
        { name: 'keep', outcome: 'unchanged' },
        { name: 'drop', outcome: 'deleted' },
      ],
    });
    expect((await t.owner.call('GET', calls.item('clusters', 'drop'))).status).toBe(200);
    await calls.apply([document('clusters', 'keep', { type: 'STATIC' }, { labels })], {
      prune: { version: VERSION, labels },
    });
    expect((await t.owner.call('GET', calls.item('clusters', 'drop'))).status).toBe(404);
    expect((await calls.apply([document('clusters', 'keep', { type: 'STATIC' }, { revision: 9 })])).body.code).toBe(
      'record.stale',
    );
    expect((await calls.apply([document('clusters', 'keep', { type: 'STATIC' }, { revision: 0 })])).body.code).toBe(
      'record.stale',
    );
    const { id, revision } = (await t.owner.call('GET', calls.item('clusters', 'keep'))).body;
    const drop = (more: object) =>
      calls.apply([], { delete: [{ collection: 'clusters', name: 'keep', version: VERSION, ...more }] });
    const stale = { code: 'record.stale', errors: [{ path: 'delete[0]', name: 'keep', code: 'record.stale' }] };
    expect((await drop({ id, revision: revision + 1 })).body).toMatchObject(stale);
    expect((await drop({ id: t.project, revision })).body).toMatchObject(stale);
    const removed = await drop({ id, revision });
    expect(removed.body.results).toEqual([expect.objectContaining({ outcome: 'deleted' })]);
  });
});

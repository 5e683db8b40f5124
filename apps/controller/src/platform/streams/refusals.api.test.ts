import { failEnrolment } from '@flotilla/contract';
import { createId, createSilentLogger, FakeClock } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createControllerDatabase } from '../../testing/database.ts';
import { Refusals } from './refusals.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createControllerDatabase();
});
afterAll(() => database.close());

it('thirty refusals a minute are recorded per network, whatever addresses of it they come from', async () => {
  const clock = new FakeClock();
  const heard: string[] = [];
  const refusals = new Refusals({
    db: database.db,
    clock,
    logger: createSilentLogger(),
    onRefused: (code) => heard.push(code),
  });
  const refuse = (ip: string) =>
    refusals.record({
      action: 'client.enrol',
      error: failEnrolment('enrolment.too_many'),
      origin: { method: 'GRPC', path: '/enrol', ip, userAgent: undefined, requestId: createId() },
    });
  for (let i = 0; i < 40; i += 1) await refuse(`2001:db8:1:2::${i + 1}`);
  await refuse('2001:db8:1:3::1');
  clock.advance(60_000);
  await refuse('2001:db8:1:2:f::');
  const rows = await database.db
    .selectFrom('audit_log')
    .select(['client_ip', 'changes'])
    .where('action', '=', 'client.enrol')
    .orderBy('id')
    .execute();
  expect(rows).toHaveLength(32);
  expect(rows.at(-1)).toMatchObject({ client_ip: '2001:db8:1:2:f::', changes: { omitted_before: 10 } });
  expect(heard).toHaveLength(42);
});

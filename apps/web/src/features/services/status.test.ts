import type { ServiceCondition } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { describeService } from './status.ts';

const target = (client_name: string, connected: boolean, deployed = true) => ({ client_name, connected, deployed });
const condition = (state: ServiceCondition['state'], more: Partial<ServiceCondition> = {}): ServiceCondition => ({
  state,
  last_known: null,
  reason: null,
  ...more,
});

it('screen bug 2: claims no more than that the configuration is applied', () => {
  const { word, why } = describeService({ condition: condition('up_to_date'), targets: [target('a', true)] });
  expect(word).toBe('Up to date');
  expect(why).toContain('Upstreams are not checked');
});

it('screen bug 3: gives the reason of a service with errors', () => {
  const reason = 'Envoy refused listener "web".';
  const described = describeService({
    condition: condition('with_errors', { reason }),
    targets: [target('a', true)],
  });
  expect(described).toMatchObject({ word: 'With errors', tone: 'bad', why: reason });
});

it('screen bug 5: warns of a lost connection and says what was known last, naming a few of many clients', () => {
  const away = describeService({
    condition: condition('unreachable', { last_known: 'up_to_date' }),
    targets: Array.from({ length: 8 }, (_, i) => target(`c${i}`, false)),
  });
  expect(away).toMatchObject({ word: 'Unreachable (last known: serving)', tone: 'warn' });
  expect(away.why).toMatch(/connection.* lost: c0, .*c4 and 3 more/);
  const partly = describeService({
    condition: condition('partly_unreachable'),
    targets: [target('a', true), target('b', false)],
  });
  expect(partly.why).toMatch(/lost: b\./);
});

it('distinguishes a service with listed clients from one without any', () => {
  const idle = condition('not_deployed');
  expect(describeService({ condition: idle, targets: [target('a', true, false)] }).why).toContain('assigned');
  expect(describeService({ condition: idle, targets: [] }).why).toBe('No clients are assigned');
});

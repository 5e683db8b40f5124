import { expect, it } from 'vitest';
import { explainStatus } from './status.ts';

const target = (client_name: string, connected: boolean, deployed = true) => ({ client_name, connected, deployed });

it('names the clients that are away, a few of many', () => {
  expect(explainStatus('Partial', [target('a', true), target('b', false)])).toBe('Not connected: b');
  const many = Array.from({ length: 8 }, (_, i) => target(`c${i}`, false));
  expect(explainStatus('Offline', many)).toMatch(/c4 and 3 more$/);
});

it('tells listed from nowhere', () => {
  expect(explainStatus('Not Deployed', [target('a', true, false)])).toContain('listed');
  expect(explainStatus('Not Deployed', [])).toBe('No client is listed');
});

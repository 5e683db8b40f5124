import { expect, it } from 'vitest';
import { formatValue } from './format-value.ts';

const nameOf = (id: string) => (id === 'a' ? 'machine-a' : id);

it('clients are shown by name, with their addresses', () => {
  const clients = [
    { client_id: 'a', addresses: ['192.0.2.1', '192.0.2.2'] },
    { client_id: 'gone', addresses: [] },
  ];
  expect(formatValue(clients, nameOf)).toBe('machine-a (192.0.2.1, 192.0.2.2), gone');
});

it('lists, texts, numbers and settings are shown without brackets', () => {
  expect(formatValue(['x', 'y'], nameOf)).toBe('x, y');
  expect(formatValue([], nameOf)).toBe('none');
  expect(formatValue({ threads: 2, xff_trusted_hops: 0 }, nameOf)).toBe('threads: 2, xff_trusted_hops: 0');
  expect(formatValue(null, nameOf)).toBe('null');
});

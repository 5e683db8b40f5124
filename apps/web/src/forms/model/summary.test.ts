import { describe, expect, it } from 'vitest';
import { summarize } from './summary.ts';

describe('a summary', () => {
  it.each([
    [{ name: 'backend', domains: ['example.com'] }, 'backend · example.com'],
    [{ match: { prefix: '/api' }, route: { cluster: 'backend', timeout: '15s' } }, '/api → backend'],
    [{ match: { path: '/x' }, direct_response: { status: 200 } }, '/x → status 200'],
    [{ socket_address: { address: '192.0.2.1', port_value: 80 } }, '192.0.2.1:80'],
    [{ socketAddress: { address: '2001:db8::1', portValue: 80 } }, '[2001:db8::1]:80'],
    [{ address_prefix: '192.0.2.0', prefix_len: 24 }, '192.0.2.0/24'],
    [{ endpoint: { address: { socket_address: { address: '192.0.2.1', port_value: 80 } } } }, '192.0.2.1:80'],
    [{ $ref: 'filters/x' }, 'filters/x'],
    [{ '@type': 'type.googleapis.com/a.v3.Router' }, 'Router'],
    [{ key: 'x-a', value: '1' }, 'x-a · 1'],
    [{ timeout: '1s', http_health_check: { path: '/ok' } }, '/ok'],
    [{ enabled: true }, 'enabled true'],
    [['a', 'b'], 'a, b'],
    [[{ name: 'a' }, { name: 'b' }, { name: 'c' }], 'a and 2 more'],
    [{}, ''],
    [undefined, ''],
    [null, ''],
    [[], ''],
  ])('of %j is %j', (value, text) => {
    expect(summarize(value)).toBe(text);
  });

  it('reveals nothing private', () => {
    expect(summarize({ private_key: { inline_string: 'PEM' } })).toBe('');
    expect(summarize({ privateKey: { inline_string: 'PEM' }, ocsp_staple: { filename: 'a.der' } })).toBe('a.der');
  });

  it('is a single line, however long or deep the value is', () => {
    expect(summarize({ name: `a\nb${'c'.repeat(500)}` })).toHaveLength(72);
    let deep: object = { name: 'bottom' };
    for (let i = 0; i < 200; i += 1) deep = { inner: deep };
    expect(summarize(deep as never)).toBe('inner');
  });
});

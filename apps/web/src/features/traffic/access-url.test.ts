import { expect, it } from 'vitest';
import { hasTls, toCurl, toUrl } from './access-url.ts';

const place = { isTls: false, addresses: [] as string[], clientName: 'edge-1' };

it.each([
  [{ ...place, address: '127.0.0.1:8080' }, 'http://127.0.0.1:8080/'],
  [{ ...place, address: '10.0.0.1:443', isTls: true }, 'https://10.0.0.1/'],
  [{ ...place, address: '0.0.0.0:80' }, 'http://edge-1/'],
  [{ ...place, address: '0.0.0.0:8080', addresses: ['10.1.1.1'] }, 'http://10.1.1.1:8080/'],
  [{ ...place, address: '[::]:8080', addresses: ['2001:db8::1'] }, 'http://[2001:db8::1]:8080/'],
  [{ ...place, address: '0.0.0.0:8080', clientName: '$(reboot)' }, 'http://localhost:8080/'],
  [{ ...place, address: '/run/envoy.sock' }, undefined],
])('the URL of %j is %s', (where, url) => {
  expect(toUrl(where)).toBe(url);
});

it('a command line has no part that a shell would interpret', () => {
  expect(toCurl('http://edge-1:8080/')).toBe('curl -i http://edge-1:8080/');
  expect(toCurl('http://[::1]:8080/')).toBe("curl -i 'http://[::1]:8080/'");
});

it('a listener has TLS if any filter chain has a transport socket', () => {
  expect(hasTls({ filter_chains: [{ filters: [] }, { transport_socket: {} }] })).toBe(true);
  expect(hasTls({ default_filter_chain: { transport_socket: {} } })).toBe(true);
  expect([hasTls({}), hasTls(null), hasTls({ filter_chains: [null, 'x'] })]).toEqual([false, false, false]);
});

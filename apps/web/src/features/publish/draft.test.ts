import { describe, expect, it } from 'vitest';
import { checkDraft, EMPTY_DRAFT, fieldOf, toBody, usesTls } from './draft.ts';

const draft = { ...EMPTY_DRAFT, upstreams: 'http://127.0.0.1:9000', hosts: ['shop.example.com'], clients: ['id'] };
const check = (change: object) => checkDraft({ ...draft, ...change }, { isWhole: true });

describe('the form to publish', () => {
  it('shows no error while it is empty, and every missing field when it is sent', () => {
    expect(checkDraft(EMPTY_DRAFT, { isWhole: false })).toEqual({});
    const missing = checkDraft({ ...EMPTY_DRAFT, port: undefined }, { isWhole: true });
    expect(Object.keys(missing)).toEqual(['upstreams', 'hosts', 'port', 'clients']);
    expect(check({})).toEqual({});
  });

  it('needs neither port nor client for an existing listener', () => {
    expect(check({ listener: 'http', port: undefined, clients: [] })).toEqual({});
  });

  it('names the line, the host and the path that are wrong', () => {
    expect(check({ upstreams: 'http://a:1\n\nhttp://b:2/api' }).upstreams).toContain('Line 3');
    expect(check({ upstreams: 'http://a:1\nhttps://b' }).upstreams).toContain('https');
    expect(check({ hosts: ['a.example.com', 'b.example.com:80'] }).hosts).toContain('b.example.com:80');
    expect(check({ path: 'api' }).path).toBeDefined();
    expect(check({ healthCheck: 'up' }).healthCheck).toBeDefined();
  });

  it('becomes a request with one upstream per line and its weight', () => {
    const body = toBody({ ...draft, upstreams: ' http://127.0.0.1:9000 3\nhttp://[::1]:9001\n', healthCheck: '/up' });
    expect(body).toEqual({
      upstreams: [
        { address: '127.0.0.1', port: 9000, weight: 3 },
        { address: '::1', port: 9001 },
      ],
      health_check: { path: '/up' },
      hosts: ['shop.example.com'],
      path: '/',
      listener: { port: 8080, address: '0.0.0.0' },
      clients: [{ client_id: 'id' }],
    });
  });

  it('asks for TLS if the upstreams are https', () => {
    const secure = { ...draft, upstreams: 'https://app.example.com' };
    expect(usesTls(secure)).toBe(true);
    expect(toBody(secure).upstream_tls).toEqual({});
    expect(toBody({ ...secure, authorities: 'ca' }).upstream_tls).toEqual({ authorities: 'ca' });
  });

  it('shows the details of a refusal at their fields', () => {
    const paths = ['upstreams[3]', 'listeners[0]', 'listener.existing', 'clients[0].client_id', 'policies[0]', 'other'];
    expect(paths.map(fieldOf)).toEqual(['upstreams', 'port', 'listener', 'clients', 'policy', undefined]);
  });
});

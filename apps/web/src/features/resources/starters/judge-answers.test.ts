import { createServerCertificate } from '@flotilla/testkit/certificates';
import { describe, expect, it } from 'vitest';
import type { Question, Starter } from './answers.ts';
import { judgeAnswers } from './judge-answers.ts';

/** Returns the problem of one answer to a starter with one question. */
function judge(kind: Question['kind'], answer: string, more: Partial<Starter> = {}): string | undefined {
  const starter: Starter = {
    id: 'one',
    title: '',
    description: '',
    collection: 'clusters',
    type: 'envoy.config.cluster.v3.Cluster',
    name: 'one',
    resource: { value: 1 },
    questions: [{ kind, label: kind, paths: ['value'] }],
    ...more,
  };
  return judgeAnswers(starter, [answer])[0];
}

describe('the answers to a starter', () => {
  it('must not be missing, except a name that follows from the addresses', () => {
    const kinds = [
      'name',
      'addresses',
      'server_name',
      'port',
      'domains',
      'text',
      'cluster',
      'certificate_pem',
    ] as const;
    for (const kind of kinds) expect(judge(kind, ' \n'), kind).toBe('Enter a value.');
    const questions = (['addresses', 'server_name'] as const).map((kind) => ({ kind, label: kind, paths: [] }));
    const starter = { questions, resource: {}, collection: 'clusters' } as unknown as Starter;
    expect(judgeAnswers(starter, ['a.example.com:443', ''])).toEqual([undefined, undefined]);
    expect(judgeAnswers(starter, ['192.0.2.1:443', ''])).toEqual([undefined, 'Enter a value.']);
  });

  it('must be names that the controller takes', () => {
    expect(judge('name', 'shop-1')).toBeUndefined();
    expect(judge('name', '<b>shop</b>')).toMatch(/^Letters, digits/);
    const host = { collection: 'virtual_hosts' } as const;
    expect(judge('name', 'main/www.example.com', host)).toBeUndefined();
    for (const name of ['main', 'main/', '/www', 'a/b/c', 'a/b c'])
      expect(judge('name', name, host)).toBe('Write route configuration/host.');
  });

  it('must be addresses with a port, one in each line', () => {
    expect(judge('addresses', 'a.example.com:80\n192.0.2.1:80:5\r\n[2001:db8::1]:80')).toBeUndefined();
    expect(judge('addresses', 'a.example.com:80\nb.example.com')).toBe(
      'Line 2: Port must be a whole number from 0 to 65535.',
    );
    expect(judge('addresses', '2001:db8::1')).toMatch(/^Line 1: /);
    expect(judge('addresses', 'a b:80')).toMatch(/^Line 1: Host must be/);
    expect(judge('addresses', 'a:80\n'.repeat(1001))).toBe('Enter at most 1000 lines.');
  });

  it('must not be host names where the cluster takes none', () => {
    expect(judge('ip_addresses', '192.0.2.1:80\n[2001:db8::1]:80')).toBeUndefined();
    expect(judge('ip_addresses', '192.0.2.1:80\nlocalhost:80')).toBe('Line 2: Enter an IP address, not a host name.');
  });

  it('must be a host name without a port as server name', () => {
    expect(judge('server_name', 'a-1.example.com')).toBeUndefined();
    for (const name of ['192.0.2.1', '[2001:db8::1]', 'a.example.com:443', 'https://a.example.com', 'a..b', 'a b'])
      expect(judge('server_name', name), name).toBe('Enter a host name.');
  });

  it('must be numbers in their range', () => {
    for (const port of ['1', '65535']) expect(judge('port', port)).toBeUndefined();
    for (const port of ['0', '65536', '8080.5', '-1', '0x50', '1e3'])
      expect(judge('port', port), port).toBe('Enter a whole number from 1 to 65535.');
    expect(judge('count', '4294967295')).toBeUndefined();
    expect(judge('count', '4294967296')).toBe('Enter a whole number from 1 to 4294967295.');
    const large = { resource: { value: '1' } };
    expect(judge('count', '18446744073709551615', large)).toBeUndefined();
    expect(judge('count', '18446744073709551616', large)).toMatch(/^Enter a whole number/);
  });

  it('must be domains that Envoy takes, each of them once', () => {
    for (const domains of ['*', 'a.example.com', '*.example.com www.example.*', 'a.example.com:8080'])
      expect(judge('domains', domains), domains).toBeUndefined();
    for (const domain of ['https://a.example.com', 'a.*.com', '**', '*.*', 'a.example.com/x', 'me@example.com'])
      expect(judge('domains', domain), domain).toMatch(/is not a domain/);
    expect(judge('domains', 'a.example.com, A.example.com')).toBe('a.example.com is written twice.');
    expect(judge('domains', ' , ,')).toBe('Enter a value.');
  });

  it('must be a path without a query', () => {
    for (const path of ['/', '/healthz', '/a/b%20c']) expect(judge('http_path', path)).toBeUndefined();
    for (const path of ['healthz', '/a b', '/a?b', '/a#b', 'http://a/'])
      expect(judge('http_path', path), path).toMatch(/^A path begins with/);
  });

  it('must be PEM of the expected kind', async () => {
    const { certificatePem, privateKeyPem } = await createServerCertificate('a.example.com');
    expect(judge('certificate_pem', certificatePem)).toBeUndefined();
    expect(judge('private_key_pem', privateKeyPem)).toBeUndefined();
    expect(judge('certificate_pem', privateKeyPem)).toBe('Enter a certificate as PEM.');
    expect(judge('private_key_pem', certificatePem)).toBe('Enter a private key as PEM.');
    expect(judge('private_key_pem', '-----BEGIN PRIVATE KEY-----')).toBe('Enter a private key as PEM.');
  });
});

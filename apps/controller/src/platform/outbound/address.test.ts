import { describe, expect, it } from 'vitest';
import { createAddressGuard, createGuardedLookup, requireLiteral } from './address.ts';
import { sendRequest } from './request.ts';

const guard = createAddressGuard([]);
const check = (url: string, allowed: readonly string[] = []) =>
  requireLiteral(new URL(url), allowed.length > 0 ? createAddressGuard(allowed) : guard);

describe('the connections of a project', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1:8099/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://10.0.0.1/',
    'http://172.16.5.4/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::ffff:169.254.169.254]/',
    'http://[fd00:ec2::254]/',
    'http://100.100.100.200/',
    'http://metadata.google.internal/',
    'http://169.254.169.254.nip.example.com/',
  ])('cannot reach %s', (url) => {
    expect(() => check(url)).toThrow(/is not public|identity/);
  });

  it.each(['https://hooks.example.com/x', 'https://203.0.113.7:8443/', 'http://[2001:db8::1]/'])(
    'may reach %s',
    (url) => {
      expect(() => check(url)).not.toThrow();
    },
  );

  it('may reach networks that the owners allow, but never to what reveals the identity of the host', () => {
    expect(() => check('http://10.1.2.3/', ['10.0.0.0/8'])).not.toThrow();
    expect(() => check('http://10.1.2.3/', ['10.2.0.0/16'])).toThrow(/is not public/);
    expect(() => check('http://[fd00::5]/', ['fd00::/8'])).not.toThrow();
    expect(() => check('http://[::ffff:10.1.2.3]/', ['10.0.0.0/8'])).not.toThrow();
    expect(() => check('http://169.254.169.254/', ['0.0.0.0/0'])).toThrow(/identity/);
    expect(() => check('http://[fd00:ec2::254]/', ['::/0'])).toThrow(/identity/);
    expect(() => check('http://127.0.0.1:33101/', ['127.0.0.0/8'])).toThrow(/admin/);
  });

  it('reach only the address that was checked: a name is resolved once, for the connection', async () => {
    const { promise, resolve } = Promise.withResolvers<Error | null>();
    createGuardedLookup(guard, 80)('localhost', { all: true }, (error) => resolve(error));
    expect((await promise)?.message).toMatch(/is not public/);
    const request = { method: 'POST', headers: {}, body: Buffer.from('{}'), guard } as const;
    const sent = sendRequest(
      { ...request, url: 'http://localhost:9/', signal: AbortSignal.timeout(5000) },
      { maxBytes: 0 },
    );
    await expect(sent).rejects.toThrow(/is not public/);
  });
});

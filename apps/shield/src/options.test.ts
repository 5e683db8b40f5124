import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { parseEnvoyConfigOptions } from './envoy-config-options.ts';
import { formatAddress, isLoopback, parseListenAddress } from './listen-address.ts';
import { parseShieldOptions } from './options.ts';

const BASE = ['--policy', 'p.yaml', '--listen', 'unix:/run/s.sock'];

describe('parseShieldOptions', () => {
  it('reads flags, and the environment if a flag is absent', () => {
    const env = {
      SVC_SHIELD_POLICY: 'env.yaml',
      SVC_SHIELD_LISTEN: '127.0.0.1:9000',
      SVC_SHIELD_ADMIN: 'unix:/run/a.sock',
      SVC_SHIELD_XFF_TRUSTED_HOPS: '2',
    };
    expect(parseShieldOptions(['--policy', 'flag.yaml', '--xff-trusted-hops=1'], env)).toEqual({
      ok: true,
      value: {
        policy: 'flag.yaml',
        listen: { kind: 'tcp', host: '127.0.0.1', port: 9000 },
        admin: { kind: 'unix', path: '/run/a.sock' },
        xffTrustedHops: 1,
        threads: 1,
        state: undefined,
        node: hostname(),
        envoyAdmin: undefined,
        eventsKeep: 1000,
      },
    });
  });

  it('reads the number of threads and the state file', () => {
    const env = { SVC_SHIELD_THREADS: '64', SVC_SHIELD_STATE: '/var/lib/s/limits' };
    expect(parseShieldOptions([...BASE, '--node', 'n1'], env)).toMatchObject({
      ok: true,
      value: { threads: 64, state: '/var/lib/s/limits', node: 'n1' },
    });
  });

  it.each<[string, string[], Record<string, string>, RegExp]>([
    ['no policy', ['--listen', 'unix:/s'], {}, /--policy .* required/],
    ['no listen', ['--policy', 'p'], { SVC_SHIELD_LISTEN: '' }, /--listen .* required/],
    ['an unknown flag', [...BASE, '--thread', '3'], {}, /--thread/],
    ['a further argument', [...BASE, 'more'], {}, /"more"/],
    ['a bad address', ['--policy', 'p', '--listen', 'here'], {}, /--listen "here" must be/],
    ['a bad address in the environment', BASE, { SVC_SHIELD_ADMIN: ':80' }, /SVC_SHIELD_ADMIN ":80" must/],
    ['no thread', [...BASE, '--threads=0'], {}, /--threads "0" must be a number from 1 to 64/],
    ['too many threads', BASE, { SVC_SHIELD_THREADS: '65' }, /SVC_SHIELD_THREADS "65" must be a number/],
    [
      'a socket path that has no room for the last thread',
      ['--policy', 'p', '--listen', `unix:/${'s'.repeat(106)}`, '--threads=2'],
      {},
      /last thread names a socket path longer/,
    ],
    ['no port for the last thread', ['--policy', 'p', '--listen', '127.0.0.1:65535', '--threads=2'], {}, /last thread/],
    ['threads on ports that nobody knows', ['--policy', 'p', '--listen', '127.0.0.1:0', '--threads=2'], {}, /port/],
    ['a negative hop count', [...BASE, '--xff-trusted-hops=-1'], {}, /--xff-trusted-hops "-1" must be a number/],
    [
      'a hop count that is no number',
      BASE,
      { SVC_SHIELD_XFF_TRUSTED_HOPS: '1e0' },
      /SVC_SHIELD_XFF_TRUSTED_HOPS "1e0"/,
    ],
    [
      'a switch that is neither true nor false',
      BASE,
      { SVC_SHIELD_ALLOW_NON_LOOPBACK: 'yes' },
      /must be true or false/,
    ],
    ['an exposed filter', ['--policy', 'p', '--listen', '0.0.0.0:9000'], {}, /not a loopback/],
    ['an exposed admin port', [...BASE, '--admin', '[::]:9000'], {}, /not a loopback/],
  ])('refuses %s', (_, argv, env, message) => {
    const options = parseShieldOptions(argv, env);
    expect(options.ok ? '' : options.error).toMatch(message);
  });

  it('exposes an address only if asked to', () => {
    const argv = ['--policy', 'p', '--listen', '192.0.2.1:9000'];
    expect(parseShieldOptions([...argv, '--allow-non-loopback'], {}).ok).toBe(true);
    expect(parseShieldOptions(argv, { SVC_SHIELD_ALLOW_NON_LOOPBACK: 'true' }).ok).toBe(true);
  });
});

describe('parseEnvoyConfigOptions', () => {
  it('requires the address for Envoy', () => {
    expect(parseEnvoyConfigOptions([], {}).ok).toBe(false);
    expect(parseEnvoyConfigOptions(['--listen', 'unix:/s', '--json'], {})).toEqual({
      ok: true,
      value: { listen: [{ kind: 'unix', path: '/s' }], bodyMaxBytes: 0, xffTrustedHops: 0, json: true },
    });
  });
});

describe('listen addresses', () => {
  it.each([
    ['unix:/run/s.sock', 'unix:/run/s.sock', true],
    ['unix:///run/s.sock', 'unix:/run/s.sock', true],
    ['unix:s.sock', 'unix:s.sock', true],
    ['localhost:1', '127.0.0.1:1', true],
    ['127.9.9.9:65535', '127.9.9.9:65535', true],
    ['[::1]:80', '[::1]:80', true],
    ['[0:0::1]:80', '[0:0::1]:80', true],
    ['0.0.0.0:80', '0.0.0.0:80', false],
    ['[::ffff:192.0.2.1]:80', '[::ffff:192.0.2.1]:80', false],
  ])('reads %s', (text, formatted, loopback) => {
    const address = parseListenAddress(text);
    if (typeof address === 'string') throw new Error(address);
    expect([formatAddress(address), isLoopback(address)]).toEqual([formatted, loopback]);
  });

  it.each([
    '',
    'unix:',
    ':80',
    '80',
    'example.com:80',
    '[::1]',
    '127.0.0.1:70000',
    '127.0.0.1:-1',
    `unix:/${'x'.repeat(107)}`,
    '[127.0.0.1]:80',
    '::1:80',
  ])('refuses "%s"', (text) => expect(typeof parseListenAddress(text)).toBe('string'));
});

import { describe, expect, it } from 'vitest';
import { parseAddress, parseConfig } from './config.ts';

const ADDRESS = ['--controller', 'controller.example.com:9000'];

function parse(argv: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const parsed = parseConfig(argv, { HOME: '/home/u', ...env });
  if (parsed.ok === 'help') throw new Error('help');
  return parsed;
}

describe('settings of the agent', () => {
  it('prefer flags to the environment, and the environment to defaults', () => {
    const env = { SVC_AGENT_NAME: 'from-env', SVC_AGENT_DATA: '/env' };
    const parsed = parse([...ADDRESS, '--name', 'from-flag'], env);
    expect(parsed).toMatchObject({
      ok: true,
      value: { name: 'from-flag', dataDir: '/env', controller: { host: 'controller.example.com', port: 9000 } },
    });
  });

  it('include labels, and the switch of the cloud detection, which is on by default', () => {
    expect(parse(ADDRESS)).toMatchObject({ ok: true, value: { detectsCloud: true, labels: {} } });
    expect(parse(ADDRESS, { SVC_AGENT_CLOUD_DETECTION: 'off', SVC_AGENT_LABELS: 'env=prod,site=' })).toMatchObject({
      ok: true,
      value: { detectsCloud: false, labels: { env: 'prod', site: '' } },
    });
    const flags = ['--label', 'env=a=b', '--label', 'note=x, y', '--cloud-detection', 'on'];
    expect(parse([...ADDRESS, ...flags], { SVC_AGENT_CLOUD_DETECTION: 'off' })).toMatchObject({
      ok: true,
      value: { detectsCloud: true, labels: { env: 'a=b', note: 'x, y' } },
    });
    for (const bad of ['env', 'a b=c', '=x', 'Env=x', 'env=a\nb', `env=${'x'.repeat(129)}`]) {
      expect(parse([...ADDRESS, '--label', bad]), bad).toMatchObject({
        ok: false,
        error: expect.stringContaining('--label'),
      });
    }
    const many = Array.from({ length: 65 }, (_, n) => ['--label', `k${n}=v`]).flat();
    expect(parse([...ADDRESS, ...many])).toMatchObject({ ok: false, error: expect.stringContaining('64') });
    expect(parse([...ADDRESS, '--cloud-detection', 'maybe'])).toMatchObject({ ok: false });
  });

  it('name the addresses of heartbeats only if the operator does, and refuse what is no IPv4 address', () => {
    expect(parse(ADDRESS)).toMatchObject({ value: { haAddresses: { data: undefined, mgmt: undefined } } });
    const env = { SVC_AGENT_HA_DATA_ADDRESS: '192.0.2.9', SVC_AGENT_HA_MGMT_ADDRESS: '198.51.100.9' };
    expect(parse([...ADDRESS, '--ha-data-address', '192.0.2.1'], env)).toMatchObject({
      value: { haAddresses: { data: '192.0.2.1', mgmt: '198.51.100.9' } },
    });
    for (const bad of ['2001:db8::1', '192.0.2.1/24', 'eth0', '192.0.2.256'])
      expect(parse([...ADDRESS, '--ha-mgmt-address', bad])).toMatchObject({
        ok: false,
        error: expect.stringContaining('--ha-mgmt-address'),
      });
  });

  it('accept addresses with and without port, including IPv6', () => {
    expect(parseAddress('192.0.2.1')).toEqual({ host: '192.0.2.1', port: 8098 });
    expect(parseAddress('[2001:db8::1]:1')).toEqual({ host: '2001:db8::1', port: 1 });
    for (const bad of ['', 'a:b', 'a:70000', ':1', 'a:0', 'http://a', '2001:db8::1'])
      expect(parseAddress(bad)).toBeUndefined();
  });

  it('are rejected with the name of the missing or wrong option', () => {
    expect(parse([])).toMatchObject({ ok: false, error: expect.stringContaining('--controller') });
    expect(parse([...ADDRESS, '--mode', 'magic'])).toMatchObject({
      ok: false,
      error: expect.stringContaining('magic'),
    });
    expect(parse([...ADDRESS, '--surprise'])).toMatchObject({ ok: false });
    expect(parse([...ADDRESS, '--enrol-token-file', '/does/not/exist'])).toMatchObject({ ok: false });
  });

  it('are rejected if the paths of sockets in the runtime folder would be too long', () => {
    const parsed = parse([...ADDRESS, '--runtime', `/${'r'.repeat(80)}`]);
    expect(parsed).toMatchObject({ ok: false, error: expect.stringContaining('too long') });
  });

  it('include a separate default runtime folder for each data folder', () => {
    const [one, two] = ['/a', '/b'].map((data) => parse([...ADDRESS, '--data', data]));
    expect(one?.ok && one.value.runtimeDir).not.toBe(two?.ok && two.value.runtimeDir);
  });
});

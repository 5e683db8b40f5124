import { describe, expect, it } from 'vitest';
import { redactSource } from '../source.ts';
import { collectSecrets } from './collect-secrets.ts';
import { redactPlain } from './redact-plain.ts';
import { SecretSet } from './secret-set.ts';

const KEY = `-----BEGIN PRIVATE KEY-----\n${'MIGHAgEAMBMGByqGSM49AgEG'.repeat(3)}\n-----END PRIVATE KEY-----`;

describe('a log in a support bundle', () => {
  it.each([
    ['neighbor 192.0.2.1 password hunter2-hunter2', 'neighbor 192.0.2.1 password [redacted]'],
    ['run --password hunter2-hunter2 --verbose', 'run --password [redacted] --verbose'],
    ['GET /a?access_token=hunter2-hunter2&x=1', 'GET /a?access_token=[redacted]&x=1'],
    ['{"psk":"hunter2 hunter2","n":1}', '{"psk":[redacted],"n":1}'],
    ['Cookie: session=hunter2-hunter2; a=b', 'Cookie: [redacted]'],
    ['"authorization":"hunter2-hunter2"', '"authorization":[redacted]'],
    ['Authorization: Basic aHVudGVyMg==', 'Authorization: [redacted]'],
    ['postgres://app:hunter2-hunter2@db.example.com/x', 'postgres://[redacted]@db.example.com/x'],
    ['x-api-key: hunter2-hunter2', 'x-api-key: [redacted]'],
    ['pwd=hunter2-hunter2', 'pwd=[redacted]'],
  ])('does not contain the secret of the line %s', (line, expected) => {
    expect(redactPlain(line)).toBe(expected);
  });

  it.each([
    'Failed password for root from 192.0.2.1',
    'the password is wrong',
    'tokens: 3 of 5 used, no secret to show',
  ])('keeps the line %s', (line) => expect(redactPlain(line)).toContain(line.split(' ').at(-1)));

  it('contains no part of a private key, even if its beginning was cut off', () => {
    const cut = KEY.slice(KEY.indexOf('\n') + 5);
    expect(redactPlain(`${cut}\nlater`)).toBe('[redacted]\nlater');
    expect(redactPlain(`first\n${KEY}\nlater`)).toBe('first\n[redacted]\nlater');
    expect(redactPlain(`first\n${KEY.slice(0, 60)}`)).toBe('first\n[redacted]');
  });
});

describe('a configuration in a support bundle', () => {
  it.each([
    [
      'frr',
      ' neighbor 192.0.2.1 password PLANTED-1\n key-string PLANTED-2\n ip ospf message-digest-key 1 md5 PLANTED-3\nenable password 8 PLANTED-4\nsnmp-server community PLANTED-5 ro',
      'neighbor 192.0.2.1',
    ],
    [
      'netplan',
      'network:\n  wifis:\n    wl0:\n      access-points:\n        home: {password: PLANTED-1}\n        work:\n          auth: {key-management: eap, identity: PLANTED-2, password: PLANTED-3}\n  tunnels:\n    wg0:\n      key: PLANTED-4\n      peers: [{keys: {public: PLANTED-5, shared: PLANTED-6}, endpoint: "192.0.2.1:1"}]\n  # PLANTED-7\n',
      'key-management: eap',
    ],
    [
      'networkd',
      '[WireGuard]\nPrivateKey=PLANTED-1\n#Key=PLANTED-2\nPrivateKeyFile=/etc/key\n[L2TP]\nPassword=PLANTED-3',
      '/etc/key',
    ],
    [
      'rsyslog',
      'action(type="omelasticsearch" server="es.example.com" uid="u" pwd="PLANTED-1"\n  apikey="PLANTED-2")\ntemplate(name="t" type="string" string="<%pri%> [PLANTED-3@41058 tag=\\"x\\"] %msg%")\n$ActionOmPassword PLANTED-4\n*.* :ommysql:db.example.com,logs,user,PLANTED-5\n$template X,"PLANTED-6"\n# PLANTED-7\n*.* @@logs.example.com:514\n',
      '@@logs.example.com:514',
    ],
    [
      'json',
      '{"name":"x","typed_config":{"password":"PLANTED-1"},"private_key":{"inline_string":"PLANTED-2"}}',
      '"name": "x"',
    ],
  ] as const)('of the kind %s shows no secret, and the rest', (kind, text, kept) => {
    const redacted = redactSource(kind, text, new SecretSet());
    expect(redacted).not.toContain('PLANTED');
    expect(redacted).toContain(kept);
  });

  it.each([
    ['netplan', 'network: {a: [}'],
    ['json', '{"password": "x'],
  ] as const)('of the kind %s that cannot be read is left out', (kind, text) => {
    expect(() => redactSource(kind, text, new SecretSet())).toThrow(/it is not/);
  });
});

describe('the known secrets of a host', () => {
  it('are masked everywhere, also as JSON, in addresses and in base64', () => {
    const secrets = new SecretSet();
    secrets.add('pa"ss wo/rd-1');
    const forms = [
      'pa"ss wo/rd-1',
      JSON.stringify('pa"ss wo/rd-1'),
      encodeURIComponent('pa"ss wo/rd-1'),
      Buffer.from('pa"ss wo/rd-1').toString('base64'),
    ];
    for (const form of forms) expect(secrets.mask(`a ${form} b`)).toMatch(/^a "?\[redacted\]=*"? b$/);
  });

  it('are those of configurations and of the files of the agent, and no common words', () => {
    const secrets = new SecretSet();
    redactSource('frr', 'neighbor 192.0.2.1 password bgp-password-1', secrets);
    redactSource('netplan', 'network: {wifis: {w: {access-points: {x: {password: wifi-password-1}}}}}', secrets);
    collectSecrets(JSON.stringify({ keyPem: KEY, config: { tls: { client_key: 'raw-client-key-1' } } }), secrets);
    collectSecrets('not JSON', secrets);
    const line = `bgp-password-1 wifi-password-1 raw-client-key-1 ${KEY.split('\n')[1]} disabled systemd`;
    expect(secrets.mask(line)).toBe('[redacted] [redacted] [redacted] [redacted] disabled systemd');
  });

  it('do not include a value that ordinary words contain', () => {
    const secrets = new SecretSet();
    redactSource('rsyslog', 'if $programname == "networkd-dispatcher" then stop', secrets);
    redactSource('frr', 'snmp-server community public', secrets);
    secrets.add('true');
    expect(secrets.size).toBe(0);
  });
});

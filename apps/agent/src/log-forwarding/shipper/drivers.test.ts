import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseShipperConfig, secretsOf, type UnplacedConfig } from './config.ts';
import { createFilebeatDriver } from './filebeat-driver.ts';
import { chooseDriver } from './kind.ts';
import { createRsyslogShipper } from './rsyslog-driver.ts';

const PLACES = { releaseDir: '/data/releases/1', workDir: '/data/work', logDir: '/data/logs' };
const HOSTS = ['https://search.example.com:9200'];
const elastic = (more: Record<string, unknown> = {}) => ({ elasticsearch: { hosts: HOSTS, ...more } });

function read(filebeat_output: unknown, more: Record<string, unknown> = {}): UnplacedConfig {
  const parsed = parseShipperConfig({ filebeat_output, ...more });
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

const logstash = { logstash: { hosts: ['logs.example.com:5044'] } };
const timestamp_processor = { field: 'message', layouts: ['2006-01-02'] };
const server_name = { ca_cert: null, client_cert: null, client_key: null, server_name: 'other.example.com' };

describe('the program of a log shipper', () => {
  it.each<[string, UnplacedConfig, string]>([
    ['Elasticsearch', read(elastic()), 'filebeat'],
    ['Logstash', read(logstash), 'filebeat'],
    ['another name in the certificate', read(elastic({ tls: server_name })), 'rsyslog'],
    ['Elasticsearch, if the configuration names rsyslog', read(elastic(), { driver: 'rsyslog' }), 'rsyslog'],
  ])('for %s is one that can do it', (_, config, driver) => {
    expect(chooseDriver(config, new Set(['filebeat', 'rsyslog']))).toMatchObject({ ok: true, value: { driver } });
  });

  it.each<[string, UnplacedConfig, RegExp]>([
    [
      'Logstash',
      read(logstash),
      /^Filebeat is not installed: install the package filebeat of Elastic\. rsyslog cannot send to Logstash$/,
    ],
    [
      'Logstash with rsyslog',
      read(logstash, { driver: 'rsyslog' }),
      /^rsyslog cannot send to Logstash\. Filebeat can: set driver to filebeat or null$/,
    ],
    [
      'times of lines',
      read(elastic(), { timestamp_processor, driver: 'rsyslog' }),
      /timestamp_processor\)\. Filebeat can/,
    ],
    ['Filebeat', read(elastic(), { driver: 'filebeat' }), /^Filebeat is not installed: .*rsyslog can: set driver/],
  ])('is refused for %s if only rsyslog is installed, with what to do', (_, config, message) => {
    expect(chooseDriver(config, new Set(['rsyslog']))).toMatchObject({
      ok: false,
      error: { outcome: 'refused', code: 'client.incapable', message: expect.stringMatching(message) },
    });
  });
});

describe('the configuration of Filebeat', () => {
  const render = (config: UnplacedConfig) => {
    const files = createFilebeatDriver('/usr/bin/filebeat', '/data').render({ ...config, driver: 'filebeat' }, PLACES);
    return parse(files[0]?.text ?? '');
  };

  it('has the shape of its reference', () => {
    const inputs = [
      { type: 'log', id: 'nginx', paths: ['/var/log/nginx/*.log'] },
      { type: 'log', id: 'off', enabled: false, paths: ['/var/log/off.log'] },
    ];
    const drop_fields_processor = { fields: ['log.offset'] };
    const config = read(elastic({ basic_auth: { username: 'u', password: 'p' }, skip_ssl_verify: true }), {
      inputs,
      timestamp_processor,
      drop_fields_processor,
      service_logs: false,
    });
    expect(render(config)).toMatchObject({
      filebeat: { inputs: [{ type: 'filestream', id: 'flotilla-nginx', paths: ['/var/log/nginx/*.log'] }] },
      processors: [
        { dissect: { field: 'log.file.path' } },
        { timestamp: { field: 'message', layouts: ['2006-01-02'] } },
        { drop_fields: { fields: ['log.offset'], ignore_missing: true } },
      ],
      output: {
        elasticsearch: {
          hosts: HOSTS,
          loadbalance: true,
          username: 'u',
          password: 'p',
          index: 'flotilla-logs-%{+yyyy.MM.dd}',
          ssl: { verification_mode: 'none' },
        },
      },
      setup: { ilm: { enabled: false }, template: { name: 'flotilla-logs', pattern: 'flotilla-logs-*' } },
    });
    expect(render(read(logstash))).toMatchObject({ output: { logstash: { hosts: ['logs.example.com:5044'] } } });
  });

  it.each(['$(id)', `${'$'}{HOME}`, '"}\n', 'a: b\n- c', '%{[x]}', '*anchor', 'ä"\\'])(
    'keeps the password %j in its field: Filebeat would expand a single dollar',
    (text) => {
      const password = text.replaceAll('\n', '');
      const rendered = render(read(elastic({ basic_auth: { username: 'u', password } })));
      expect(rendered.output.elasticsearch.password.replaceAll('$$', '$')).toBe(password);
      expect(rendered.output.elasticsearch.password.replaceAll('$$', '')).not.toContain('$');
      expect(Object.keys(rendered.output.elasticsearch).toSorted()).toEqual([
        'hosts',
        'index',
        'loadbalance',
        'password',
        'username',
      ]);
    },
  );
});

describe('the configuration of rsyslog', () => {
  const render = (config: UnplacedConfig, flotillaCommand = ["/opt/it's here/node", '/opt/flotilla.js']) => {
    const driver = createRsyslogShipper({ program: '/usr/sbin/rsyslogd', dataDir: '/data', flotillaCommand });
    return new Map(driver.render({ ...config, driver: 'rsyslog' }, PLACES).map(({ name, text }) => [name, text]));
  };

  it('has no secret, which only the settings of the writer contain', () => {
    const config = read(elastic({ basic_auth: { username: 'u', password: 'secret-word' } }));
    const files = render(config);
    expect(secretsOf(config)).toEqual(['secret-word']);
    for (const [name, text] of files) if (name !== 'writer.json') expect(text).not.toContain('secret-word');
    const { authorization } = JSON.parse(files.get('writer.json') ?? '');
    expect(authorization).toBe(`Basic ${Buffer.from('u:secret-word').toString('base64')}`);
  });

  it('runs the writer by a script that quotes the program', () => {
    expect(render(read(elastic())).get('writer.sh')).toBe(
      "exec /usr/bin/env -u FLOTILLA_UNIT '/opt/it'\\''s here/node' '/opt/flotilla.js' 'log-writer' '/data/releases/1/writer.json'\n",
    );
  });
});

describe('a configuration for the agent', () => {
  it.each<[string, unknown, RegExp]>([
    ['is no object', 7, /configuration/],
    ['has no output', { filebeat_output: {} }, /filebeat_output: needs either elasticsearch or logstash/],
    [
      'has a secret that the controller should have filled in',
      { filebeat_output: elastic({ api_key: '***' }) },
      /stored secret/,
    ],
    [
      'has a user without a password',
      { filebeat_output: elastic({ basic_auth: { username: 'u' } }) },
      /password is missing/,
    ],
    [
      'has a certificate that cannot be read',
      { filebeat_output: elastic({ tls: { ca_cert: '-----BEGIN X-----\nAA==\n-----END X-----\n' } }) },
      /not a certificate/,
    ],
    ['reads nothing', { service_logs: false, filebeat_output: elastic() }, /inputs: needs an enabled input/],
  ])('is refused if it %s', (_, value, message) => {
    expect(parseShipperConfig(value)).toMatchObject({ ok: false, error: expect.stringMatching(message) });
  });
});

import { readShipperConfig } from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import { toShipperConfig, toShipperValues } from './shipper-values.ts';

const STORED = {
  driver: 'rsyslog',
  service_logs: false,
  inputs: [
    { type: 'filestream', enabled: true, id: 'nginx', paths: ['/var/log/nginx/*.log', '/var/log/n.log'] },
    { type: 'filestream', enabled: false, id: 'off', paths: ['/var/log/off.log'] },
  ],
  timestamp_processor: null,
  drop_fields_processor: { fields: ['host.name'] },
  filebeat_output: {
    elasticsearch: {
      hosts: ['https://a.example.com', 'https://b.example.com'],
      loadbalance: false,
      index: 'edge',
      api_key: null,
      basic_auth: { username: 'shipper', password: '***' },
      skip_ssl_verify: true,
      tls: null,
    },
  },
};

describe('the form of a log shipper', () => {
  it('sends back what it has read, with secrets left out, and keeps what it does not show', () => {
    const before = readShipperConfig({ filebeat: STORED }) ?? undefined;
    const { api_key, basic_auth, ...rest } = STORED.filebeat_output.elasticsearch;
    expect(toShipperConfig(toShipperValues(before), before)).toEqual({
      ...STORED,
      filebeat_output: { elasticsearch: { ...rest, api_key: null, basic_auth: { username: 'shipper' } } },
    });
  });

  it.each([
    ['none', { api_key: null, basic_auth: null }],
    ['key', { basic_auth: null, api_key: 'id:key' }],
    ['user', { api_key: null, basic_auth: { username: 'u', password: 'p' } }],
  ] as const)('sends the credentials of the kind %s only', (auth, expected) => {
    const values = { ...toShipperValues(undefined), auth, apiKey: ' id:key ', username: 'u', password: 'p' };
    expect(toShipperConfig(values, undefined).filebeat_output.elasticsearch).toMatchObject(expected);
  });

  it('refuses a line that is no input, and names it', () => {
    const values = { ...toShipperValues(undefined), inputs: 'nginx' };
    expect(() => toShipperConfig(values, undefined)).toThrow('nginx must be NAME=PATH.');
  });
});

it('the answer of another agent is not taken for a configuration', () => {
  for (const answer of [undefined, {}, { filebeat: { filebeat_output: {} } }, { filebeat: 'x' }])
    expect(readShipperConfig(answer)).toBeUndefined();
  expect(readShipperConfig({ filebeat: null })).toBeNull();
});

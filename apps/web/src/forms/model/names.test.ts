import { describe, expect, it } from 'vitest';
import { describeField, describeMessage } from '../testing/descriptions.ts';
import { isSet, keyOf, listUnknownKeys, shortType, toJsonName, toLabel } from './names.ts';

describe('a name', () => {
  it.each([
    ['stat_prefix', 'Stat prefix'],
    ['max_request_headers_kb', 'Max request headers KB'],
    ['http2_protocol_options', 'HTTP/2 protocol options'],
    ['grpc_service', 'gRPC service'],
    ['ipv4_compat', 'IPv4 compat'],
    ['sni', 'SNI'],
  ])('%j has the label %j', (name, label) => {
    expect(toLabel(name)).toBe(label);
  });

  it.each([
    ['connect_timeout', 'connectTimeout'],
    ['http2_protocol_options', 'http2ProtocolOptions'],
    ['sni', 'sni'],
  ])('%j is %j in camelCase', (name, jsonName) => {
    expect(toJsonName(name)).toBe(jsonName);
  });

  it('of a field keeps the spelling of the document', () => {
    expect(keyOf('connect_timeout', { connectTimeout: '1s' })).toBe('connectTimeout');
    expect(keyOf('connect_timeout', { connect_timeout: '1s', connectTimeout: '2s' })).toBe('connect_timeout');
    expect(keyOf('connect_timeout', {})).toBe('connect_timeout');
  });

  it('without a field is listed, whatever its spelling', () => {
    const message = describeMessage('M', [describeField('connect_timeout')]);
    const object = { '@type': 'x', connectTimeout: '1s', connect_timeout: '1s', old_thing: 1, oldThing: 2 };
    expect(listUnknownKeys(message, object)).toEqual(['old_thing', 'oldThing']);
  });

  it('with null counts as not set, except where null is a value', () => {
    expect(isSet(describeField('a'), { a: null })).toBe(false);
    expect(isSet(describeField('a', { value: { kind: 'message', type: 'google.protobuf.Value' } }), { a: null })).toBe(
      true,
    );
    expect(isSet(describeField('a'), undefined)).toBe(false);
  });

  it('of a type is shortened to its distinctive part', () => {
    expect(shortType('envoy.config.cluster.v3.Cluster.LbSubsetConfig')).toBe('Cluster.LbSubsetConfig');
    expect(shortType('lowercase')).toBe('lowercase');
  });
});

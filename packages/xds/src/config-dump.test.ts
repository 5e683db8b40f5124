import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ConfigDump, deriveWarm, parseConfigDump } from './config-dump.ts';
import { createResource, parseResourceKey } from './resource.ts';
import { RESOURCE_TYPE } from './resource-type.ts';

const { cluster, endpoint, extension, listener, route, secret } = RESOURCE_TYPE;

/** Dumps of real Envoys in the middle of a change: two clusters and two listeners wait for dependencies that never come. */
function readDump(version: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, `golden/config-dump-${version}.json`), 'utf8'));
}

const stagesOf = (states: ConfigDump['clusters']) =>
  Object.fromEntries(
    [...states].map(([name, { active, warming }]) => [name, [active !== undefined, warming !== undefined]]),
  );

describe.each(['1.36.4', '1.39.3'])('with a dump of Envoy %s,', (version) => {
  const dump = parseConfigDump(readDump(version));

  it('parseConfigDump distinguishes active and warming resources', () => {
    expect(stagesOf(dump.clusters)).toEqual({
      plain: [true, false],
      shop: [true, false],
      cold: [false, true],
      empty: [false, true],
    });
    expect(stagesOf(dump.listeners)).toEqual({ http: [true, true], second: [false, true] });
    expect(stagesOf(dump.secrets)).toEqual({ ca: [true, false], missing: [false, true] });
    expect([[...dump.routes.keys()], [...dump.extensions.keys()]]).toEqual([['main'], ['mark']]);
    expect([...dump.endpoints.keys()]).toEqual(expect.arrayContaining(['plain', 'shop']));
  });

  it('deriveWarm counts a resource as warm only if it is active and no version of it is warming', () => {
    const asked = [
      [cluster, 'plain'],
      [cluster, 'cold'],
      [listener, 'http'],
      [listener, 'second'],
      [secret, 'ca'],
      [secret, 'missing'],
      [route, 'main'],
      [extension, 'mark'],
      [endpoint, 'shop'],
      [cluster, 'unknown'],
    ] as const;
    const warm = deriveWarm(
      dump,
      asked.map(([typeUrl, name]) => createResource({ typeUrl, name }, Buffer.alloc(0))),
    );
    expect([...warm].map((key) => parseResourceKey(key).name)).toEqual(['plain', 'ca', 'main', 'mark', 'shop']);
  });
});

it('parseConfigDump accepts any value and finds nothing in it', () => {
  for (const json of [
    null,
    7,
    'x',
    [],
    {},
    { configs: 'x' },
    {
      configs: [null, [], { '@type': 5 }, { '@type': 'a.v3.ListenersConfigDump', dynamic_listeners: [7, { name: 5 }] }],
    },
  ]) {
    const { clusters, listeners } = parseConfigDump(json);
    expect([clusters.size, listeners.size]).toEqual([0, 0]);
  }
});

it('parseConfigDump returns draining listeners and the error of a failed update', () => {
  const dynamic_listeners = [
    { name: 'l', active_state: {}, draining_state: {}, error_state: { details: 'port in use' } },
  ];
  const dump = parseConfigDump({ configs: [{ '@type': 'x/envoy.admin.v3.ListenersConfigDump', dynamic_listeners }] });
  expect(dump.listeners.get('l')).toEqual({ active: '', warming: undefined, draining: true, error: 'port in use' });
});

import { describe, expect, it } from 'vitest';
import { checkDocument, findDefinition } from './netplan-documents.ts';

const document = (members: string) => `network:\n  version: 2\n  ethernets:\n${members}`;

describe('a document for the managed netplan file', () => {
  it('is written again in plain YAML', () => {
    const checked = checkDocument(document('    eth1: {addresses: [192.0.2.1/24]} # comment\n'));
    expect(checked).toEqual({
      ok: true,
      value: expect.stringMatching(/^# Written by Flotilla.*\nnetwork:\n {2}version: 2\n {2}ethernets:\n {4}eth1:\n/),
    });
  });

  it.each([
    ['routes', document('    eth1: {routes: [{to: default, via: 203.0.113.9}]}\n'), /routes must not be here/],
    ['policies', document('    eth1: {"routing-policy": []}\n'), /routing-policy must not be here/],
    ['a gateway', document('    eth1: {gateway4: 192.0.2.1}\n'), /gateway4 must not be here/],
    ['an alias', document('    eth1: &a {mtu: 1400}\n    eth0: *a\n'), /alias/],
    ['a merge key', document('    eth1: {mtu: 1400}\n    eth0: {<<: {routes: []}}\n'), /key|routes/],
    ['a tag', document('    eth1: !!python/object {mtu: 1400}\n'), /tag/i],
    ['a second document', `${document('    eth1: {}\n')}---\nnetwork: {}\n`, /document/],
    ['the same key twice', document('    eth1: {mtu: 1400, mtu: 1401}\n'), /unique/i],
    ['a section of another program', 'network: {version: 2, openvswitch: {}}', /openvswitch/],
    ['another renderer', 'network: {version: 2, renderer: NetworkManager}', /networkd/],
    ['a renderer of one interface', document('    eth1: {renderer: sriov}\n'), /renderer/],
    ['a secret', document('    eth1: {auth: {password: x}}\n'), /auth/],
    ['a newline in a value', document('    eth1: {nameservers: {search: ["a\\n[Network]"]}}\n'), /control/],
    ['NUL in a value', document('    eth1: {macaddress: "a\\0b"}\n'), /control/],
    ['a name with a command', document('    "$(reboot)": {mtu: 1400}\n'), /key/],
    ['a path as a name', document('    "../../x": {mtu: 1400}\n'), /key/],
    ['a name that is too long', document(`    ${'e'.repeat(16)}: {mtu: 1400}\n`), /name of an interface/],
    ['deep nesting', document(`    eth1: ${'{a: '.repeat(40)}1${'}'.repeat(40)}\n`), /nested/],
    ['no network', 'ethernets: {}', /network/],
    ['a list', '- network', /network/],
    ['another version', 'network: {version: 1}', /version/],
    ['no YAML', '{', /./],
  ])('is refused with %s', (_, text, message) => {
    expect(checkDocument(text)).toMatchObject({
      ok: false,
      error: { code: 'network.yaml', message: expect.stringMatching(message) },
    });
  });
});

describe('the definition of an interface', () => {
  const link = { name: 'eth0', mac: '02:00:00:00:00:01' };
  it.each([
    ['its id', document('    eth0: {}\n'), { section: 'ethernets', id: 'eth0' }],
    [
      'its MAC address',
      document('    lan: {match: {macaddress: "02:00:00:00:00:01"}}\n'),
      { section: 'ethernets', id: 'lan' },
    ],
    [
      'its new name',
      document('    lan: {match: {macaddress: "02:00:00:00:00:09"}, set-name: eth0}\n'),
      { section: 'ethernets', id: 'lan' },
    ],
    [
      'nothing, if its id has another name',
      document('    eth0: {match: {macaddress: "02:00:00:00:00:09"}, set-name: wan}\n'),
      undefined,
    ],
    ['nothing, for a pattern', document('    all: {match: {name: "en*"}}\n'), undefined],
  ])('is found by %s', (_, text, expected) => {
    expect(findDefinition(['', text], link)).toEqual(expected);
  });
});

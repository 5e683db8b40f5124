import { describe, expect, it } from 'vitest';
import { parseOstree, parseRauc } from './boot-slots.ts';
import { parseRuleset } from './firewall.ts';
import { judge, readHealth } from './health.ts';
import { parseAssignments } from './read-text.ts';
import { compareVersions } from './upgrade.ts';

describe('boot slots', () => {
  it('of RAUC are those that can be started, with what runs and what comes next', () => {
    const slot = (bootname: string | null, state: string, health: string | null, version?: string) => ({
      class: 'rootfs',
      device: '/dev/sda2',
      type: 'ext4',
      bootname,
      state,
      boot_status: health,
      ...(version && { slot_status: { bundle: { version } } }),
    });
    const status = {
      compatible: 'edge',
      booted: 'A',
      boot_primary: 'rootfs.1',
      slots: [
        { 'rootfs.0': slot('A', 'booted', 'good', '1.0') },
        { 'rootfs.1': slot('B', 'inactive', 'bad') },
        { 'data.0': slot(null, 'active', null) },
      ],
    };
    expect(parseRauc(JSON.stringify(status))).toEqual([
      { slot: 'a', name: 'rootfs.0', version: '1.0', booted: true, next: false, healthy: true },
      { slot: 'b', name: 'rootfs.1', version: '', booted: false, next: true, healthy: false },
    ]);
  });

  it('of OSTree are its deployments, of which the first is started next', () => {
    const deployments = [
      { checksum: 'abcdef0123456789', version: '42.1', booted: false },
      { checksum: '0123456789abcdef', version: '42.0', booted: true },
    ];
    expect(parseOstree(JSON.stringify({ deployments }))).toEqual([
      { slot: 'a', name: 'abcdef012345', version: '42.1', booted: false, next: true, healthy: null },
      { slot: 'b', name: '0123456789ab', version: '42.0', booted: true, next: false, healthy: null },
    ]);
  });

  it.each(['', 'null', '[]', '{"slots":1,"deployments":{}}'])('are unknown if the answer is %j', (text) => {
    expect([parseRauc(text), parseOstree(text)]).toEqual([undefined, undefined]);
  });
});

describe('the firewall of a host', () => {
  it('is described by the chains that packets pass, with the number of their rules', () => {
    const chain = { family: 'inet', table: 'filter', name: 'input', hook: 'input', policy: 'drop' };
    const rule = { family: 'inet', table: 'filter', chain: 'input', expr: [] };
    const nftables = [
      { metainfo: {} },
      { table: { family: 'inet', name: 'filter' } },
      { chain },
      { chain: { family: 'inet', table: 'filter', name: 'extra' } },
      { rule },
      { rule: { ...rule, chain: 'extra' } },
    ];
    expect(parseRuleset(JSON.stringify({ nftables }))).toEqual({
      tables: 1,
      rules: 2,
      chains: [{ ...chain, rules: 1 }],
    });
    expect(parseRuleset('{}')).toBeUndefined();
    expect(parseRuleset('x')).toBeUndefined();
  });
});

describe('the health of a host', () => {
  it('contains each disk once, memory, load, and services that have failed first', async () => {
    const { dirname } = import.meta;
    const failing = [{ service: 'shop', error: 'port 80 is taken' }];
    const health = await readHealth({ folders: [dirname, `${dirname}/..`, '/nowhere'], failing });
    const areas = health.map(({ area }) => area);
    expect(areas.filter((area) => area === 'disk')).toHaveLength(1);
    expect(areas).toEqual(expect.arrayContaining(['memory', 'load']));
    expect(health.filter(({ severity }) => severity === 'CRIT')).toContainEqual({
      area: 'services',
      severity: 'CRIT',
      message: 'shop: port 80 is taken',
    });
    expect(health[0]?.severity).toBe('CRIT');
  });

  it('is worse at each limit, and the limit itself counts', () => {
    const limits = { WARN: 0.85, CRIT: 0.95 };
    expect([0.84, 0.85, 0.94, 0.95].map((value) => judge(value, limits))).toEqual(['OK', 'WARN', 'WARN', 'CRIT']);
  });
});

it('kernels are compared by their numbers, not by their letters', () => {
  expect(['6.1.0-10', '6.1.0-9', '5.10.0'].toSorted(compareVersions)).toEqual(['5.10.0', '6.1.0-9', '6.1.0-10']);
});

it('values of os-release may have quotes', () => {
  expect(parseAssignments('ID=debian\nPRETTY_NAME="Debian 12"\n# X=1\nbroken')).toEqual({
    ID: 'debian',
    PRETTY_NAME: 'Debian 12',
  });
});

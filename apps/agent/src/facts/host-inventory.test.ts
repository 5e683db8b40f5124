import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { createSilentLogger, err, ok } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { findCapabilities } from './capabilities.ts';
import { CLOUD_DETECTION_OFF, type MachineFacts } from './detect-cloud.ts';
import { HostInventory, type Lookups } from './host-inventory.ts';

let inventory: HostInventory | undefined;
afterEach(() => inventory?.close());

const HA_ADDRESSES = () => Promise.resolve(err('This host has no usable IPv4 address.'));
const bgp = (running: boolean) => create(fleet.BgpFactSchema, { known: true, running });

function open(lookups: Partial<Lookups>, intervalMs = 1): HostInventory {
  const rest: Lookups = {
    machine: () => Promise.resolve(CLOUD_DETECTION_OFF),
    bgp: () => Promise.resolve(bgp(false)),
    ha: HA_ADDRESSES,
    capabilities: () => Promise.resolve([]),
  };
  inventory = new HostInventory({ ...rest, ...lookups }, createSilentLogger(), intervalMs);
  return inventory;
}

function found(serverId?: string): MachineFacts {
  const cloud = create(fleet.CloudFactsSchema, {
    detection: fleet.CloudDetection.FOUND,
    provider: { value: 'aws' },
    ...(serverId && { serverId: { value: serverId } }),
  });
  return { cloud, hypervisor: undefined };
}

describe('the inventory of a host', () => {
  it('reports a change once, and nothing while nothing changes', async () => {
    let isRunning = false;
    let looks = 0;
    const changed = vi.fn();
    const opened = open({
      bgp: () => {
        looks += 1;
        return Promise.resolve(bgp(isRunning));
      },
    });
    await opened.known;
    opened.onChange(changed);
    await vi.waitFor(() => expect(looks).toBeGreaterThan(3));
    expect(changed).not.toHaveBeenCalled();
    isRunning = true;
    await vi.waitFor(() => expect(changed).toHaveBeenCalledOnce());
    expect(opened.current.bgp?.running).toBe(true);
  });

  it('looks at the machine again until the metadata service has answered', async () => {
    const machine = vi.fn<Lookups['machine']>().mockResolvedValueOnce(found()).mockResolvedValueOnce(found());
    machine.mockResolvedValue(found('i-1'));
    let looks = 0;
    const opened = open({
      machine,
      bgp: () => {
        looks += 1;
        return Promise.resolve(bgp(false));
      },
    });
    await vi.waitFor(() => expect(opened.current.cloud?.serverId?.value).toBe('i-1'));
    const before = looks;
    await vi.waitFor(() => expect(looks).toBeGreaterThan(before + 3));
    expect(machine).toHaveBeenCalledTimes(3);
  });

  it('does not look at the machine again if detection is off', async () => {
    const machine = vi.fn<Lookups['machine']>().mockResolvedValue(CLOUD_DETECTION_OFF);
    let looks = 0;
    open({
      machine,
      bgp: () => {
        looks += 1;
        return Promise.resolve(bgp(false));
      },
    });
    await vi.waitFor(() => expect(looks).toBeGreaterThan(3));
    expect(machine).toHaveBeenCalledOnce();
  });

  it('keeps what is known when a lookup fails, and knows what it can', async () => {
    const machine = vi.fn<Lookups['machine']>().mockRejectedValueOnce(new Error('broken'));
    machine.mockResolvedValue(found('i-1'));
    const opened = open({ machine });
    await opened.known;
    expect(opened.current).toMatchObject({ cloud: undefined, bgp: { running: false } });
    await vi.waitFor(() => expect(opened.current.cloud?.provider?.value).toBe('aws'));
  });

  it('closes while a lookup is stuck', async () => {
    const opened = open({ bgp: () => new Promise(() => undefined) });
    await opened.close();
  });
});

describe('capabilities', () => {
  const envoy = { version: '1.40.0', path: '/envoy', source: 'cache' as const };
  const look = (machine: string, versions: readonly string[], command: readonly string[] = [process.execPath]) => {
    const list = () => Promise.resolve(versions.map((version) => ({ ...envoy, version })));
    const envoyDist = { list } as unknown as Parameters<typeof findCapabilities>[0]['envoyDist'];
    return findCapabilities({
      envoyDist,
      modules: { list: async () => [] },
      flotillaCommand: command,
      machine,
      dataDir: '/',
      haAddresses: HA_ADDRESSES,
    });
  };

  it('need an Envoy, or a machine for which it can be downloaded', async () => {
    expect((await look('linux-riscv64', ['1.40.0']))[0]).toMatchObject({ name: 'proxy', available: true });
    expect((await look('linux-x64', []))[0]).toMatchObject({ name: 'proxy', available: true });
    expect((await look('linux-riscv64', []))[0]).toMatchObject({
      name: 'proxy',
      available: false,
      detail: expect.stringMatching(/linux-riscv64.*ENVOY_BIN/s),
    });
  });

  it('need the program of the filter', async () => {
    expect((await look('linux-x64', []))[1]).toMatchObject({ name: 'shield', available: true });
    const [, shield] = await look('linux-x64', [], [process.execPath, '/nowhere/flotilla.mjs']);
    expect(shield).toMatchObject({ name: 'shield', available: false, detail: expect.stringContaining('/nowhere') });
  });

  it('need a routing suite, or say what to install', async () => {
    const found = async (routingPrograms: readonly string[]) =>
      (
        await findCapabilities({
          envoyDist: { list: () => Promise.resolve([]) } as unknown as Parameters<
            typeof findCapabilities
          >[0]['envoyDist'],
          modules: { list: async () => [] },
          flotillaCommand: [process.execPath],
          machine: 'linux-x64',
          dataDir: '/',
          haAddresses: HA_ADDRESSES,
          routingPrograms,
        })
      )[2];
    expect(await found(['/nowhere/vtysh', process.execPath])).toMatchObject({ name: 'routing', available: true });
    const none = await found(['/nowhere/vtysh']);
    expect(none).toMatchObject({ name: 'routing', available: false, detail: expect.stringContaining('FRR') });
  });

  it('need a Linux with a data folder that can be written, to be an appliance', async () => {
    const root = await mkdtemp(join(tmpdir(), 'release-'));
    onTestFinished(() => rm(root, { recursive: true }));
    const found = async (dataDir: string) => {
      const capabilities = await findCapabilities({
        envoyDist: { list: () => Promise.resolve([]) } as unknown as Parameters<
          typeof findCapabilities
        >[0]['envoyDist'],
        modules: { list: async () => [] },
        flotillaCommand: [process.execPath],
        machine: 'linux-x64',
        dataDir,
        haAddresses: HA_ADDRESSES,
        root,
      });
      return capabilities.find(({ name }) => name === 'appliance');
    };
    expect(await found(root)).toMatchObject({ available: false, detail: expect.stringContaining('os-release') });
    await mkdir(join(root, 'etc'));
    await writeFile(join(root, 'etc/os-release'), 'PRETTY_NAME="Edge OS 3"\nIMAGE_ID=edge\n');
    expect(await found(root)).toMatchObject({ available: true, detail: 'Edge OS 3, image edge' });
    expect(await found(join(root, 'nowhere'))).toMatchObject({
      available: false,
      detail: expect.stringContaining('The data folder cannot be written'),
    });
  });

  it('need Linux, programs of the network, the right to change it and an IPv4 address, to share addresses', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'programs-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const found = async (machine: string, haAddresses: Lookups['ha']) => {
      const envoyDist = { list: () => Promise.resolve([]) } as unknown as Parameters<
        typeof findCapabilities
      >[0]['envoyDist'];
      const capabilities = await findCapabilities({
        envoyDist,
        modules: { list: async () => [] },
        flotillaCommand: [process.execPath],
        machine,
        dataDir: dir,
        haAddresses,
        networkFolders: [dir],
      });
      return capabilities.find(({ name }) => name === 'ha');
    };
    const addresses = () => Promise.resolve(ok(create(fleet.HaFactsSchema, { dataAddress: '192.0.2.1' })));
    await writeFile(join(dir, 'ip'), '');
    expect(await found('linux-x64', addresses)).toMatchObject({
      available: false,
      detail: expect.stringMatching(/no ping \(package iputils-ping\), socat \(package socat\).*iproute2/s),
    });
    for (const name of ['ping', 'socat']) await writeFile(join(dir, name), '');
    expect(await found('darwin-arm64', addresses)).toMatchObject({ available: false });
    expect(await found('linux-x64', HA_ADDRESSES)).toMatchObject({
      available: false,
      detail: expect.stringContaining('no usable IPv4 address'),
    });
    expect(await found('linux-x64', addresses)).toMatchObject({ available: true, detail: '192.0.2.1' });
  });

  it('that a host lacks are explained, and none is before the agent has looked', async () => {
    const opened = open({ capabilities: () => look('linux-riscv64', []) });
    expect(opened.lacks('proxy')).toBeUndefined();
    await opened.known;
    expect(opened.lacks('proxy')).toContain('ENVOY_BIN');
    expect(opened.lacks('shield')).toBeUndefined();
  });
});

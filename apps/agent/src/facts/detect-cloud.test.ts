import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fleet } from '@flotilla/proto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { detectMachine } from './detect-cloud.ts';
import type { MetadataRequest } from './metadata-services.ts';

let dir: string;
const asked: MetadataRequest[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dmi-'));
  asked.length = 0;
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function detect(files: Readonly<Record<string, string>>, flags?: string) {
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  const cpuInfoFile = join(dir, 'cpuinfo');
  if (flags !== undefined) await writeFile(cpuInfoFile, `processor\t: 0\nflags\t\t: fpu ${flags} sse2\n`);
  const ask = (request: MetadataRequest) => {
    asked.push(request);
    return Promise.resolve(undefined);
  };
  const { cloud, hypervisor } = await detectMachine({ dmiDir: dir, cpuInfoFile, ask });
  return {
    cloud: cloud.provider?.value,
    detection: fleet.CloudDetection[cloud.detection],
    hypervisor: hypervisor?.value,
  };
}

describe('the detection', () => {
  it('asks no metadata service on a physical machine, where anybody could answer', async () => {
    expect(await detect({ sys_vendor: 'Dell Inc.\n' }, 'vme')).toEqual({ detection: 'NONE', hypervisor: 'none' });
    expect(asked).toEqual([]);
  });

  it('asks on a physical machine of a cloud, in a virtual machine, and where it cannot know', async () => {
    expect(await detect({ sys_vendor: 'Amazon EC2\n' }, 'vme')).toMatchObject({ cloud: 'aws', hypervisor: 'none' });
    expect(asked).not.toEqual([]);
    asked.length = 0;
    expect(await detect({ sys_vendor: 'Unknown\n' }, 'hypervisor')).toMatchObject({ hypervisor: 'unknown' });
    expect(asked).not.toEqual([]);
    asked.length = 0;
    await rm(join(dir, 'cpuinfo'));
    expect(await detect({ sys_vendor: 'QEMU\n' })).toMatchObject({ detection: 'NONE', hypervisor: 'kvm' });
    expect(asked).not.toEqual([]);
  });

  it('ignores empty and oversized fields and works without any', async () => {
    expect(await detect({ sys_vendor: '', product_name: `Google Compute Engine${' x'.repeat(500)}` })).toEqual({
      detection: 'NONE',
      hypervisor: undefined,
    });
    await rm(dir, { recursive: true });
    const { cloud } = await detectMachine({ dmiDir: dir, cpuInfoFile: dir, ask: () => Promise.resolve(undefined) });
    expect(cloud.detection).toBe(fleet.CloudDetection.NONE);
  });
});

import { fleet } from '@flotilla/proto';
import { describe, expect, it } from 'vitest';
import { type Dmi, findHypervisorSign } from './dmi-clouds.ts';
import { judgeCloud } from './judge-cloud.ts';
import type { CloudAnswer } from './metadata-services.ts';

const UUID = '1b4e28ba-2fa1-11d2-883f-0016d3cca427';

function judge(dmi: Dmi, ...answers: CloudAnswer[]) {
  const { detection, provider, serverId, project, reason } = judgeCloud({ dmi, answers });
  return {
    detection: fleet.CloudDetection[detection],
    provider: provider?.value,
    from: provider?.source,
    serverId: serverId && [serverId.value, serverId.source],
    project: project?.value,
    reason,
  };
}

const answer = (cloud: CloudAnswer['cloud'], serverId = 'id', project?: string): CloudAnswer => ({
  cloud,
  serverId,
  project,
});

describe('the firmware of a machine', () => {
  it.each<[string, Dmi, string, string | undefined]>([
    [
      'AWS on Nitro',
      { sys_vendor: 'Amazon EC2', board_asset_tag: 'i-0abcdef1234567890' },
      'aws',
      'i-0abcdef1234567890',
    ],
    ['AWS on Xen', { sys_vendor: 'Xen', bios_version: '4.11.amazon', product_name: 'HVM domU' }, 'aws', undefined],
    ['Google', { sys_vendor: 'Google', product_name: 'Google Compute Engine' }, 'gcp', undefined],
    [
      'Azure',
      { sys_vendor: 'Microsoft Corporation', chassis_asset_tag: '7783-7084-3265-9085-8269-3286-77' },
      'azure',
      undefined,
    ],
    ['OpenStack', { sys_vendor: 'OpenStack Foundation', product_uuid: UUID.toUpperCase() }, 'openstack', UUID],
    ['OpenStack by product', { sys_vendor: 'RDO', product_name: 'OpenStack Compute' }, 'openstack', undefined],
    ['a cloud on OpenStack', { chassis_asset_tag: 'OpenTelekomCloud' }, 'openstack', undefined],
    ['DigitalOcean', { sys_vendor: 'DigitalOcean', product_serial: '3164444' }, 'digitalocean', '3164444'],
    ['Hetzner', { sys_vendor: 'Hetzner', product_name: 'vServer', product_serial: '42' }, 'hetzner', '42'],
    ['Oracle', { sys_vendor: 'QEMU', chassis_asset_tag: 'OracleCloud.com' }, 'oracle', undefined],
    ['Alibaba', { sys_vendor: 'Alibaba Cloud', product_name: 'Alibaba Cloud ECS' }, 'alibaba', undefined],
  ])('names %s', (_, dmi, provider, serverId) => {
    expect(judge(dmi)).toMatchObject({ detection: 'FOUND', provider, from: expect.stringMatching(/^DMI \w+ "/) });
    expect(judge(dmi).serverId?.[0]).toBe(serverId);
  });

  it.each<[string, Dmi, string | undefined]>([
    ['VMware', { sys_vendor: 'VMware, Inc.', product_name: 'VMware Virtual Platform' }, 'vmware'],
    ['KVM', { sys_vendor: 'QEMU', product_name: 'Standard PC (Q35 + ICH9, 2009)' }, 'kvm'],
    ['Hyper-V', { sys_vendor: 'Microsoft Corporation', product_name: 'Virtual Machine' }, 'hyperv'],
    ['VirtualBox', { sys_vendor: 'innotek GmbH', product_name: 'VirtualBox' }, 'virtualbox'],
    ['a laptop of Google', { sys_vendor: 'Google', bios_vendor: 'coreboot', product_name: 'Eve' }, undefined],
    ['a server', { sys_vendor: 'Dell Inc.', product_name: 'PowerEdge R640' }, undefined],
    ['nothing', {}, undefined],
  ])('of %s names no cloud', (_, dmi, hypervisor) => {
    expect(judge(dmi)).toEqual({
      detection: 'NONE',
      reason: expect.stringContaining('Neither'),
      provider: undefined,
      from: undefined,
      serverId: undefined,
      project: undefined,
    });
    expect(findHypervisorSign(dmi)?.name).toBe(hypervisor);
  });

  it('is not believed where it only resembles a fingerprint', () => {
    for (const sys_vendor of ['Amazon EC2 compatible', 'amazon ec2', 'My Hetzner', 'DigitalOcean\u0000']) {
      expect(judge({ sys_vendor }).detection).toBe('NONE');
    }
    expect(judge({ sys_vendor: 'Hetzner', product_serial: '42; rm' }).serverId).toBeUndefined();
    expect(judge({ sys_vendor: 'Amazon EC2', board_asset_tag: 'Amazon EC2' }).serverId).toBeUndefined();
  });
});

describe('a metadata service', () => {
  it('adds the server and the project, and counts more than the firmware', () => {
    const dmi = { sys_vendor: 'Amazon EC2', board_asset_tag: 'i-00000000' };
    expect(judge(dmi, answer('aws', 'i-11111111', '123456789012'))).toMatchObject({
      detection: 'FOUND',
      from: 'DMI sys_vendor "Amazon EC2", metadata service',
      serverId: ['i-11111111', 'metadata service'],
      project: '123456789012',
    });
  });

  it('names the cloud of a machine whose firmware names a hypervisor only', () => {
    expect(judge({ sys_vendor: 'VMware, Inc.' }, answer('openstack', UUID, 'p'))).toMatchObject({
      detection: 'FOUND',
      provider: 'openstack',
      from: 'metadata service',
    });
  });

  it('of Oracle may also answer like that of OpenStack', () => {
    expect(judge({}, answer('openstack'), answer('oracle', 'ocid1.instance.x'))).toMatchObject({
      provider: 'oracle',
      serverId: ['ocid1.instance.x', 'metadata service'],
    });
  });
});

describe('signs that contradict each other', () => {
  it.each<[string, Dmi, CloudAnswer[]]>([
    ['two fields of the firmware', { sys_vendor: 'Hetzner', chassis_asset_tag: 'OracleCloud.com' }, []],
    ['the firmware and a metadata service', { sys_vendor: 'Amazon EC2' }, [answer('gcp')]],
    ['the firmware and two services', { sys_vendor: 'Amazon EC2' }, [answer('aws'), answer('openstack')]],
    ['two metadata services', {}, [answer('azure'), answer('digitalocean')]],
  ])('in %s name no provider', (_, dmi, answers) => {
    const judged = judge(dmi, ...answers);
    expect(judged).toMatchObject({ detection: 'CONTRADICTING', provider: undefined, serverId: undefined });
    expect(judged.reason).toMatch(/ by .*; .* by /);
  });
});

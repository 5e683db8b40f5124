import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { type Cloud, type Dmi, findCloudSigns, readServerId, type Sign } from './dmi-clouds.ts';
import type { CloudAnswer } from './metadata-services.ts';

const METADATA = 'metadata service';

export interface CloudEvidence {
  readonly dmi: Dmi;
  readonly answers: readonly CloudAnswer[];
}

/**
 * Derives the cloud from what the firmware and the metadata services say. They contradict each other if they name different
 * providers, except that Oracle also serves the metadata API of OpenStack.
 */
export function judgeCloud({ dmi, answers: all }: CloudEvidence): fleet.CloudFacts {
  const signs = findCloudSigns(dmi);
  const isOracle = [...signs.map(({ name }) => name), ...all.map(({ cloud }) => cloud)].includes('oracle');
  const answers = all.filter(({ cloud }) => cloud !== 'openstack' || !isOracle);
  const named = new Set<Cloud>([...signs.map(({ name }) => name), ...answers.map(({ cloud }) => cloud)]);
  const [cloud] = named;
  if (cloud === undefined) {
    return create(fleet.CloudFactsSchema, {
      detection: fleet.CloudDetection.NONE,
      reason: 'Neither the firmware (DMI) nor a metadata service names a known provider.',
    });
  }
  if (named.size > 1) {
    return create(fleet.CloudFactsSchema, {
      detection: fleet.CloudDetection.CONTRADICTING,
      reason: `The signs contradict each other: ${describeSigns(signs, answers)}.`,
    });
  }
  return describeCloud(cloud, { dmi, answers, sign: signs.find(({ name }) => name === cloud) });
}

function describeCloud(
  cloud: Cloud,
  { dmi, answers, sign }: CloudEvidence & { readonly sign: Sign | undefined },
): fleet.CloudFacts {
  const answer = answers.find((one) => one.cloud === cloud);
  const fromDmi = readServerId(cloud, dmi);
  const provider = [sign?.source, answer && METADATA].filter((source) => source !== undefined).join(', ');
  return create(fleet.CloudFactsSchema, {
    detection: fleet.CloudDetection.FOUND,
    provider: { value: cloud, source: provider },
    ...(answer
      ? { serverId: { value: answer.serverId, source: METADATA } }
      : fromDmi && { serverId: { value: fromDmi.name, source: fromDmi.source } }),
    ...(answer?.project !== undefined && { project: { value: answer.project, source: METADATA } }),
  });
}

function describeSigns(signs: readonly Sign[], answers: readonly CloudAnswer[]): string {
  return [
    ...signs.map(({ name, source }) => `${name} by ${source}`),
    ...answers.map(({ cloud }) => `${cloud} by its ${METADATA}`),
  ].join('; ');
}

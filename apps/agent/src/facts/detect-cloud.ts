import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { DMI_FIELDS, type Dmi, findCloudSigns, findHypervisorSign, type Sign } from './dmi-clouds.ts';
import { judgeCloud } from './judge-cloud.ts';
import { type AskMetadata, askMetadataServices } from './metadata-services.ts';

export interface MachineFacts {
  readonly cloud: fleet.CloudFacts;
  readonly hypervisor: fleet.SourcedFact | undefined;
}

/** Where the machine is read. Tests name other folders. */
export interface MachineSources {
  readonly dmiDir: string;
  readonly cpuInfoFile: string;
  readonly ask: AskMetadata;
}

export const MACHINE_FILES = { dmiDir: '/sys/class/dmi/id', cpuInfoFile: '/proc/cpuinfo' } as const;
/** Longer values are no fingerprints. */
const DMI_VALUE_MAX = 256;

/**
 * Reads what the machine says of its provider. The metadata services are not asked on a physical machine whose firmware names
 * no cloud: on such a network anybody could answer.
 */
export async function detectMachine({ dmiDir, cpuInfoFile, ask }: MachineSources): Promise<MachineFacts> {
  const [dmi, cpuInfo] = await Promise.all([readDmi(dmiDir), readText(cpuInfoFile)]);
  const hypervisor = findHypervisor(dmi, cpuInfo);
  const isPhysical = hypervisor?.name === 'none' && findCloudSigns(dmi).length === 0;
  const answers = isPhysical ? [] : await askMetadataServices(ask);
  return {
    cloud: judgeCloud({ dmi, answers }),
    hypervisor: hypervisor && create(fleet.SourcedFactSchema, { value: hypervisor.name, source: hypervisor.source }),
  };
}

export const CLOUD_DETECTION_OFF: MachineFacts = {
  cloud: create(fleet.CloudFactsSchema, {
    detection: fleet.CloudDetection.OFF,
    reason: 'The agent runs with --cloud-detection off.',
  }),
  hypervisor: undefined,
};

/** x86 processors tell a guest that it has a hypervisor; others tell nothing. */
function findHypervisor(dmi: Dmi, cpuInfo: string | undefined): Sign | undefined {
  const named = findHypervisorSign(dmi);
  if (named) return named;
  const flags = /^flags\s*:(.*)$/m.exec(cpuInfo ?? '')?.[1]?.split(' ');
  if (flags === undefined) return undefined;
  const source = '/proc/cpuinfo';
  return flags.includes('hypervisor') ? { name: 'unknown', source } : { name: 'none', source };
}

async function readDmi(folder: string): Promise<Dmi> {
  const read = DMI_FIELDS.map(async (field) => {
    const text = (await readText(join(folder, field)))?.trim();
    return text === undefined || text === '' || text.length > DMI_VALUE_MAX ? [] : [[field, text] as const];
  });
  return Object.fromEntries((await Promise.all(read)).flat());
}

/** Undefined if the file does not exist or this user may not read it. */
async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

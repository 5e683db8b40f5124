import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { isPublishedFor } from '@flotilla/envoy-dist';
import { type Result, toErrorMessage } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { CAPABILITIES, type Capability } from '@flotilla/proto/commands';
import { parseAssignments } from '../appliance/status/read-text.ts';
import type { ServiceHostOptions } from '../host/types.ts';
import { findFilebeat, findRsyslog } from '../log-forwarding/programs.ts';
import { listMissingPrograms, mayChangeNetwork } from './host-programs.ts';

export interface CapabilitySources extends Pick<ServiceHostOptions, 'flotillaCommand'> {
  readonly envoyDist: Pick<ServiceHostOptions['envoyDist'], 'list'>;
  readonly modules: Pick<ServiceHostOptions['modules'], 'list'>;
  /** For example `linux-x64`. */
  readonly machine: string;
  /** Where the programs of a routing suite are; its usual places by default. */
  readonly routingPrograms?: readonly string[];
  /** Where rsyslog is; its usual places by default. */
  readonly rsyslogPrograms?: readonly string[];
  /** The data folder of the agent. */
  readonly dataDir: string;
  /** Contains etc/os-release; `/` by default. */
  readonly root?: string;
  /** Where Filebeat is; its usual places by default. */
  readonly filebeatPrograms?: readonly string[];
  /** Where the programs of the network are; the folders of the system by default. */
  readonly networkFolders?: readonly string[];
  /** The addresses for the heartbeats of a pair, or why there are none. */
  readonly haAddresses: () => Promise<Result<fleet.HaFacts, string>>;
}

/** The programs that change the network, with the Debian package of each. */
const NETWORK_PROGRAMS = { ip: 'iproute2', netplan: 'netplan.io', arping: 'iputils-arping' } as const;
/** The programs that share addresses with another host. */
const HA_PROGRAMS = { ip: 'iproute2', ping: 'iputils-ping', socat: 'socat' } as const;

/** The shell of FRR, in the places where packages and FRR's own installation put it. */
const ROUTING_PROGRAMS = ['/usr/bin/vtysh', '/usr/sbin/vtysh', '/usr/local/bin/vtysh'];

/** Checks what is on the host for everything that this agent can do with it. */
export async function findCapabilities(sources: CapabilitySources): Promise<fleet.Capability[]> {
  return Promise.all([
    findProxy(sources),
    findShield(sources),
    findRouting(sources),
    findSyslog(sources),
    findShipper(sources),
    findNetwork(sources),
    findWaf(sources),
    findAppliance(sources),
    findHa(sources),
  ]);
}

async function findProxy({ envoyDist, machine }: CapabilitySources): Promise<fleet.Capability> {
  const binaries = await envoyDist.list();
  const versions = [...new Set(binaries.map(({ version }) => version))];
  if (versions.length > 0) return found('proxy', `Envoy ${versions.join(', ')}`);
  if (isPublishedFor(machine)) return found('proxy', `No Envoy yet. It is downloaded with the first service.`);
  return missing('proxy', `No Envoy runs here, and none is published for ${machine}.`);
}

/** The filter is part of the program of the agent. */
async function findShield({ flotillaCommand }: CapabilitySources): Promise<fleet.Capability> {
  for (const part of flotillaCommand.filter((one) => isAbsolute(one))) {
    const isThere = await access(part).then(
      () => true,
      () => false,
    );
    if (!isThere) return missing('shield', `${part} does not exist.`);
  }
  return found('shield', `${flotillaCommand.at(-1)}`);
}

async function findRouting({ routingPrograms = ROUTING_PROGRAMS }: CapabilitySources): Promise<fleet.Capability> {
  for (const program of routingPrograms) {
    const isThere = await access(program).then(
      () => true,
      () => false,
    );
    if (isThere) return found('routing', program);
  }
  return missing('routing', 'No routing suite is installed.');
}

async function findSyslog({ rsyslogPrograms }: CapabilitySources): Promise<fleet.Capability> {
  const program = await findRsyslog(rsyslogPrograms);
  return program === undefined ? missing('syslog', 'rsyslog is not installed.') : found('syslog', program);
}

async function findShipper({ rsyslogPrograms, filebeatPrograms }: CapabilitySources): Promise<fleet.Capability> {
  const programs = await Promise.all([findFilebeat(filebeatPrograms), findRsyslog(rsyslogPrograms)]);
  const installed = programs.filter((one) => one !== undefined);
  return installed.length === 0
    ? missing('logshipper', 'Neither Filebeat nor rsyslog is installed.')
    : found('logshipper', installed.join(', '));
}

async function findNetwork({ networkFolders }: CapabilitySources): Promise<fleet.Capability> {
  const absent = await listMissingPrograms(NETWORK_PROGRAMS, networkFolders);
  if (absent.length > 0) return missing('network', `This host has no ${absent.join(', ')}.`);
  if (!(await mayChangeNetwork())) return missing('network', 'The agent may not change the network.');
  return found('network', Object.keys(NETWORK_PROGRAMS).join(', '));
}

async function findHa({ networkFolders, machine, haAddresses }: CapabilitySources): Promise<fleet.Capability> {
  if (!machine.startsWith('linux-')) return missing('ha', 'This host does not run Linux.');
  const absent = await listMissingPrograms(HA_PROGRAMS, networkFolders);
  if (absent.length > 0) return missing('ha', `This host has no ${absent.join(', ')}.`);
  if (!(await mayChangeNetwork())) return missing('ha', 'The agent may not change the network.');
  const addresses = await haAddresses();
  return addresses.ok ? found('ha', addresses.value.dataAddress) : missing('ha', addresses.error);
}

async function findWaf({ modules }: CapabilitySources): Promise<fleet.Capability> {
  try {
    const versions = (await modules.list()).map(({ version }) => version);
    return found('waf', versions.length > 0 ? `Modules ${versions.join(', ')}` : 'No module yet.');
  } catch (error) {
    return missing('waf', `The folder of the modules cannot be read (${toErrorMessage(error)}).`);
  }
}

/** A host is an appliance if it can describe itself and keep a support bundle. */
async function findAppliance({ dataDir, root = '/' }: CapabilitySources): Promise<fleet.Capability> {
  const release = await readFile(join(root, 'etc/os-release'), 'utf8').catch(() => undefined);
  if (release === undefined) return missing('appliance', 'The file /etc/os-release cannot be read.');
  const hasKernelFiles = await access('/proc/self/status').then(
    () => true,
    () => false,
  );
  if (!hasKernelFiles) return missing('appliance', 'The folder /proc cannot be read.');
  try {
    await access(dataDir, constants.W_OK);
  } catch (error) {
    return missing('appliance', `The data folder cannot be written (${toErrorMessage(error)}).`);
  }
  const { PRETTY_NAME: name = 'Linux', IMAGE_ID: image } = parseAssignments(release);
  return found('appliance', image === undefined ? name : `${name}, image ${image}`);
}

function found(name: Capability, detail: string): fleet.Capability {
  return create(fleet.CapabilitySchema, { name, available: true, detail });
}

function missing(name: Capability, what: string): fleet.Capability {
  return create(fleet.CapabilitySchema, { name, available: false, detail: `${what} ${CAPABILITIES[name].install}` });
}

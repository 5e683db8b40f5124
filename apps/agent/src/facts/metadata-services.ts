import type { Cloud } from './dmi-clouds.ts';

/** A request to the link-local metadata address. */
export interface MetadataRequest {
  readonly path: string;
  readonly method?: 'GET' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
}

export interface MetadataAnswer {
  readonly body: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Resolves to undefined for anything but a complete answer with status 200. */
export type AskMetadata = (request: MetadataRequest) => Promise<MetadataAnswer | undefined>;

export interface CloudAnswer {
  readonly cloud: Cloud;
  readonly serverId: string;
  readonly project: string | undefined;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type MetadataService = (ask: AskMetadata) => Promise<Omit<CloudAnswer, 'cloud'> | undefined>;

/**
 * The metadata services with an address that is link-local. Each one asks for as little as it can, because other parts of the
 * metadata contain secrets, and accepts only ids of the form that the provider documents. Alibaba's is at another address.
 */
const SERVICES: Readonly<Partial<Record<Cloud, MetadataService>>> = {
  async aws(ask) {
    const token = await ask({
      method: 'PUT',
      path: '/latest/api/token',
      headers: { 'X-aws-ec2-metadata-token-ttl-seconds': '60' },
    });
    if (!token || !/^[\w=+/-]{1,512}$/.test(token.body)) return undefined;
    const headers = { 'X-aws-ec2-metadata-token': token.body };
    const document = readJson(await ask({ path: '/latest/dynamic/instance-identity/document', headers }));
    const serverId = readId(document.instanceId, /^i-[0-9a-f]{8,17}$/);
    return serverId === undefined ? undefined : { serverId, project: readId(document.accountId, /^\d{12}$/) };
  },
  async gcp(ask) {
    const read = async (path: string, form: RegExp) => {
      const answer = await ask({ path: `/computeMetadata/v1/${path}`, headers: { 'Metadata-Flavor': 'Google' } });
      return answer?.headers['metadata-flavor'] === 'Google' ? readId(answer.body, form) : undefined;
    };
    const serverId = await read('instance/id', /^\d{1,20}$/);
    return serverId === undefined
      ? undefined
      : { serverId, project: await read('project/project-id', /^[a-z][a-z0-9.:-]{4,60}[a-z0-9]$/) };
  },
  async azure(ask) {
    const read = async (name: string) => {
      const path = `/metadata/instance/compute/${name}?api-version=2021-02-01&format=text`;
      return readId((await ask({ path, headers: { Metadata: 'true' } }))?.body.toLowerCase(), UUID);
    };
    const serverId = await read('vmId');
    return serverId === undefined ? undefined : { serverId, project: await read('subscriptionId') };
  },
  async openstack(ask) {
    const document = readJson(await ask({ path: '/openstack/latest/meta_data.json' }));
    const serverId = readId(document.uuid, UUID);
    return serverId === undefined
      ? undefined
      : { serverId, project: readId(document.project_id, /^[0-9a-f-]{32,36}$/) };
  },
  async digitalocean(ask) {
    const serverId = readId((await ask({ path: '/metadata/v1/id' }))?.body, /^\d{1,19}$/);
    return serverId === undefined ? undefined : { serverId, project: undefined };
  },
  async hetzner(ask) {
    const serverId = readId((await ask({ path: '/hetzner/v1/metadata/instance-id' }))?.body, /^\d{1,19}$/);
    return serverId === undefined ? undefined : { serverId, project: undefined };
  },
  async oracle(ask) {
    const read = async (name: string, form: RegExp) =>
      readId(
        (await ask({ path: `/opc/v2/instance/${name}`, headers: { Authorization: 'Bearer Oracle' } }))?.body,
        form,
      );
    const serverId = await read('id', /^ocid1\.instance\.[\w.-]{1,240}$/);
    if (serverId === undefined) return undefined;
    return { serverId, project: await read('compartmentId', /^ocid1\.(?:compartment|tenancy)\.[\w.-]{1,240}$/) };
  },
};

/** Asks all services at once. Returns those that answered like the service that they should be. */
export async function askMetadataServices(ask: AskMetadata): Promise<CloudAnswer[]> {
  const asked = Object.entries(SERVICES).map(async ([cloud, service]): Promise<CloudAnswer | undefined> => {
    const answer = await service(ask);
    return answer && { cloud: cloud as Cloud, ...answer };
  });
  return (await Promise.all(asked)).filter((answer) => answer !== undefined);
}

function readJson(answer: MetadataAnswer | undefined): Readonly<Record<string, unknown>> {
  if (!answer) return {};
  try {
    const value: unknown = JSON.parse(answer.body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function readId(value: unknown, form: RegExp): string | undefined {
  const text = typeof value === 'string' ? value.trim() : undefined;
  return text !== undefined && form.test(text) ? text : undefined;
}

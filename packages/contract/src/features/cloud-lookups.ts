import * as z from 'zod';
import { createFail } from '../errors/define.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema } from '../schemas.ts';
import { cloudNameSchema } from '../settings/cloud.ts';

/** More addresses are counted, but not listed. */
export const AVAILABLE_LISTED_MAX = 4096;

/** Keystone and Neutron name their records by a UUID, with or without dashes. */
const cloudIdSchema = z.string().regex(/^[\da-fA-F-]{1,64}$/, 'an id: hexadecimal digits and dashes');

const subnetSchema = z.object({
  id: z.string(),
  name: z.string(),
  cidr: z.string(),
  gateway_ip: z.string().nullable(),
  ip_version: z.number().int(),
  enable_dhcp: z.boolean(),
  dns_nameservers: z.array(z.string()),
  allocation_pools: z.array(z.object({ start: z.string(), end: z.string() })),
});

/** A port of a cloud server (Networking API v2.0), with the network that it belongs to. */
export const cloudPortSchema = z.object({
  id: z.string(),
  name: z.string(),
  network_id: z.string(),
  status: z.string(),
  admin_state_up: z.boolean(),
  mac_address: z.string(),
  fixed_ips: z.array(z.object({ subnet_id: z.string(), ip_address: z.string() })),
  allowed_address_pairs: z.array(z.object({ ip_address: z.string(), mac_address: z.string().optional() })),
  device_id: z.string(),
  device_owner: z.string(),
  /** Null: the credential may not see the network. */
  network_details: z
    .object({ id: z.string(), name: z.string(), status: z.string(), subnets: z.array(subnetSchema) })
    .nullable(),
});
export type CloudPort = z.infer<typeof cloudPortSchema>;

export const subnetAddressesSchema = z.object({
  subnet_id: z.string(),
  subnet_name: z.string(),
  network_id: z.string(),
  network_name: z.string(),
  cidr: z.string(),
  gateway_ip: z.string().nullable(),
  /** In ascending order, at most AVAILABLE_LISTED_MAX. */
  available_ips: z.array(z.string()),
  /** In ascending order: fixed addresses of ports, and the addresses that ports may also use. */
  used_ips: z.array(z.string()),
  total_available: z.number().int(),
  total_used: z.number().int(),
});
export type SubnetAddresses = z.infer<typeof subnetAddressesSchema>;

const cloudQuery = {
  project: idSchema,
  /** Id of the project in the cloud. */
  cloud_project: cloudIdSchema,
  /** Name of the stored cloud; needed if the project has several. */
  cloud: cloudNameSchema.optional(),
};

const lookup = {
  method: 'GET',
  tag: 'Clients',
  family: 'clients',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query',
  needs: { kind: 'client', level: 'view', param: 'client_id', by: 'id' },
  audit: null,
  rate: 'command',
  status: 200,
} as const;

export const cloudLookupRoutes = {
  interfaces: defineRoute({
    ...lookup,
    id: 'listCloudInterfaces',
    path: '/api/op/clients/:client_id/iaas/interfaces',
    summary: 'List the ports of the cloud server on which a client runs',
    params: z.strictObject({ client_id: idSchema }),
    query: z.strictObject({
      ...cloudQuery,
      /** Id of the server in the cloud. */
      os_uuid: cloudIdSchema,
    }),
    response: z.object({ data: z.array(cloudPortSchema) }),
  }),
  availableIps: defineRoute({
    ...lookup,
    id: 'listAvailableIps',
    path: '/api/op/clients/:client_id/iaas/subnets/:subnet_id/available_ips',
    summary: 'List the free and the used addresses of a subnet of the cloud',
    params: z.strictObject({ client_id: idSchema, subnet_id: cloudIdSchema }),
    query: z.strictObject({ ...cloudQuery, os_uuid: cloudIdSchema.optional() }),
    response: z.object({ message: z.string(), data: subnetAddressesSchema }),
  }),
};

export const CLOUD_LOOKUP_ERRORS = {
  'cloud.provider': {
    status: 409,
    message: 'Client {name} does not run in OpenStack: {provider}. Only clients of OpenStack can be looked up.',
  },
  'cloud.missing': {
    status: 409,
    message: 'The project has no cloud. Add one under Settings → Clouds, or with flotilla settings create cloud/NAME.',
  },
  'cloud.unknown': { status: 404, message: 'The project has no cloud {name}. Its clouds are: {names}.' },
  'cloud.ambiguous': {
    status: 400,
    message: 'The project has several clouds: {names}. Name one in the query "cloud".',
  },
  'cloud.other_server': {
    status: 409,
    message: 'Client {name} runs on the cloud server {server}, not on {given}.',
  },
  'cloud.other_project': {
    status: 409,
    message: 'The credential of cloud {cloud} belongs to the cloud project {project}, not to {given}.',
  },
  'cloud.subnet': { status: 404, message: 'Cloud {cloud} shows no subnet {subnet} to this credential.' },
  'cloud.port': { status: 409, message: 'Cloud {cloud} shows no port {port} of server {server} to this credential.' },
  'cloud.incomplete': {
    status: 409,
    message:
      'Client {name} does not know its cloud server or its cloud project, so its port cannot allow more addresses.',
  },
  'cloud.busy': { status: 409, message: 'Port {port} of cloud {cloud} is changed by others all the time.' },
  'cloud.refused': { status: 502, message: 'Cloud {cloud} refuses the request: {reason}' },
  'cloud.unreachable': { status: 502, message: 'Cloud {cloud} cannot be reached: {reason}' },
  'cloud.invalid_answer': { status: 502, message: 'Cloud {cloud} sent an answer that cannot be used: {reason}' },
} as const;
export const failCloudLookup = createFail(CLOUD_LOOKUP_ERRORS);

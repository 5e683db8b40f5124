import * as z from 'zod';

const id = z.string().min(1).max(64);
const text = z.string().max(1024);
const address = z.string().max(64);

/** Body of `POST /v3/auth/tokens` (Identity API v3). */
export const tokenAnswerSchema = z.object({
  token: z.object({
    expires_at: z.iso.datetime({ offset: true }),
    project: z.object({ id }).optional(),
    catalog: z
      .array(
        z.object({
          type: text,
          endpoints: z
            .array(
              z.object({
                interface: text,
                region: text.nullish(),
                region_id: text.nullish(),
                url: z.url({ protocol: /^https?$/ }).max(1024),
              }),
            )
            .max(1000),
        }),
      )
      .max(1000)
      .default([]),
  }),
});
export type TokenAnswer = z.output<typeof tokenAnswerSchema>;

/** The message of an error of the Identity or the Networking API. */
export const errorAnswerSchema = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ NeutronError: z.object({ message: z.string() }) }).transform(({ NeutronError: error }) => error.message),
]);

const fixedIp = z.object({ subnet_id: id, ip_address: address });
const addressPair = z.object({ ip_address: address, mac_address: address.optional() });

/** Records of the Networking API v2.0. Extensions that a cloud does not have are missing. */
export const portSchema = z.object({
  id,
  name: text.nullish().transform((name) => name ?? ''),
  network_id: id,
  status: text,
  admin_state_up: z.boolean(),
  mac_address: address,
  fixed_ips: z.array(fixedIp).max(1000),
  allowed_address_pairs: z.array(addressPair).max(1000).default([]),
  device_id: text,
  device_owner: text,
});

/** A port as it is before a change. Clouds without the extension for conditional writes have no revision. */
export const changedPortSchema = portSchema
  .pick({ id: true, mac_address: true, fixed_ips: true, allowed_address_pairs: true, device_id: true })
  .extend({ revision_number: z.number().int().optional() });
export type ChangedPort = z.output<typeof changedPortSchema>;

export const portAddressesSchema = portSchema.pick({ id: true, fixed_ips: true, allowed_address_pairs: true });

export const networkSchema = z.object({ id, name: text, status: text });

export const subnetSchema = z.object({
  id,
  name: text,
  network_id: id,
  cidr: address,
  gateway_ip: address.nullable(),
  ip_version: z.union([z.literal(4), z.literal(6)]),
  enable_dhcp: z.boolean(),
  dns_nameservers: z.array(address).max(100).default([]),
  allocation_pools: z
    .array(z.object({ start: address, end: address }))
    .max(1000)
    .default([]),
});
export type Subnet = z.output<typeof subnetSchema>;

import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { EDITORS } from '../roles.ts';
import { defineRoute, LIST_BODY_BYTES } from '../route.ts';
import { dryRunQuery, idSchema, nameSchema } from '../schemas.ts';
import { commandOutcomeSchema } from './commands.ts';
import { applyResultSchema } from './document-batches.ts';
import { changeSchema, proxyVersionSchema } from './documents.ts';
import { addressSchema, SERVICE_CLIENTS_MAX } from './services.ts';

export const PUBLISH_UPSTREAMS_MAX = 1000;
export const PUBLISH_HOSTS_MAX = 100;

const portSchema = z.number().int().min(1).max(65_535);

export const publishUpstreamSchema = z.strictObject({
  /** A host name, an IP address, or `unix:/path`. */
  address: z.string().min(1).max(1024),
  port: portSchema.optional(),
  weight: z.number().int().min(1).max(1_000_000).optional(),
});

/** An existing listener by its name, or a new one. */
export const publishListenerSchema = z.union([
  z.strictObject({ existing: nameSchema }),
  z.strictObject({
    port: portSchema,
    /** `@client`: the addresses that the service has on each client. */
    address: z.union([addressSchema, z.literal('@client')]).default('0.0.0.0'),
    name: nameSchema.optional(),
    /** The secret with the certificate; the listener then speaks HTTPS. */
    certificate: nameSchema.optional(),
  }),
]);

export const publishBodySchema = z.strictObject({
  upstreams: z.array(publishUpstreamSchema).min(1).max(PUBLISH_UPSTREAMS_MAX),
  /** TLS to the upstreams. Without `authorities`, their certificates are not verified. */
  upstream_tls: z
    .strictObject({
      /** Default: the host name of the first upstream. */
      sni: z.string().min(1).max(253).optional(),
      /** The secret with the trusted authorities. */
      authorities: nameSchema.optional(),
    })
    .optional(),
  /** Checks the upstreams actively, by HTTP requests for this path. */
  health_check: z.strictObject({ path: z.string().min(1).max(1024) }).optional(),
  hosts: z.array(z.string().min(1).max(1024)).min(1).max(PUBLISH_HOSTS_MAX),
  path: z.string().min(1).max(1024).default('/'),
  listener: publishListenerSchema,
  /** May be left out if the listener belongs to a service with clients. */
  clients: z
    .array(z.strictObject({ client_id: idSchema, addresses: z.array(addressSchema).max(64).optional() }))
    .max(SERVICE_CLIENTS_MAX)
    .default([]),
  policy: nameSchema.optional(),
  /** The service that gets a new listener. Default: a new service. */
  service: nameSchema.optional(),
  /** Default: that of the service, else the newest for which the project has a bootstrap. */
  version: proxyVersionSchema.optional(),
});
export type PublishBody = z.output<typeof publishBodySchema>;
export type PublishInput = z.input<typeof publishBodySchema>;

const outcomeSchema = z.enum(['created', 'changed', 'unchanged']);

export const publishResultSchema = z.object({
  dry_run: z.literal(true).optional(),
  /** `unchanged`: all of this is published already. */
  outcome: outcomeSchema,
  version: z.string(),
  documents: z.array(applyResultSchema),
  service: z.object({
    /** Null in the dry run of a new service. */
    id: idSchema.nullable(),
    name: z.string(),
    outcome: outcomeSchema,
    revision: z.number().int(),
    diff: z.array(changeSchema),
  }),
  listener: z.object({ name: z.string(), address: z.string(), port: z.number().int(), tls: z.boolean() }),
  clients: z.array(
    z.object({
      client_id: idSchema,
      client_name: z.string(),
      connected: z.boolean(),
      /** Whether the service is deployed to it by this request. */
      deploys: z.boolean(),
      command_id: idSchema.nullable(),
      outcome: commandOutcomeSchema.nullable(),
      /** Where the published host answers, and how to try it. */
      url: z.string(),
      curl: z.string(),
    }),
  ),
  /** Other services that use a changed document, and the proxies that would get the change. Only in a dry run. */
  services: z.array(z.object({ id: idSchema, name: z.string() })).optional(),
  nodes: z.array(z.string()).optional(),
  warnings: z.array(z.string()),
  url: z.string(),
  curl: z.string(),
});
export type PublishResult = z.infer<typeof publishResultSchema>;

export const unpublishBodySchema = z.strictObject({
  hosts: z.array(z.string().min(1).max(1024)).min(1).max(PUBLISH_HOSTS_MAX),
  /** Default: every path that is published at the hosts. */
  path: z.string().min(1).max(1024).optional(),
  /** Default: every listener. */
  listener: nameSchema.optional(),
  /** Required only if the hosts are published for several versions that services use. */
  version: proxyVersionSchema.optional(),
});
export type UnpublishBody = z.output<typeof unpublishBodySchema>;

export const unpublishResultSchema = z.object({
  dry_run: z.literal(true).optional(),
  version: z.string(),
  /** Deleted documents, and those that lose a domain or a route. */
  documents: z.array(applyResultSchema),
  changed_services: z.array(
    z.object({
      id: idSchema,
      name: z.string(),
      /** Publishing created a `deleted` one, and it has no listener left. */
      outcome: z.enum(['changed', 'deleted']),
      revision: z.number().int().nullable(),
      diff: z.array(changeSchema),
    }),
  ),
  /** The clients that a deleted service is removed from. */
  clients: z.array(
    z.object({
      client_id: idSchema,
      client_name: z.string(),
      service: z.string(),
      connected: z.boolean(),
      command_id: idSchema.nullable(),
      outcome: commandOutcomeSchema.nullable(),
    }),
  ),
  /** Services that use a changed document, and the proxies that get the change. Only in a dry run. */
  services: z.array(z.object({ id: idSchema, name: z.string() })).optional(),
  nodes: z.array(z.string()).optional(),
  warnings: z.array(z.string()),
});
export type UnpublishResult = z.infer<typeof unpublishResultSchema>;

export const publishRoutes = {
  publish: defineRoute({
    id: 'publishUpstream',
    method: 'POST',
    path: '/api/v3/publish',
    summary: 'Publish upstreams at a host and path: write the documents and the service, and deploy it, all or nothing',
    tag: 'Publish',
    // It writes documents, services and commands.
    family: null,
    // A change of the service itself needs an admin, like the route of the service.
    access: { kind: 'roles', roles: EDITORS },
    project: 'query',
    audit: 'upstream.publish',
    query: z.strictObject({ project: idSchema, ...dryRunQuery }),
    body: publishBodySchema,
    bodyLimit: LIST_BODY_BYTES,
    status: 200,
    response: publishResultSchema,
  }),
  unpublish: defineRoute({
    id: 'unpublishHosts',
    method: 'POST',
    path: '/api/v3/unpublish',
    summary: 'Remove what publishing created for hosts, except what others use, all or nothing',
    tag: 'Publish',
    family: null,
    access: { kind: 'roles', roles: EDITORS },
    project: 'query',
    audit: 'upstream.unpublish',
    query: z.strictObject({ project: idSchema, ...dryRunQuery }),
    body: unpublishBodySchema,
    status: 200,
    response: unpublishResultSchema,
  }),
};

export const publishAuditWords = defineAuditWords({
  actions: {
    'upstream.publish': 'publish an upstream by {service}',
    'upstream.unpublish': 'unpublish hosts by {documents}',
  },
});

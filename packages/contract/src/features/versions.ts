import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema } from '../schemas.ts';

export const versionRoutes = {
  availableVersions: defineRoute({
    id: 'listAvailableVersions',
    method: 'GET',
    path: '/api/v3/custom/available_versions',
    summary: 'Read the release catalog of the archive, relayed unchanged',
    tag: 'Proxy versions',
    family: 'configuration',
    access: { kind: 'authenticated' },
    project: 'none',
    audit: null,
    query: z.strictObject({ project: idSchema.optional() }),
    status: 200,
    response: z.unknown(),
  }),
  list: defineRoute({
    id: 'listProxyVersions',
    method: 'GET',
    path: '/api/v3/custom/proxy_versions',
    summary: 'List the proxy versions for documents and services, newest first, and how much of a project uses each',
    tag: 'Proxy versions',
    family: 'configuration',
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    audit: null,
    query: z.strictObject({ project: idSchema }),
    status: 200,
    response: z.object({
      items: z.array(z.object({ version: z.string(), documents: z.number().int(), services: z.number().int() })),
    }),
  }),
};

export const snapshotRoutes = {
  getNodeSnapshot: defineRoute({
    id: 'getNodeSnapshot',
    method: 'GET',
    path: '/api/v3/bridge/nodes/:nodeID/snapshot',
    summary: 'Read the configuration of a node as it is sent to its Envoy, without private values',
    tag: 'Proxy versions',
    family: 'configuration',
    access: { kind: 'roles', roles: READERS },
    project: 'target',
    audit: null,
    params: z.strictObject({ nodeID: z.string().min(1).max(512) }),
    query: z.strictObject({ project: idSchema.optional() }),
    status: 200,
    response: z.object({
      node_id: z.string(),
      version: z.string(),
      snapshot_version: z.string(),
      resources: z.array(
        z.object({
          type: z.string(),
          name: z.string(),
          version: z.string(),
          resource: z.unknown(),
          depends_on: z.array(z.string()),
        }),
      ),
      bootstrap: z.unknown(),
      errors: z.array(z.object({ document: z.string(), path: z.string(), rule: z.string(), message: z.string() })),
      guards: z
        .array(
          z.object({
            document: z.string(),
            path: z.string(),
            reasons: z
              .array(z.string())
              .describe('Why the filter has to see every request of this connection manager; empty: it does not'),
            unasked_hosts: z.number().int().describe('Virtual hosts whose requests bypass the filter'),
            unasked_routes: z.number().int().describe('Routes of other virtual hosts whose requests bypass the filter'),
          }),
        )
        .describe('One for each connection manager of a service with policies'),
    }),
  }),
};

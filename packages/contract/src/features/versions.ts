import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema } from '../schemas.ts';

export const versionRoutes = {
  availableVersions: defineRoute({
    id: 'listAvailableVersions',
    method: 'GET',
    path: '/api/v3/custom/available_versions',
    summary: 'The release catalog of the archive, relayed unchanged',
    tag: 'Proxy versions',
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
    summary: 'Proxy versions that documents and services may be of, newest first, and how much of a project is of each',
    tag: 'Proxy versions',
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
    summary: 'What a node should run, as it is sent to its Envoy; private values are left out',
    tag: 'Proxy versions',
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
              .describe(
                'Why the filter is asked about every request of this connection manager; empty: it need not be',
              ),
            unasked_hosts: z.number().int().describe('Virtual hosts that do without the filter'),
            unasked_routes: z.number().int().describe('Routes of other virtual hosts that do without the filter'),
          }),
        )
        .describe('One for each connection manager of a service with policies'),
    }),
  }),
};

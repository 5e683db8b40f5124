import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema, timeSchema } from '../schemas.ts';

const releaseSchema = z.object({
  /** Without a leading v. */
  version: z.string(),
  /** As the archive writes it; null if it does not. */
  date: z.string().nullable(),
  binaries: z.array(z.object({ arch: z.string(), download_url: z.string(), sha256: z.string() })),
});
export type ArchiveRelease = z.infer<typeof releaseSchema>;

/** A release has an Envoy for each architecture, or the WAF module `coraza.wasm`. */
export const RELEASE_KINDS = ['envoy', 'waf'] as const;
export type ReleaseKind = (typeof RELEASE_KINDS)[number];

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
  releases: defineRoute({
    id: 'listArchiveReleases',
    method: 'GET',
    path: '/api/v3/custom/archive_releases',
    summary: 'List the releases of the archive that hosts can install, newest first, and what is wrong with the others',
    tag: 'Proxy versions',
    family: 'configuration',
    access: { kind: 'authenticated' },
    project: 'none',
    audit: null,
    query: z.strictObject({ project: idSchema.optional() }),
    status: 200,
    response: z.object({
      archive_url: z.string(),
      fetched_at: timeSchema.describe('When the archive last confirmed this list'),
      stale: z.string().nullable().describe('Why the archive could not be asked now; null if this list is current'),
      envoy: z.array(releaseSchema),
      waf: z.array(releaseSchema),
      skipped: z
        .array(z.object({ at: z.string(), reason: z.string() }))
        .describe('The first 100 elements that were left out, with the reason'),
    }),
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

import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { EDITORS, READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';
import { proxyVersionSchema } from './documents.ts';
import { jobStatusSchema } from './jobs.ts';

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

/**
 * The source of the descriptors with which documents of a version are checked.
 * archive   prepared from the release archive, the same on every controller
 * binary    from the version's Envoy on this controller
 * release   this release of the controller knows the version and gets its Envoy at the first use, or uses a general set
 */
export const DESCRIPTOR_SOURCES = ['archive', 'binary', 'release'] as const;
export type DescriptorSource = (typeof DESCRIPTOR_SOURCES)[number];

const jobReference = z.object({ id: idSchema, number: z.int() });

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
      items: z.array(
        z.object({
          version: z.string(),
          documents: z.number().int(),
          services: z.number().int(),
          /** Null: documents of the version cannot be written, because nothing here knows it. */
          descriptors: z.enum(DESCRIPTOR_SOURCES).nullable(),
          /** If it was prepared: the digest of the binary, and when. */
          sha256: z.string().nullable(),
          prepared_at: timeSchema.nullable(),
        }),
      ),
      /** The newest preparation of each version in this project, newest first; at most 100. */
      preparations: z.array(
        z.object({
          version: z.string(),
          job: jobReference,
          status: jobStatusSchema,
          error: z.object({ code: z.string(), message: z.string() }).nullable(),
        }),
      ),
    }),
  }),
  prepare: defineRoute({
    id: 'prepareProxyVersion',
    method: 'POST',
    path: '/api/v3/custom/proxy_versions/prepare',
    summary:
      'Start a job that reads the descriptors of a version from its Envoy in the archive, so that documents of the version can be written and checked',
    tag: 'Proxy versions',
    family: 'configuration',
    access: { kind: 'roles', roles: EDITORS },
    project: 'query',
    audit: 'version.prepare',
    rate: 'command',
    query: z.strictObject({ project: idSchema, ...dryRunQuery }),
    body: z.strictObject({ version: proxyVersionSchema }),
    status: 202,
    response: z.object({
      version: z.string(),
      /** The new job, or the one that already does this in the project. */
      job: jobReference,
    }),
  }),
};

export const versionsAuditWords = defineAuditWords({
  actions: { 'version.prepare': 'prepare {proxy_version}' },
});

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

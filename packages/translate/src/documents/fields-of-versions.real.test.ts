import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EnvoyApi, loadEnvoyApi, reportedExtensions } from '@flotilla/envoy-api';
import { ensureTestEnvoy, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findHostAccess } from './host-access.ts';
import { findUndecidedExtensions, findUndecidedFields } from './host-reach/coverage.ts';
import { listExtensionMessages, listFields } from './host-reach/fields-of-api.ts';
import { isSuspicious } from './host-reach/suspicious.ts';
import { collectionTakenBy } from './name-table.ts';
import { isFileField } from './service-files.ts';

const PRIORITY_GROUP = 'envoy.extensions.router.cluster_specifiers.priority_group.v3.PriorityGroupClusterSpecifier';

/** Texts that mention a cluster without a lookup: assigned names, headers to read, and what peers must report. */
const NO_CLUSTERS: ReadonlySet<string> = new Set([
  'envoy.config.core.v3.Node.cluster',
  'envoy.config.endpoint.v3.ClusterLoadAssignment.cluster_name',
  'envoy.config.endpoint.v3.ClusterStats.cluster_name',
  'envoy.config.endpoint.v3.ClusterStats.cluster_service_name',
  'envoy.config.route.v3.RouteAction.cluster_header',
  'envoy.config.route.v3.RouteAction.cluster_specifier_plugin',
  'envoy.config.route.v3.RouteAction.RequestMirrorPolicy.cluster_header',
  'envoy.config.route.v3.WeightedCluster.ClusterWeight.cluster_header',
  'envoy.extensions.clusters.dynamic_modules.v3.ClusterConfig.cluster_name',
  'envoy.extensions.filters.http.fault.v3.HTTPFault.upstream_cluster',
  'envoy.extensions.filters.network.reverse_tunnel.v3.ReverseTunnel.required_cluster_name',
  'envoy.extensions.filters.network.reverse_tunnel.v3.Validation.cluster_id_format',
  'envoy.extensions.filters.network.thrift_proxy.v3.RouteAction.cluster_header',
]);

/** Messages in extension packages that are not read from configuration: filter state, annotations, a library for phones. */
const NO_EXTENSIONS: ReadonlySet<string> = new Set([
  'envoy.extensions.filters.common.dependency.v3.FilterDependencies',
  'envoy.extensions.filters.common.dependency.v3.MatchingRequirements',
  'envoy.extensions.filters.http.ext_authz.v3.ShadowDecision',
  'envoy.extensions.filters.http.grpc_json_transcoder.v3.UnknownQueryParams',
  'envoy.extensions.filters.http.grpc_stats.v3.FilterObject',
  'envoy.extensions.filters.http.ip_tagging.v3.IPTagging.IPTags',
  'envoy.extensions.filters.network.ext_authz.ExtAuthzDecision',
  'envoy.extensions.filters.network.http_connection_manager.v3.EnvoyMobileHttpConnectionManager',
  'envoy.extensions.http.injected_credentials.oauth2.OAuthResponse',
  'envoy.extensions.http_filters.oauth2.OAuthResponse',
  'envoy.extensions.network.dns_resolver.apple.v3.AppleDnsResolverConfig',
]);

/** Sections of a file, and paths below a folder in another field. */
const NO_FILES: ReadonlySet<string> = new Set([
  'envoy.config.bootstrap.v3.Runtime.subdirectory',
  'envoy.config.bootstrap.v3.Runtime.override_subdirectory',
  'envoy.config.bootstrap.v3.RuntimeLayer.DiskLayer.subdirectory',
  'envoy.extensions.common.aws.v3.CredentialsFileCredentialProvider.profile',
  'envoy.extensions.filters.http.aws_lambda.v3.Config.credentials_profile',
  'envoy.extensions.filters.http.file_server.v3.FileServerConfig.DirectoryBehavior.default_file',
]);

describe.each(Object.values(TEST_ENVOY_VERSIONS))('in Envoy %s,', (version) => {
  let cacheDir: string;
  let api: EnvoyApi;
  beforeAll(async () => {
    cacheDir = await mkdtemp(join(tmpdir(), 'envoy-fields-'));
    const { path, sha256 } = await ensureTestEnvoy(version);
    api = await loadEnvoyApi({ version, binaryPath: path, binarySha256: sha256, cacheDir });
  });
  afterAll(() => rm(cacheDir, { recursive: true, force: true }));

  /** `message.field` of every text field. */
  function listTexts(): { message: string; field: string }[] {
    return api
      .messages()
      .filter((message) => /^envoy\.(?:config|extensions)\./.test(message))
      .flatMap((message) =>
        api
          .describe(message)
          .fields.filter(({ value }) => value.kind === 'scalar' && value.type === 'string')
          .map(({ name }) => ({ message, field: name })),
      );
  }

  test('text fields are found', () => {
    const names = listTexts().map(({ message, field }) => `${message}.${field}`);
    expect(names).toContain('envoy.config.route.v3.RouteAction.cluster');
    expect(names).toContain('envoy.extensions.clusters.aggregate.v3.ClusterConfig.clusters');
    expect(names).toContain('envoy.config.core.v3.DataSource.filename');
  });

  test('fields called clusters are followed', () => {
    const unknown = listTexts()
      .filter(({ field }) => /cluster/.test(field))
      .filter(({ message, field }) => collectionTakenBy(message, field) === undefined)
      .map(({ message, field }) => `${message}.${field}`);
    expect(unknown.filter((name) => !NO_CLUSTERS.has(name))).toEqual([]);
  });

  test('fields called files are files of the host', () => {
    const unknown = listTexts()
      .filter(({ field }) => /(?:file|dir|directory)(?:_?name|_?path)?$/.test(field))
      .filter(({ message, field }) => !isFileField(message, field))
      .map(({ message, field }) => `${message}.${field}`);
    expect(unknown.filter((name) => !NO_FILES.has(name))).toEqual([]);
  });

  test('all fields are decided: none is new, and each that may lead out of the document has its own decision', () => {
    expect(listFields(api).filter(({ shape }) => isSuspicious(shape)).length).toBeGreaterThan(350);
    expect(findUndecidedFields(api)).toEqual([]);
  });

  test('the extensions are all decided', () => {
    const types = (reportedExtensions(version) ?? []).flatMap((extension) => extension.types);
    const candidates = listExtensionMessages(api, types);
    expect(candidates.length).toBeGreaterThan(300);
    expect(findUndecidedExtensions(candidates).filter((type) => !NO_EXTENSIONS.has(type))).toEqual([]);
  });

  test('fields that let a request choose a cluster by its metadata are restricted for tenants', () => {
    expect(api.hasMessage(PRIORITY_GROUP)).toBe(version === TEST_ENVOY_VERSIONS.newest);
    if (!api.hasMessage(PRIORITY_GROUP)) return;
    const groups = { priority_groups: [{ name: 'a', clusters: [{ cluster_name: 'a', weight: 1 }] }] };
    expect(findHostAccess(api, PRIORITY_GROUP, groups)).toEqual([]);
    expect(findHostAccess(api, PRIORITY_GROUP, { ...groups, override_metadata_namespace: 'x' })).toMatchObject([
      { path: 'override_metadata_namespace', rule: 'host_access' },
    ]);
  });
});

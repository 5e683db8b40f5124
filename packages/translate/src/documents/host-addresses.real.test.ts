import type { JsonObject } from '@flotilla/envoy-api';
import { describe, expect, test } from 'vitest';
import { AT, any, BOOTSTRAP, CLUSTER, describeTenants, HCM, LISTENER, network, ROUTES } from './tenant.suite.ts';

describeTenants((tenant) => {
  const { pathsOf, isFree } = tenant;

  describe('a target that gRPC dials itself (attack 11)', () => {
    const ALTS = 'envoy.extensions.transport_sockets.alts.v3.Alts';
    const google = (content: JsonObject): JsonObject => ({
      grpc_service: { google_grpc: { stat_prefix: 'x', ...content } },
    });
    const AUTHZ = 'envoy.extensions.filters.http.ext_authz.v3.ExtAuthz';

    test.each([
      'unix:/tmp/x.sock',
      'unix:///tmp/x.sock',
      'unix:x',
      'unix:443',
      'UNIX:/tmp/x',
      ' unix:/tmp/x',
      'unix-abstract:x',
      'unix-abstract:443',
      'vsock:2:443',
      'vsock:2',
      'xds:///x',
      'google-c2p:///x',
      'ipv4:127.0.0.1:33100',
      'ipv6:[::1]:33100',
      'dns://192.0.2.1/example.com:443',
      'dns:///unix:/tmp/x',
      'dns:/example.com',
      'passthrough:///127.0.0.1:33100',
      'a.example.com:443,b.example.com:443',
      '127.0.0.1:33100',
      'localhost.example.com:33100',
      'dns:///localhost:33100',
      '[::1]:33100',
      '169.254.169.254:8080',
      'dns:///metadata.google.internal:8080',
    ])('is restricted for tenants: %j', (target) => {
      expect(pathsOf(ALTS, { handshaker_service: target })).toEqual(['handshaker_service']);
      expect(pathsOf(AUTHZ, google({ target_uri: target }))).toEqual(['grpc_service.google_grpc.target_uri']);
    });

    test.each([
      'authz.example.com:443',
      'authz.example.com',
      'dns:///authz:9001',
      '192.0.2.1:443',
      '[2001:db8::1]:443',
    ])('is free as host and port: %s', (target) => {
      expect(pathsOf(ALTS, { handshaker_service: target })).toEqual([]);
      expect(pathsOf(AUTHZ, google({ target_uri: target }))).toEqual([]);
    });

    test('accepts only times and sizes as channel arguments from tenants', () => {
      const args = (name: string) =>
        google({ target_uri: 'a.example.com', channel_args: { args: { [name]: { int_value: '1' } } } });
      expect(pathsOf(AUTHZ, args('grpc.http_proxy'))).toEqual(['grpc_service.google_grpc.channel_args']);
      expect(pathsOf(AUTHZ, args('grpc.keepalive_time_ms'))).toEqual([]);
    });
  });

  describe('the environment of the proxy (attack 12)', () => {
    const tag: JsonObject = { tag: 'x', environment: { name: 'HOME' } };

    test('is restricted for tenants in a tracing tag, wherever tags are', () => {
      expect(pathsOf(LISTENER, network(HCM, { tracing: { custom_tags: [tag] } }))).toEqual([
        `${AT}.tracing.custom_tags[0].environment`,
      ]);
      expect(pathsOf(ROUTES, { virtual_hosts: [{ routes: [{ tracing: { custom_tags: [tag] } }] }] })).toEqual([
        'virtual_hosts[0].routes[0].tracing.custom_tags[0].environment',
      ]);
      const log = { common_config: { custom_tags: [tag] } };
      expect(pathsOf('envoy.extensions.access_loggers.grpc.v3.HttpGrpcAccessLogConfig', log)).toEqual([
        'common_config.custom_tags[0].environment',
      ]);
      expect(
        pathsOf(LISTENER, network(HCM, { tracing: { custom_tags: [{ tag: 'x', literal: { value: 'y' } }] } })),
      ).toEqual([]);
    });

    test.each([
      'envoy.extensions.matching.common_inputs.environment_variable.v3.Config',
      'envoy.extensions.tracers.opentelemetry.resource_detectors.v3.EnvironmentResourceDetectorConfig',
      'envoy.extensions.tracers.opentelemetry.resource_detectors.v3.DynatraceResourceDetectorConfig',
    ])('is restricted for tenants in %s', (type) => {
      expect(pathsOf('envoy.config.core.v3.TypedExtensionConfig', { typed_config: any(type) })).toEqual([
        'typed_config',
      ]);
    });
  });

  describe('a format that names other formatters (attack 12)', () => {
    const coalesce = (operators: string) => `%COALESCE({"operators": ${operators}})%`;
    const header = (value: string): JsonObject => ({ response_headers_to_add: [{ header: { key: 'x', value } }] });

    test.each([
      coalesce('[{"command": "ENVIRONMENT", "param": "HOME"}]'),
      coalesce(String.raw`[{"command": "\u0045NVIRONMENT", "param": "HOME"}]`),
      coalesce('["REQUESTED_SERVER_NAME", {"command": "FILE_CONTENT", "param": "/etc/passwd"}]'),
    ])('is restricted for tenants: %s', (format) => {
      expect(pathsOf(ROUTES, header(format))).toEqual(['response_headers_to_add[0].header.value']);
      const log_format = { text_format_source: { inline_bytes: Buffer.from(format).toString('base64') } };
      expect(
        pathsOf('envoy.extensions.access_loggers.file.v3.FileAccessLog', { path: 'files/log', log_format }),
      ).toEqual(['log_format.text_format_source.inline_bytes']);
    });

    test('is free if it names others', () => {
      const format = coalesce('["REQUESTED_SERVER_NAME", {"command": "REQ", "param": ":authority"}]');
      expect(pathsOf(ROUTES, header(format))).toEqual([]);
    });
  });

  describe('an address of an admin endpoint (attack 13)', () => {
    test.each([
      'vm',
      'localhost.example.com',
      'ip6-localhost',
      '0x7f000001',
      '0x7f.1',
      '2130706433',
      '017700000001',
      '127.1',
      '0',
      '::127.0.0.1',
      '::ffff:127.0.0.1',
      '::ffff:0:127.0.0.1',
      '64:ff9b::7f00:1',
      '64:ff9b::127.0.0.1',
      '2002:7f00:1::',
      '::1%lo',
      'fe80::1%lo',
      ' 127.0.0.1',
      '127.0.0.1 ',
      '127.0.0.1\n',
      '１２７.0.0.1',
      '127。0。0。1',
      '[::1]',
      '0:0:0:0:0:0:0:1',
      '10.0.0.1',
      '192.168.1.1',
      'fd00::1',
      '169.254.1.1',
      '',
    ])('is restricted for tenants: %j', (address) => {
      expect(isFree(address, 33_100), address).toBe(false);
      expect(isFree(address, '39999'), address).toBe(false);
    });

    test('may be any address except public ones and those of the client itself', () => {
      for (const address of ['192.0.2.1', '8.8.8.8', '2001:db8::1', '2606:4700::1111', '@client']) {
        expect(isFree(address, 33_100), address).toBe(true);
      }
      for (const address of ['vm', '127.0.0.1', '10.0.0.1']) {
        for (const port of [80, 33_099, 40_000]) expect(isFree(address, port), `${address}:${port}`).toBe(true);
      }
    });

    test('is restricted for tenants even if the port is separate from the address', () => {
      expect(
        pathsOf(CLUSTER, {
          health_checks: [{ alt_port: 33_100, http_health_check: { path: '/quitquitquit', method: 'POST' } }],
        }),
      ).toEqual(['health_checks[0].alt_port']);
      expect(pathsOf(CLUSTER, { health_checks: [{ alt_port: 8080 }] })).toEqual([]);
      const check = {
        load_assignment: {
          endpoints: [{ lb_endpoints: [{ endpoint: { health_check_config: { port_value: 33_100 } } }] }],
        },
      };
      expect(pathsOf(CLUSTER, check)).toEqual([
        'load_assignment.endpoints[0].lb_endpoints[0].endpoint.health_check_config.port_value',
      ]);
    });

    test('is restricted for tenants in a resolver, a socket, a namespace or a statistics sink', () => {
      const socket = (more: JsonObject) => ({ socket_address: { address: '192.0.2.1', port_value: 80, ...more } });
      const of = (address: JsonObject) => pathsOf(LISTENER, { address });
      expect(of(socket({ resolver_name: 'envoy.resolvers.reverse_connection' }))).toEqual([
        'address.socket_address.resolver_name',
      ]);
      expect(of(socket({ network_namespace_filepath: 'files/ns' }))).toEqual([
        'address.socket_address.network_namespace_filepath',
      ]);
      expect(of({ pipe: { path: '@abstract' } })).toEqual(['address.pipe.path']);
      const statsd = any('envoy.config.metrics.v3.StatsdSink', {
        address: { socket_address: { address: 'vm', port_value: 33_100 } },
      });
      expect(pathsOf(BOOTSTRAP, { stats_sinks: [{ name: 'x', typed_config: statsd }] })).toEqual([
        'stats_sinks[0].typed_config.address.socket_address',
      ]);
    });
  });

  describe('the cloud identity of the host (attack 15)', () => {
    test.each([
      '169.254.169.254',
      '169.254.170.2',
      '::ffff:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      '0xa9fea9fe',
      '2852039166',
      '169.254.43518',
      ' 169.254.169.254',
      '169.254.169.254.',
      '[fd00:ec2::254]',
      'fd00:ec2::254',
      'FD00:EC2:0:0::254',
      'fe80::a9fe:a9fe',
      'fe80::a9fe:a9fe%eth0',
      '100.100.100.200',
      '168.63.129.16',
      'metadata',
      'metadata.google.internal',
      'METADATA.google.internal.',
      'instance-data',
      '169.254.169.254.nip.io',
      '169-254-169-254.sslip.io',
      'a9fea9fe.nip.io',
    ])('is restricted for tenants as an upstream: %s', (address) => {
      expect(isFree(address, 80), address).toBe(false);
    });

    test('is not confused with similar names and addresses', () => {
      for (const address of ['metadata.example.com', '169.253.1.1', '10.169.254.1', 'www.example.com', 'fd00::1']) {
        expect(isFree(address, 80), address).toBe(true);
      }
    });

    test('is restricted for tenants in credentials that gRPC takes from the host', () => {
      const AUTHZ = 'envoy.extensions.filters.http.ext_authz.v3.ExtAuthz';
      const of = (content: JsonObject) =>
        pathsOf(AUTHZ, { grpc_service: { google_grpc: { target_uri: 'a.example.com', ...content } } }).map((path) =>
          path.replace('grpc_service.google_grpc.', ''),
        );
      expect(of({ call_credentials: [{ google_compute_engine: {} }] })).toEqual([
        'call_credentials[0].google_compute_engine',
      ]);
      expect(of({ channel_credentials: { google_default: {} } })).toEqual(['channel_credentials.google_default']);
      expect(
        of({ call_credentials: [{ sts_service: { token_exchange_service_uri: 'http://169.254.169.254/' } }] }),
      ).toEqual(['call_credentials[0].sts_service']);
      expect(of({ call_credentials: [{ from_plugin: { name: 'envoy.grpc_credentials.aws_iam' } }] })).toEqual([
        'call_credentials[0].from_plugin',
      ]);
      expect(of({ credentials_factory_name: 'envoy.grpc_credentials.aws_iam' })).toEqual(['credentials_factory_name']);
      expect(of({ call_credentials: [{ access_token: 'x' }] })).toEqual([]);
    });

    test('is restricted for tenants in AWS signing, unless all credentials are in the document', () => {
      const of = (provider?: JsonObject) =>
        pathsOf('envoy.extensions.filters.http.aws_request_signing.v3.AwsRequestSigning', {
          service_name: 's3',
          region: 'x',
          ...(provider && { credential_provider: provider }),
        }).length === 0;
      const inline = { inline_credential: { access_key_id: 'a', secret_access_key: 'b' } };
      const role = (provider: JsonObject) => ({
        custom_credential_provider_chain: true,
        assume_role_credential_provider: { role_arn: 'a', credential_provider: provider },
      });
      expect(of()).toBe(false);
      expect(of({})).toBe(false);
      expect(of({ custom_credential_provider_chain: true })).toBe(false);
      expect(of({ custom_credential_provider_chain: true, instance_profile_credential_provider: {} })).toBe(false);
      expect(of({ custom_credential_provider_chain: true, credentials_file_provider: {} })).toBe(false);
      expect(of({ credentials_file_provider: { credentials_data_source: { inline_string: 'x' } } })).toBe(false);
      expect(of(role({}))).toBe(false);
      expect(of(inline)).toBe(true);
      expect(of(role(inline))).toBe(true);
      const file = { credentials_data_source: { inline_string: 'x' } };
      expect(of({ custom_credential_provider_chain: true, credentials_file_provider: file })).toBe(true);
    });

    test('is restricted for tenants in AWS Lambda, Redis and Google tokens', () => {
      const lambda = 'envoy.extensions.filters.http.aws_lambda.v3.Config';
      const credentials = { access_key_id: 'a', secret_access_key: 'b' };
      expect(pathsOf(lambda, { arn: 'x' })).toEqual(['']);
      expect(pathsOf(lambda, { arn: 'x', credentials })).toEqual([]);
      expect(pathsOf(lambda, { arn: 'x', credentials, credentials_profile: 'x' })).toEqual(['credentials_profile']);
      expect(
        pathsOf('envoy.extensions.filters.network.redis_proxy.v3.RedisProtocolOptions', { aws_iam: { region: 'x' } }),
      ).toEqual(['aws_iam']);
      expect(pathsOf('envoy.extensions.filters.http.gcp_authn.v3.GcpAuthnFilterConfig', {})).toEqual(['']);
    });
  });
});

import { EXTENSION_LINES, EXTENSION_VERSIONS } from '../gen/extensions.ts';

/** An extension as Envoy reports it. */
export interface TableEntry {
  readonly category: string;
  readonly name: string;
  readonly types: readonly string[];
}

/** Known to Envoy by type, but not reported, or not in every version. */
const UNREPORTED: readonly TableEntry[] = [
  { category: 'envoy.matching.action', name: 'filter-chain-name', types: ['google.protobuf.StringValue'] },
  {
    category: 'envoy.tls.cert_validator',
    name: 'envoy.tls.cert_validator.spiffe',
    types: ['envoy.extensions.transport_sockets.tls.v3.SPIFFECertValidatorConfig'],
  },
  {
    category: 'envoy.upstream_options',
    name: 'envoy.filters.network.redis_proxy',
    types: ['envoy.extensions.filters.network.redis_proxy.v3.RedisProtocolOptions'],
  },
  {
    category: 'envoy.upstream_options',
    name: 'envoy.filters.network.thrift_proxy',
    types: ['envoy.extensions.filters.network.thrift_proxy.v3.ThriftProtocolOptions'],
  },
];

/** The extensions that the Envoy of exactly this version reports; undefined for other versions. */
export function reportedExtensions(version: string): readonly TableEntry[] | undefined {
  if (!EXTENSION_VERSIONS.includes(version)) return undefined;
  return EXTENSION_LINES.flatMap((line) => {
    const [category = '', name = '', types = '', versions = ''] = line.split(' ');
    return versions.split(',').includes(version) ? [{ category, name, types: types.split(',') }] : [];
  });
}

/** The table of this version or of the nearest one: callers omit what the version's descriptors lack. */
export function extensionTable(version: string): readonly TableEntry[] {
  const nearest = EXTENSION_VERSIONS.toSorted((a, b) => distance(a, version) - distance(b, version))[0] ?? '';
  return [...(reportedExtensions(nearest) ?? []), ...UNREPORTED];
}

/** Major and minor version count first, then the patch. */
function distance(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  const weights = [1e6, 1e3, 1];
  return weights.reduce((sum, weight, i) => sum + weight * Math.abs((left?.[i] ?? 0) - (right?.[i] ?? 0)), 0);
}

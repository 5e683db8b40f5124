import {
  ENVOY_BUFFER_DEFAULT_BYTES,
  type ShieldAddress,
  shieldClusterConfig,
  shieldConnectionManagerFields,
  shieldFilterConfig,
} from '@flotilla/policy';

/** Room beside the largest body that is read. */
const BUFFER_MARGIN_BYTES = 64 * 1024;

/**
 * What an Envoy of one's own needs, as JSON or as the same in YAML with a word where each part belongs. JSON strings are
 * YAML strings, so the YAML writer below quotes all text and knows nothing of YAML's special words.
 */
export function renderEnvoyConfig(options: {
  readonly listen: readonly ShieldAddress[];
  readonly xffTrustedHops: number;
  /** The largest `max_request_body_bytes` of the policies. */
  readonly bodyMaxBytes?: number;
  readonly json: boolean;
}): string {
  const { listen, xffTrustedHops, bodyMaxBytes = 0, json } = options;
  // Envoy cuts what is longer than its buffer, so that has to be larger than anything the filter would read.
  const bufferBytes = Math.max(ENVOY_BUFFER_DEFAULT_BYTES, bodyMaxBytes + BUFFER_MARGIN_BYTES);
  const manager = {
    ...shieldConnectionManagerFields({ xffTrustedHops, bufferBytes }),
    http_filters: [shieldFilterConfig()],
  };
  const listener = { per_connection_buffer_limit_bytes: bufferBytes };
  const clusters = [shieldClusterConfig(listen)];
  if (json) return `${JSON.stringify({ listener, http_connection_manager: manager, clusters }, null, 2)}\n`;
  return `# Fields of the listener. The buffer must be larger than every max_request_body_bytes (--max-body-bytes).
listener:
${renderYaml(listener, '  ')}
# Fields of the HTTP connection manager (envoy.filters.network.http_connection_manager). The filter goes before
# envoy.filters.http.router. xff_num_trusted_hops must equal the filter's --xff-trusted-hops.
http_connection_manager:
${renderYaml(manager, '  ')}
# One more cluster of static_resources.
clusters:
${renderYaml(clusters, '')}`;
}

function renderYaml(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    return value
      .map((item: unknown) =>
        isTree(item)
          ? `${indent}- ${renderYaml(item, `${indent}  `).trimStart()}`
          : `${indent}- ${JSON.stringify(item)}\n`,
      )
      .join('');
  }
  return Object.entries(value ?? {})
    .map(([key, member]) => {
      const name = /^[a-z_]+$/.test(key) ? key : JSON.stringify(key);
      if (!isTree(member)) return `${indent}${name}: ${JSON.stringify(member)}\n`;
      return `${indent}${name}:\n${renderYaml(member, `${indent}  `)}`;
    })
    .join('');
}

/** Something with members of its own; empty ones are written in one line. */
function isTree(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

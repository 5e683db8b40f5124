import {
  ENVOY_BUFFER_DEFAULT_BYTES,
  type ShieldAddress,
  shieldClusterConfig,
  shieldConnectionManagerFields,
  shieldFilterConfig,
} from '@flotilla/policy';

/** Added to the largest inspected body. */
const BUFFER_MARGIN_BYTES = 64 * 1024;

/**
 * The configuration for a self-managed Envoy, as JSON or as YAML with comments on where each part belongs. JSON strings
 * are valid YAML, so the YAML writer below quotes all text and need not know YAML's special words.
 */
export function renderEnvoyConfig(options: {
  readonly listen: readonly ShieldAddress[];
  readonly xffTrustedHops: number;
  /** The largest `max_request_body_bytes` of the policies. */
  readonly bodyMaxBytes?: number;
  readonly json: boolean;
}): string {
  const { listen, xffTrustedHops, bodyMaxBytes = 0, json } = options;
  // Envoy truncates bodies above its buffer, so the buffer must exceed everything that the filter inspects.
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

/** True for a nonempty object or list; empty ones are printed on one line. */
function isTree(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

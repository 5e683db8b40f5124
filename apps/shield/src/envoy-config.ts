import {
  type ShieldAddress,
  shieldClusterConfig,
  shieldConnectionManagerFields,
  shieldFilterConfig,
} from '@flotilla/policy';

/**
 * What an Envoy of one's own needs, as JSON or as the same in YAML with a word where each part belongs. JSON strings are
 * YAML strings, so the YAML writer below quotes all text and knows nothing of YAML's special words.
 */
export function renderEnvoyConfig(options: { listen: ShieldAddress; xffTrustedHops: number; json: boolean }): string {
  const { listen, xffTrustedHops, json } = options;
  const manager = { ...shieldConnectionManagerFields({ xffTrustedHops }), http_filters: [shieldFilterConfig()] };
  const clusters = [shieldClusterConfig([listen])];
  if (json) return `${JSON.stringify({ http_connection_manager: manager, clusters }, null, 2)}\n`;
  return `# Fields of the HTTP connection manager (envoy.filters.network.http_connection_manager). The filter goes before
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

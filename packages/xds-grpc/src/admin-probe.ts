import { request } from 'node:http';
import {
  type ConfigDump,
  deriveWarm,
  parseClusterDumps,
  parseConfigDump,
  RESOURCE_TYPE,
  type Resource,
  type WarmthProbe,
} from '@flotilla/xds';

export interface AdminAddress {
  /** Envoy's admin endpoint on a Unix socket. */
  readonly socketPath: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 2_000;
/** Above this number, all names are requested instead of a pattern. */
const PATTERN_NAMES_MAX = 20;

/** Rejects if Envoy does not answer in time, or not with 200 and JSON. */
export function fetchAdminJson(address: AdminAddress, path: string, signal?: AbortSignal): Promise<unknown> {
  const { socketPath, timeoutMs = TIMEOUT_MS } = address;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signals = signal ? [deadline, signal] : [deadline];
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path, agent: false, signal: AbortSignal.any(signals) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        if (response.statusCode !== 200) {
          reject(new Error(`Envoy's admin answered ${response.statusCode} to ${path}`));
          return;
        }
        try {
          resolve(JSON.parse(body));
        } catch (error) {
          reject(new Error(`Envoy's admin answered ${path} with something that is not JSON`, { cause: error }));
        }
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** All dynamic resources of this Envoy, including endpoints. */
export async function fetchConfigDump(address: AdminAddress, signal?: AbortSignal): Promise<ConfigDump> {
  return parseConfigDump(await fetchAdminJson(address, '/config_dump?include_eds', signal));
}

/** Requests only the clusters and listeners in question: a complete dump of a large configuration takes many megabytes. */
export function createAdminProbe(address: AdminAddress): WarmthProbe {
  const read = (kind: string, resources: readonly Resource[], signal: AbortSignal) =>
    fetchAdminJson(address, `/config_dump?resource=${kind}${toPattern(resources)}`, signal);
  return {
    async check(resources, signal) {
      const clusters = resources.filter(({ typeUrl }) => typeUrl === RESOURCE_TYPE.cluster);
      const listeners = resources.filter(({ typeUrl }) => typeUrl === RESOURCE_TYPE.listener);
      const none: unknown = {};
      const [active, warming, dump] = await Promise.all([
        clusters.length > 0 ? read('dynamic_active_clusters', clusters, signal) : none,
        clusters.length > 0 ? read('dynamic_warming_clusters', clusters, signal) : none,
        listeners.length > 0 ? read('dynamic_listeners', listeners, signal) : none,
      ]);
      return deriveWarm({ ...parseConfigDump(dump), clusters: parseClusterDumps(active, warming) }, resources);
    },
  };
}

function toPattern(resources: readonly Resource[]): string {
  if (resources.length > PATTERN_NAMES_MAX) return '';
  const names = resources.map(({ name }) => name.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&'));
  return `&name_regex=${encodeURIComponent(`^(?:${names.join('|')})$`)}`;
}

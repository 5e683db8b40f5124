import { type EnvoyApi, isJsonObject, type JsonObject, type JsonValue, typeNameOfUrl } from '@flotilla/envoy-api';
import { MESSAGE } from '../documents/collections.ts';
import type { TranslationError } from '../types.ts';
import { listOf } from './connection-manager.ts';
import type { PolicyCoverage } from './coverage.ts';

type PlacedProblem = Omit<TranslationError, 'document'>;

const NETWORK = 'envoy.extensions.filters.network';
/**
 * Filters that answer or drop a connection themselves. A chain with only these leads nowhere that a policy could
 * protect.
 */
const FORWARDS_NOTHING: ReadonlySet<string> = new Set([
  `${NETWORK}.connection_limit.v3.ConnectionLimit`,
  `${NETWORK}.direct_response.v3.Config`,
  `${NETWORK}.echo.v3.Echo`,
  `${NETWORK}.ext_authz.v3.ExtAuthz`,
  `${NETWORK}.local_ratelimit.v3.LocalRateLimit`,
  `${NETWORK}.ratelimit.v3.RateLimit`,
  `${NETWORK}.rbac.v3.RBAC`,
  `${NETWORK}.set_filter_state.v3.Config`,
]);
const UDP_PROXY = 'envoy.extensions.filters.udp.udp_proxy.v3.UdpProxyConfig';

/**
 * Finds filter chains without a connection manager, and UDP proxies, in a service with policies: their traffic bypasses
 * the filter. A policy may list listeners where this is intended (`unguarded_listeners`).
 */
export function checkUnguarded(
  api: EnvoyApi,
  { type, resource }: { readonly type: string; readonly resource: JsonObject },
  coverage: PolicyCoverage,
): PlacedProblem[] {
  const found: PlacedProblem[] = [];
  api.walk(type, resource, {
    message: ({ path, typeName, value }) => {
      if (typeName !== MESSAGE.listener || !isJsonObject(value)) return undefined;
      const name = String(value.name ?? '');
      if (coverage.policyNames.length === 0 || coverage.unguardedListeners.has(name)) return undefined;
      const at = (key: string) => (path === '' ? key : `${path}.${key}`);
      for (const { key, chain } of chainsOf(value)) {
        const proxies = isGuarded(api, chain) ? [] : forwardersOf(chain);
        if (proxies.length > 0) found.push(describe(at(key), { name, chain: nameOf(chain, key), proxies }, coverage));
      }
      for (const [index, filter] of listOf(value.listener_filters).entries()) {
        if (!typesOf(filter).includes(UDP_PROXY)) continue;
        const place = { name, chain: undefined, proxies: [UDP_PROXY] };
        found.push(describe(at(`listener_filters[${index}]`), place, coverage));
      }
      return undefined;
    },
  });
  return found;
}

function chainsOf(listener: JsonObject): { key: string; chain: JsonObject }[] {
  const chains = listOf(listener.filter_chains).map((chain, index) => ({ key: `filter_chains[${index}]`, chain }));
  return [...chains, { key: 'default_filter_chain', chain: listener.default_filter_chain }].flatMap(({ key, chain }) =>
    isJsonObject(chain) ? [{ key, chain }] : [],
  );
}

/**
 * Searches at any depth, because filters that select other filters contain them. A filter that is sent separately is
 * recognized by its type.
 */
function isGuarded(api: EnvoyApi, chain: JsonObject): boolean {
  let hasManager = listOf(chain.filters).some((filter) => typesOf(filter).includes(MESSAGE.connectionManager));
  api.walk('envoy.config.listener.v3.FilterChain', chain, {
    message: ({ typeName }) => {
      hasManager ||= typeName === MESSAGE.connectionManager;
      return undefined;
    },
  });
  return hasManager;
}

function forwardersOf(chain: JsonObject): string[] {
  return listOf(chain.filters).flatMap((filter) => {
    const types = typesOf(filter);
    return types.length > 0 && types.every((type) => FORWARDS_NOTHING.has(type))
      ? []
      : [types.join(' or ') || 'unknown'];
  });
}

function typesOf(filter: JsonValue): string[] {
  if (!isJsonObject(filter)) return [];
  const { typed_config: config, config_discovery: discovery } = filter;
  const urls = isJsonObject(config) ? [config['@type']] : isJsonObject(discovery) ? listOf(discovery.type_urls) : [];
  return urls.flatMap((url) => typeNameOfUrl(String(url)) ?? []);
}

function nameOf(chain: JsonObject, key: string): string {
  return typeof chain.name === 'string' && chain.name !== '' ? chain.name : key;
}

interface UnguardedPlace {
  readonly name: string;
  readonly chain: string | undefined;
  readonly proxies: readonly string[];
}

function describe(path: string, { name, chain, proxies }: UnguardedPlace, coverage: PolicyCoverage): PlacedProblem {
  const part = chain === undefined ? `listener ${name}` : `filter chain ${chain} of listener ${name}`;
  const policies = `${coverage.policyNames.length === 1 ? 'policy' : 'policies'} ${coverage.policyNames.join(', ')}`;
  const message = `${part} passes connections on without the filter (${proxies.join(', ')}), so ${policies} of this service cannot guard them: use an HTTP connection manager, move the listener to a service without policies, or name it in spec.defaults.unguarded_listeners of a policy`;
  return { path, rule: 'shield.unguarded', message };
}

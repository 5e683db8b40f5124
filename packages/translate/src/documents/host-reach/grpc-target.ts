import { restrictionOfAddress } from './addresses.ts';
import { type Restriction, restrict } from './reach.ts';

const TARGET = restrict(
  'host',
  'must be host:port with an IP address or a name with a dot, or dns:///name:port: other targets name sockets and resolvers',
);

/**
 * A target that gRPC dials itself. Without a slash, gRPC reads the text before the first colon as the name of a
 * resolver if it has one (`unix:443`, `vsock:2`). A name with a dot is not a resolver, and `dns:///` is unambiguous.
 */
const TARGET_FORM =
  /^(?:dns:\/\/\/([a-z\d](?:[a-z\d.-]*[a-z\d])?)|([a-z\d][a-z\d-]*(?:\.[a-z\d-]+)+)|\[([\da-f:.]+)\])(?::(\d{1,5}))?$/i;
const PORT_DEFAULT = 443;

export function restrictionOfTarget(target: string): Restriction | undefined {
  if (target === '') return undefined;
  const match = TARGET_FORM.exec(target);
  if (!match) return TARGET;
  return restrictionOfAddress(match[1] ?? match[2] ?? match[3] ?? '', match[4] ?? PORT_DEFAULT);
}

const ARGUMENT = restrict('network', 'changes how gRPC connects');
/** Channel arguments that set times and sizes. Others set proxies, sockets or resolvers (`grpc.http_proxy`). */
const FREE_ARGUMENT =
  /^grpc\.(?:keepalive_\w+|http2\.\w+|max_\w+|initial_reconnect_backoff_ms|min_reconnect_backoff_ms|client_idle_timeout_ms|primary_user_agent|secondary_user_agent|enable_retries|default_compression_\w+)$/;

export function restrictionOfChannelArguments(names: readonly string[]): Restriction | undefined {
  return names.every((name) => FREE_ARGUMENT.test(name)) ? undefined : ARGUMENT;
}

import type { JsonObject } from '@flotilla/envoy-api';
import { type Restriction, restrict } from './reach.ts';

const OPTION = restrict(
  'network',
  'is a socket option that is not on the list of those for buffers, times and keep-alive',
);

/** `level/name` with Linux numbers. Others bind to a device, mark packets, or load code into the kernel. */
const FREE_OPTIONS: ReadonlySet<string> = new Set([
  '0/1', // IP_TOS
  '0/24', // IP_BIND_ADDRESS_NO_PORT
  '1/2', // SO_REUSEADDR
  '1/7', // SO_SNDBUF
  '1/8', // SO_RCVBUF
  '1/9', // SO_KEEPALIVE
  '1/13', // SO_LINGER
  '1/15', // SO_REUSEPORT
  '6/1', // TCP_NODELAY
  '6/2', // TCP_MAXSEG
  '6/4', // TCP_KEEPIDLE
  '6/5', // TCP_KEEPINTVL
  '6/6', // TCP_KEEPCNT
  '6/9', // TCP_DEFER_ACCEPT
  '6/10', // TCP_WINDOW_CLAMP
  '6/12', // TCP_QUICKACK
  '6/18', // TCP_USER_TIMEOUT
  '6/23', // TCP_FASTOPEN
  '6/25', // TCP_NOTSENT_LOWAT
  '6/30', // TCP_FASTOPEN_CONNECT
  '41/26', // IPV6_V6ONLY
  '41/67', // IPV6_TCLASS
]);

export function restrictionOfSocketOption({ level, name }: JsonObject): Restriction | undefined {
  return FREE_OPTIONS.has(`${Number(level ?? 0)}/${Number(name ?? 0)}`) ? undefined : OPTION;
}

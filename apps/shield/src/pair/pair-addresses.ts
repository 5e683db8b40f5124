import { dirname, join } from 'node:path';
import type { ListenAddress } from '../listen-address.ts';

export interface UnixAddress {
  readonly kind: 'unix';
  readonly path: string;
}

/** The addresses of one of the filters that share a folder. */
export interface PairAddresses {
  /** Name of this filter in its folder. */
  readonly name: string;
  /** Private addresses until it serves. */
  readonly listen: UnixAddress;
  readonly admin: UnixAddress | undefined;
  readonly duty: UnixAddress;
  /** The address at which the others observe the serving filter. */
  readonly sharedDuty: UnixAddress;
}

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

export function isPairName(name: string): boolean {
  return NAME.test(name);
}

/** All names are in the folder of Envoy's socket, so that renames are atomic. */
export function derivePairAddresses(
  name: string,
  listen: UnixAddress,
  admin: ListenAddress | undefined,
): PairAddresses {
  const folder = dirname(listen.path);
  const own = (suffix: string): UnixAddress => ({ kind: 'unix', path: join(folder, `${name}${suffix}`) });
  return {
    name,
    listen: own(''),
    admin: admin === undefined ? undefined : own('.admin'),
    duty: own('.duty'),
    sharedDuty: { kind: 'unix', path: join(folder, 'duty.sock') },
  };
}

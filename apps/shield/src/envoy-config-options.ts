import { err, ok, type Result } from '@flotilla/kit';
import { shieldThreadAddresses } from '@flotilla/policy';
import { type Env, parseFlags, parseNumber, parseThreads, parseTrustedHops, pick } from './flags.ts';
import { type ListenAddress, parseListenAddress } from './listen-address.ts';

/** Above what a policy may ask for. */
const BODY_MAX_BYTES = 16 * 1024 ** 2;

export interface EnvoyConfigOptions {
  /** Addresses of all threads of the filter. */
  readonly listen: readonly ListenAddress[];
  readonly xffTrustedHops: number;
  /** The largest body that the policies inspect. */
  readonly bodyMaxBytes: number;
  readonly json: boolean;
}

export function parseEnvoyConfigOptions(argv: readonly string[], env: Env): Result<EnvoyConfigOptions, string> {
  const flags = parseFlags(argv, {
    listen: { type: 'string' },
    'xff-trusted-hops': { type: 'string' },
    threads: { type: 'string' },
    'max-body-bytes': { type: 'string' },
    json: { type: 'boolean' },
  });
  if (!flags.ok) return flags;
  const { values, positionals } = flags.value;
  if (positionals.length > 0) return err(`unexpected argument ${JSON.stringify(positionals[0])}`);
  const listen = pick('listen', values.listen, env.SVC_SHIELD_LISTEN);
  if (listen.text === undefined) return err('--listen is required');
  const address = parseListenAddress(listen.text);
  if (typeof address === 'string') return err(`${listen.origin} ${address}`);
  const hops = parseTrustedHops(pick('xff-trusted-hops', values['xff-trusted-hops'], env.SVC_SHIELD_XFF_TRUSTED_HOPS));
  if (!hops.ok) return hops;
  const threads = parseThreads(pick('threads', values.threads, env.SVC_SHIELD_THREADS), address);
  if (!threads.ok) return threads;
  const bytes = parseNumber(pick('max-body-bytes', values['max-body-bytes'], undefined), {
    min: 0,
    max: BODY_MAX_BYTES,
    absent: 0,
  });
  if (!bytes.ok) return bytes;
  return ok({
    bodyMaxBytes: bytes.value,
    listen: shieldThreadAddresses(address, threads.value),
    xffTrustedHops: hops.value,
    json: values.json === true,
  });
}

import { parseArgs } from 'node:util';
import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';
import { shieldThreadAddresses } from '@flotilla/policy';
import { formatAddress, type ListenAddress, parseListenAddress } from './listen-address.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** A longer chain of proxies is a typing error. */
const TRUSTED_HOPS_MAX = 64;
const THREADS_MAX = 64;

interface Picked {
  readonly text: string | undefined;
  /** The flag or variable of the text, for messages. */
  readonly origin: string;
}

/** The flag, or the environment variable if the flag is absent. */
export function pick(flag: string, value: string | undefined, twin: string | undefined): Picked {
  if (value !== undefined) return { text: value, origin: `--${flag} ${JSON.stringify(value)}` };
  const name = `SVC_SHIELD_${flag.toUpperCase().replaceAll('-', '_')}`;
  // Unit files write an empty variable to omit it.
  return { text: twin === '' ? undefined : twin, origin: `${name} ${JSON.stringify(twin)}` };
}

export function parseTrustedHops(picked: Picked): Result<number, string> {
  return parseNumber(picked, { min: 0, max: TRUSTED_HOPS_MAX, absent: 0 });
}

/** Parses a decimal integer. The error names its origin. */
export function parseNumber(
  { text, origin }: Picked,
  { min, max, absent }: { readonly min: number; readonly max: number; readonly absent: number },
): Result<number, string> {
  if (text === undefined) return ok(absent);
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max)
    return err(`${origin} must be a number from ${min} to ${max}`);
  return ok(number);
}

/** The last thread's address must be valid, too. */
export function parseThreads(picked: Picked, listen: ListenAddress): Result<number, string> {
  const threads = parseNumber(picked, { min: 1, max: THREADS_MAX, absent: 1 });
  if (!threads.ok) return threads;
  const last = shieldThreadAddresses(listen, threads.value).map(formatAddress).map(parseListenAddress).at(-1);
  if (typeof last === 'string') return err(`${picked.origin}: the address of the last thread ${last}`);
  if (listen.kind === 'tcp' && listen.port === 0 && threads.value > 1)
    return err(`${picked.origin} needs another port than 0 in --listen`);
  return threads;
}

type FlagTypes = Readonly<
  Record<string, { readonly type: 'string' | 'boolean'; readonly multiple?: boolean; readonly short?: string }>
>;

export function parseFlags<T extends FlagTypes>(argv: readonly string[], options: T) {
  try {
    return ok(parseArgs({ args: [...argv], options, allowPositionals: true, strict: true }));
  } catch (error) {
    return err(toErrorMessage(error));
  }
}

import { haRoutes } from '@flotilla/contract';
import { CliFailure, EXIT } from '../../exit-codes.ts';
import { createLookup } from '../../nouns/lookup.ts';

export const pairs = createLookup(haRoutes.list, {
  one: 'HA pair',
  id: ({ id }) => id,
  name: ({ name }) => name,
});

export const PAIR = { flags: '<pair>', help: 'name or id', to: 'pair_id', lookup: pairs } as const;

/** The controller says which numbers are allowed. */
export const readInteger = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new CliFailure(EXIT.usage, `"${text}" is not a whole number`);
  return Number(text);
};

export const INTERVAL = {
  flags: '--interval <ms>',
  help: 'time between two heartbeats, from 100 to 1000; 200 by default',
  read: readInteger,
} as const;
export const MISSES = {
  flags: '--misses <number>',
  help: 'missing heartbeats after which the other member is silent, from 2 to 10; 5 by default',
  read: readInteger,
} as const;
export const FENCE = {
  flags: '--fence <address>',
  help: 'an address that answers a ping while a member is connected, such as the gateway',
  isList: true,
  to: 'fence_targets',
} as const;
export const NEXT_HOP = {
  flags: '--next-hop <address>',
  help: 'a router that is informed directly of a take-over',
  isList: true,
  to: 'next_hops',
} as const;
export const INTERFACES = {
  flags: '--interface <service=id>',
  help: 'the cloud interface of a service, for a member in a cloud',
  isList: true,
  to: 'interfaces',
  collect: (texts: readonly string[]) => Object.fromEntries(texts.map((text) => splitAssignment(text, 'SERVICE=ID'))),
} as const;

/** Splits `name=value` at the last equals sign. */
export function splitAssignment(text: string, form: string): readonly [name: string, value: string] {
  const at = text.lastIndexOf('=');
  if (at < 1) throw new CliFailure(EXIT.usage, `"${text}" has not the form ${form}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Returns the heartbeat settings that were given, or undefined. */
export function readHeartbeat({
  interval,
  misses,
}: {
  readonly interval?: number;
  readonly misses?: number;
}): { interval_ms?: number; misses?: number } | undefined {
  if (interval === undefined && misses === undefined) return undefined;
  return { ...(interval !== undefined && { interval_ms: interval }), ...(misses !== undefined && { misses }) };
}

import { formatIpPrefix, parseIpPrefix } from '@flotilla/proto/commands';
import type { Address, Hop, Link, Route, Rule } from './types.ts';

type Json = Readonly<Record<string, unknown>>;

const ROUTE_KEYS = new Set(
  'type dst gateway dev table protocol scope metric flags pref prefsrc nexthops weight'.split(' '),
);
const RULE_KEYS = new Set('priority src srclen dst dstlen table protocol'.split(' '));
const UNICAST = 1;
const MAIN = 254;
/** The lifetime of an address without an end. */
const FOREVER_S = 4_294_967_295;

/** Reads the answer of `ip -N -j -d route show`. */
export function parseRoutes(json: unknown, family: 4 | 6): Route[] {
  return listObjects(json).map((one) => ({
    family,
    table: readNumber(one.table, MAIN),
    to: readDestination(one.dst),
    type: readNumber(one.type, UNICAST),
    protocol: readNumber(one.protocol, 0),
    scope: readNumber(one.scope, 0),
    metric: readNumber(one.metric, 0),
    source: readText(one.prefsrc),
    hops: Array.isArray(one.nexthops) ? listObjects(one.nexthops).map(toHop) : [toHop(one)],
    isPartial: Object.keys(one).some((key) => !ROUTE_KEYS.has(key)) || 'via' in one,
  }));
}

function toHop(one: Json): Hop {
  const flags = Array.isArray(one.flags) ? one.flags : [];
  return {
    via: readText(one.gateway),
    dev: readText(one.dev),
    weight: readNumber(one.weight, 1),
    isOnlink: flags.includes('onlink'),
  };
}

/** Reads the answer of `ip -N -j -d rule`. */
export function parseRules(json: unknown, family: 4 | 6): Rule[] {
  return listObjects(json).map((one) => ({
    family,
    priority: readNumber(one.priority, 0),
    from: readNetwork(one.src, one.srclen),
    to: readNetwork(one.dst, one.dstlen),
    table: readNumber(one.table, 0),
    protocol: readNumber(one.protocol, 0),
    isPartial: Object.keys(one).some((key) => !RULE_KEYS.has(key)) || one.table === undefined,
  }));
}

/** Reads the answer of `ip -j -d addr`. */
export function parseLinks(json: unknown): Link[] {
  return listObjects(json).flatMap((one): Link[] => {
    const name = readText(one.ifname);
    if (name === undefined) return [];
    const flags = Array.isArray(one.flags) ? one.flags : [];
    const info = toObject(one.linkinfo);
    const vlan = toObject(info.info_data);
    return [
      {
        name,
        kind: readText(info.info_kind) ?? '',
        isLoopback: flags.includes('LOOPBACK'),
        isUp: flags.includes('UP'),
        hasCarrier: flags.includes('LOWER_UP'),
        mtu: readNumber(one.mtu, 0),
        mac: readText(one.address) ?? '',
        master: readText(one.master),
        parent: readText(one.link),
        vlanId: typeof vlan.id === 'number' ? vlan.id : undefined,
        addresses: listObjects(one.addr_info).flatMap(toAddress),
      },
    ];
  });
}

function toAddress(one: Json): Address[] {
  const local = readText(one.local);
  if (local === undefined || (one.family !== 'inet' && one.family !== 'inet6')) return [];
  return [
    {
      family: one.family === 'inet' ? 4 : 6,
      address: `${local}/${readNumber(one.prefixlen, 0)}`,
      isOfKernel: one.scope === 'link' && one.family === 'inet6',
      isDynamic: one.dynamic === true || readNumber(one.valid_life_time, FOREVER_S) !== FOREVER_S,
      isTentative: one.tentative === true,
      isDuplicate: one.dadfailed === true,
    },
  ];
}

/** `ip` prints `default` or a prefix for routes. */
function readDestination(value: unknown): string {
  const prefix = typeof value === 'string' ? parseIpPrefix(value) : undefined;
  return prefix ? formatIpPrefix(prefix) : (readText(value) ?? '');
}

/** `ip` prints `all`, or an address and its length, for rules. */
function readNetwork(address: unknown, length: unknown): string {
  if (address === undefined || address === 'all') return 'default';
  return readDestination(length === undefined ? address : `${String(address)}/${String(length)}`);
}

function listObjects(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(toObject) : [];
}

function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** With `-N`, `ip` prints numbers as text. */
function readNumber(value: unknown, otherwise: number): number {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : otherwise;
}

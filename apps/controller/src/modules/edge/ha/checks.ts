import { failHa, HA_LIMITS } from '@flotilla/contract';

export interface Heartbeat {
  readonly port?: number | undefined;
  readonly interval_ms?: number | undefined;
  readonly misses?: number | undefined;
}

const invalid = (reason: string) => failHa('ha.invalid', { reason });

/** Throws ha.invalid. */
export function checkHeartbeat(hb: Heartbeat): void {
  const { port, intervalMinMs, intervalMaxMs, missesMin, missesMax } = HA_LIMITS;
  if (hb.port !== undefined && hb.port !== port) throw invalid(`the heartbeat port is fixed at ${port}`);
  const isWithin = (value: number | undefined, min: number, max: number) =>
    value === undefined || (value >= min && value <= max);
  if (!isWithin(hb.interval_ms, intervalMinMs, intervalMaxMs) || !isWithin(hb.misses, missesMin, missesMax))
    throw invalid(`hb interval ${intervalMinMs}-${intervalMaxMs} ms, misses ${missesMin}-${missesMax}`);
}

/** Throws ha.invalid. */
export function checkPriorities(priorities: readonly number[]): void {
  const { priorityMin, priorityMax } = HA_LIMITS;
  const outside = priorities.find((priority) => priority < priorityMin || priority > priorityMax);
  if (outside !== undefined) throw invalid(`priority ${outside} is outside ${priorityMin}-${priorityMax}`);
  if (new Set(priorities).size < priorities.length) throw invalid("the members' priorities must differ");
}

/** Throws ha.invalid: one client cannot have both slots. */
export function checkClients(clientIds: readonly string[]): void {
  if (new Set(clientIds).size < clientIds.length) throw invalid('the members must be different clients');
}

interface Lists {
  readonly fence_targets?: readonly string[] | null | undefined;
  readonly next_hops?: readonly string[] | null | undefined;
}

/** Throws ha.invalid for addresses that no other host can have. */
export function checkLists({ fence_targets: fenceTargets, next_hops: nextHops }: Lists): void {
  checkAddresses('fence_targets', fenceTargets ?? []);
  checkAddresses('next_hops', nextHops ?? []);
}

function checkAddresses(list: string, addresses: readonly string[]): void {
  const repeated = addresses.find((address, i) => addresses.indexOf(address) !== i);
  if (repeated !== undefined) throw invalid(`${list} contains ${repeated} twice`);
  const unusable = addresses.find((address) => !isUnicast(address));
  if (unusable !== undefined) throw invalid(`${list} contains ${unusable}, which is not the address of a host`);
}

/** Throws ha.invalid. */
export function checkOverride(name: 'data_override' | 'mgmt_override', address: string | null | undefined): void {
  if (address && !isUnicast(address)) throw invalid(`${name} ${address} is not the address of a host`);
}

/** Throws ha.invalid. A member that asks itself always gets an answer, and would never give its addresses up. */
export function checkFenceTargets(fenceTargets: readonly string[], own: readonly string[]): void {
  const wrong = fenceTargets.find((address) => own.includes(address));
  if (wrong !== undefined) throw invalid(`fence_targets contains ${wrong}, an address of the pair itself`);
}

/** Throws ha.invalid. */
export function checkDistinct(addresses: readonly (string | undefined)[]): void {
  const known = addresses.filter((address) => address !== undefined);
  if (new Set(known).size < known.length) throw invalid('the members have the same address');
}

/** Throws ha.invalid. */
export function failUnchanged() {
  return invalid('nothing to change (to clear next_hops or fence_targets send [], not null)');
}

/** Throws ha.invalid. */
export function checkInterfaces(interfaces: Readonly<Record<string, string>>, services: ReadonlySet<string>): void {
  const unknown = Object.keys(interfaces).find((name) => !services.has(name));
  if (unknown !== undefined) throw invalid(`interfaces names ${unknown}, which is no service of the project`);
}

export function failStranger(clientId: string) {
  return invalid(`client ${clientId} is not a member of the pair`);
}

/** Neither of this network (0/8), nor loopback (127/8), nor multicast, reserved or broadcast (224/3). RFC 6890. */
function isUnicast(address: string): boolean {
  const first = Number(address.split('.', 1)[0]);
  return first > 0 && first !== 127 && first < 224;
}

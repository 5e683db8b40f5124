import { ask, type Block } from './block.ts';

/** A system that can be started: one of two partitions, or a deployment. */
export interface BootSlot {
  /** `a` and `b` in the order of the host. */
  readonly slot: string;
  readonly name: string;
  /** Empty: the host does not tell. */
  readonly version: string;
  readonly booted: boolean;
  /** Is started next time. */
  readonly next: boolean;
  /** Null: the host does not tell. */
  readonly healthy: boolean | null;
}

/** Reads the slots of an image-based system: of RAUC, or of OSTree. */
export async function readBootSlots(): Promise<Block<{ readonly from: string; readonly slots: readonly BootSlot[] }>> {
  const rauc = await ask(['rauc', 'status', '--detailed', '--output-format=json']);
  if (rauc.ok) return toBlock('rauc', parseRauc(rauc.value));
  const ostree = await ask(['rpm-ostree', 'status', '--json']);
  if (ostree.ok) return toBlock('ostree', parseOstree(ostree.value));
  return { unavailable: 'The host has one system: neither RAUC nor OSTree manages it.' };
}

function toBlock(from: string, slots: readonly BootSlot[] | undefined) {
  return slots ? { value: { from, slots } } : { unavailable: `The answer of ${from} cannot be read.` };
}

/** Reads `rauc status --output-format=json`. Undefined: it has another form. */
export function parseRauc(text: string): BootSlot[] | undefined {
  const status = parseObject(text);
  if (!status || !Array.isArray(status.slots)) return undefined;
  const slots = status.slots.flatMap((entry: unknown) => Object.entries(asObject(entry)));
  return slots
    .filter(([, slot]) => typeof asObject(slot).bootname === 'string')
    .map(([name, value], i) => {
      const slot = asObject(value);
      const installed = asObject(asObject(slot.slot_status).bundle).version;
      const health = slot.boot_status;
      return {
        slot: letterOf(i),
        name,
        version: typeof installed === 'string' ? installed : '',
        booted: slot.state === 'booted',
        next: name === status.boot_primary,
        healthy: health === 'good' ? true : health === 'bad' ? false : null,
      };
    });
}

/** Reads `rpm-ostree status --json`. The first deployment is started next time. */
export function parseOstree(text: string): BootSlot[] | undefined {
  const status = parseObject(text);
  if (!status || !Array.isArray(status.deployments)) return undefined;
  return status.deployments.map((entry: unknown, i) => {
    const { checksum, version, booted } = asObject(entry);
    return {
      slot: letterOf(i),
      name: typeof checksum === 'string' ? checksum.slice(0, 12) : '',
      version: typeof version === 'string' ? version : '',
      booted: booted === true,
      next: i === 0,
      healthy: null,
    };
  });
}

function letterOf(index: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + index);
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

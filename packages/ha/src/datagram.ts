import { createHmac, timingSafeEqual } from 'node:crypto';
import { err, ok, type Result } from '@flotilla/kit';
import type { Heartbeat, Role } from './model.ts';

/** A message from one member to the other. */
export interface Datagram extends Message {
  /** The version of the protocol that the sender speaks. */
  readonly version: number;
}

export interface Message {
  readonly beat: Heartbeat;
  /** Counts the starts of the sender, also over restarts of its host. */
  readonly boot: number;
  /** Counts the datagrams of this start. */
  readonly sequence: number;
  readonly configRev: number;
  /** The sender's wall clock, in milliseconds. For people only: no decision depends on it. */
  readonly sentAtMs: number;
  /** The newest datagram of the receiver that the sender has got, and how long before in microseconds; undefined: none. */
  readonly echo: Echo | undefined;
}

export interface Echo {
  readonly boot: number;
  readonly sequence: number;
  readonly delayUs: number;
}

/** A secret of the pair. Both members know two while it is rotated. */
export interface Key {
  readonly id: number;
  /** 32 bytes. */
  readonly secret: Buffer;
}

/** The pair and the slot of the member that reads or writes. */
export interface Place {
  /** A UUID. */
  readonly pairId: string;
  readonly slot: 0 | 1;
}

export type Rejection =
  | 'length'
  | 'format'
  /** It belongs to another pair. */
  | 'pair'
  /** This member sent it itself, or another one with its slot did. */
  | 'slot'
  | 'key'
  | 'signature'
  | 'value';

const MAGIC = Buffer.from('FLHA');
export const PROTOCOL_VERSION = 1;
const HMAC_BYTES = 32;
/** A later version may have more fields before the signature. */
const BODY_BYTES = 92;
const LENGTH_MAX = 512;
const ROLES: readonly Role[] = ['init', 'active', 'standby', 'demoting', 'maintenance', 'fenced'];
const PRIORITY_MAX = 1000;

const AT = {
  version: 4,
  slot: 5,
  role: 6,
  flags: 7,
  pair: 8,
  key: 24,
  priority: 28,
  boot: 32,
  sequence: 40,
  epoch: 48,
  configRev: 56,
  sentAt: 64,
  echoBoot: 72,
  echoSequence: 80,
  echoDelay: 88,
} as const;

/** Bits of the byte of flags, the lowest first. */
const FLAGS = [
  'isReady',
  'isHolding',
  'isPinned',
  'hearsPeer',
  'wantsHandover',
  'isReachable',
  'isFencing',
  'isPrepared',
] as const;

export const DATAGRAM_BYTES = BODY_BYTES + HMAC_BYTES;

export function encodeDatagram({ beat, echo, ...message }: Message, pairId: string, key: Key): Buffer {
  const bytes = Buffer.alloc(DATAGRAM_BYTES);
  const flags = { ...beat, ...message };
  MAGIC.copy(bytes);
  bytes.writeUInt8(PROTOCOL_VERSION, AT.version);
  bytes.writeUInt8(beat.slot, AT.slot);
  bytes.writeUInt8(ROLES.indexOf(beat.role), AT.role);
  bytes.writeUInt8(
    FLAGS.reduce((all, name, bit) => all | (flags[name] ? 1 << bit : 0), 0),
    AT.flags,
  );
  toPairBytes(pairId).copy(bytes, AT.pair);
  bytes.writeUInt32BE(key.id, AT.key);
  bytes.writeUInt16BE(beat.priority, AT.priority);
  writeCount(bytes, message.boot, AT.boot);
  writeCount(bytes, message.sequence, AT.sequence);
  writeCount(bytes, beat.epoch, AT.epoch);
  writeCount(bytes, message.configRev, AT.configRev);
  writeCount(bytes, message.sentAtMs, AT.sentAt);
  writeCount(bytes, echo?.boot ?? 0, AT.echoBoot);
  writeCount(bytes, echo?.sequence ?? 0, AT.echoSequence);
  bytes.writeUInt32BE(Math.min(echo?.delayUs ?? 0, 0xff_ff_ff_ff), AT.echoDelay);
  sign(bytes, key).copy(bytes, BODY_BYTES);
  return bytes;
}

/** Reads a datagram for the member at `place`. Nothing is believed before the signature is right. */
export function decodeDatagram(bytes: Buffer, place: Place, keys: readonly Key[]): Result<Datagram, Rejection> {
  if (bytes.length < DATAGRAM_BYTES || bytes.length > LENGTH_MAX) return err('length');
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC) || bytes.readUInt8(AT.version) < PROTOCOL_VERSION)
    return err('format');
  const key = keys.find(({ id }) => id === bytes.readUInt32BE(AT.key));
  if (!key) return err('key');
  if (!timingSafeEqual(sign(bytes, key), bytes.subarray(-HMAC_BYTES))) return err('signature');
  if (!bytes.subarray(AT.pair, AT.key).equals(toPairBytes(place.pairId))) return err('pair');
  const slot = place.slot === 0 ? 1 : 0;
  if (bytes.readUInt8(AT.slot) !== slot) return err('slot');
  return readFields(bytes, slot);
}

function readFields(bytes: Buffer, slot: 0 | 1): Result<Datagram, Rejection> {
  const role = ROLES[bytes.readUInt8(AT.role)];
  const priority = bytes.readUInt16BE(AT.priority);
  const counts = [AT.boot, AT.sequence, AT.epoch, AT.configRev, AT.sentAt, AT.echoBoot, AT.echoSequence].map((at) =>
    Number(bytes.readBigUInt64BE(at)),
  );
  const [boot = 0, sequence = 0, epoch = 0, configRev = 0, sentAtMs = 0, echoBoot = 0, echoSequence = 0] = counts;
  const isPriority = priority >= 1 && priority <= PRIORITY_MAX;
  if (!role || !isPriority || boot === 0 || sequence === 0 || !counts.every(Number.isSafeInteger)) return err('value');
  const flags = bytes.readUInt8(AT.flags);
  const has = (name: (typeof FLAGS)[number]) => (flags & (1 << FLAGS.indexOf(name))) !== 0;
  return ok({
    version: bytes.readUInt8(AT.version),
    beat: {
      slot,
      role,
      epoch,
      priority,
      isReady: has('isReady'),
      isHolding: has('isHolding'),
      isPinned: has('isPinned'),
      hearsPeer: has('hearsPeer'),
      isReachable: has('isReachable'),
      isFencing: has('isFencing'),
      wantsHandover: has('wantsHandover'),
      isPrepared: has('isPrepared'),
    },
    boot,
    sequence,
    configRev,
    sentAtMs,
    echo:
      echoBoot === 0
        ? undefined
        : { boot: echoBoot, sequence: echoSequence, delayUs: bytes.readUInt32BE(AT.echoDelay) },
  });
}

function sign(bytes: Buffer, { secret }: Key): Buffer {
  return createHmac('sha256', secret).update(bytes.subarray(0, -HMAC_BYTES)).digest();
}

function toPairBytes(pairId: string): Buffer {
  return Buffer.from(pairId.replaceAll('-', ''), 'hex');
}

function writeCount(bytes: Buffer, value: number, at: number): void {
  bytes.writeBigUInt64BE(BigInt(value), at);
}

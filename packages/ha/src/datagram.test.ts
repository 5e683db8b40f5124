import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DATAGRAM_BYTES, type Datagram, decodeDatagram, encodeDatagram, type Key } from './datagram.ts';
import { acceptDatagram, NOTHING_ACCEPTED } from './replay-guard.ts';

const PAIR = '0190f5a2-0000-7000-8000-0123456789ab';
const PLACE = { pairId: PAIR, slot: 1 } as const;
const key: Key = { id: 7, secret: randomBytes(32) };
const next: Key = { id: 8, secret: randomBytes(32) };

const datagram: Datagram = {
  version: 1,
  beat: {
    slot: 0,
    role: 'active',
    epoch: 2 ** 40,
    priority: 1000,
    isReady: true,
    isHolding: false,
    isReachable: true,
    isFencing: false,
    isPinned: true,
    hearsPeer: true,
    wantsHandover: false,
    isPrepared: true,
  },
  boot: 3,
  sequence: 2 ** 33,
  configRev: 12,
  sentAtMs: 1_790_000_000_000,
  echo: { boot: 2, sequence: 99, delayUs: 1500 },
};
const bytes = encodeDatagram(datagram, PAIR, key);
const decode = (given: Buffer, keys: readonly Key[] = [key]) => decodeDatagram(given, PLACE, keys);

/** Changes the bytes before the signature and signs again, as a member with the secret could. */
function resign(change: (body: Buffer) => Buffer): Buffer {
  const body = change(Buffer.from(bytes.subarray(0, -32)));
  return Buffer.concat([body, createHmac('sha256', key.secret).update(body).digest()]);
}

describe('a datagram', () => {
  it('is read as it was written, with and without an echo', () => {
    expect(bytes).toHaveLength(DATAGRAM_BYTES);
    expect(decode(bytes)).toEqual({ ok: true, value: datagram });
    const without = { ...datagram, echo: undefined };
    expect(decode(encodeDatagram(without, PAIR, key))).toEqual({ ok: true, value: without });
  });

  it('is accepted with either key while the secret is rotated, and with neither afterwards', () => {
    const signed = encodeDatagram(datagram, PAIR, next);
    expect(decode(signed, [key, next]).ok).toBe(true);
    expect(decode(signed, [key])).toEqual({ ok: false, error: 'key' });
    expect(decode(signed, [{ id: next.id, secret: key.secret }])).toEqual({ ok: false, error: 'signature' });
  });

  it('is refused if any bit is changed', () => {
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const forged = Buffer.from(bytes);
      forged[bit >> 3] = (forged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(decode(forged).ok, `bit ${bit}`).toBe(false);
    }
  });

  it('is refused at every other length, and if it is noise', () => {
    for (let length = 0; length < bytes.length; length += 1)
      expect(decode(bytes.subarray(0, length)), `${length} bytes`).toEqual({ ok: false, error: 'length' });
    expect(decode(Buffer.concat([bytes, Buffer.alloc(1)])).ok).toBe(false);
    expect(decode(Buffer.alloc(513))).toEqual({ ok: false, error: 'length' });
    for (let i = 0; i < 1000; i += 1) expect(decode(randomBytes(DATAGRAM_BYTES)).ok).toBe(false);
  });

  it('is refused from another pair, and from the slot of the reader', () => {
    const other = encodeDatagram(datagram, PAIR.replace(/b$/, 'c'), key);
    expect(decode(other)).toEqual({ ok: false, error: 'pair' });
    expect(decodeDatagram(bytes, { pairId: PAIR, slot: 0 }, [key])).toEqual({ ok: false, error: 'slot' });
  });

  it.each([
    ['a role that nobody has', (copy: Buffer) => copy.fill(9, 6, 7)],
    ['priority 0', (copy: Buffer) => copy.fill(0, 28, 30)],
    ['priority 65535', (copy: Buffer) => copy.fill(255, 28, 30)],
    ['sequence 0', (copy: Buffer) => copy.fill(0, 40, 48)],
    ['an epoch above what a number can hold', (copy: Buffer) => copy.fill(255, 48, 56)],
  ])('is refused with %s, though signed', (_, change) => {
    expect(decode(resign(change))).toEqual({ ok: false, error: 'value' });
  });

  it('of a later version is read without the fields that it adds', () => {
    const later = resign((body) => {
      body.writeUInt8(2, 4);
      return Buffer.concat([body, Buffer.from('more')]);
    });
    expect(decode(later)).toEqual({ ok: true, value: { ...datagram, version: 2 } });
  });
});

describe('the guard against replays', () => {
  it('accepts each datagram once, in order, and none of an earlier start', () => {
    const first = acceptDatagram(NOTHING_ACCEPTED, { boot: 2, sequence: 5 });
    expect(first).toEqual({ boot: 2, sequence: 5 });
    const newest = first ?? NOTHING_ACCEPTED;
    for (const old of [
      { boot: 2, sequence: 5 },
      { boot: 2, sequence: 4 },
      { boot: 1, sequence: 900 },
    ])
      expect(acceptDatagram(newest, old)).toBeUndefined();
    expect(acceptDatagram(newest, { boot: 2, sequence: 6 })).toEqual({ boot: 2, sequence: 6 });
    expect(acceptDatagram(newest, { boot: 3, sequence: 1 })).toEqual({ boot: 3, sequence: 1 });
  });
});

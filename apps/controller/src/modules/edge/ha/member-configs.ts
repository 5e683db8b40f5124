import { createHash } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import type { Db, OutboxEvent } from '@flotilla/db';
import { Batches } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import * as z from 'zod';
import type { Cipher } from '../../../platform/keyring/cipher.ts';
import { SERVICES_CHANGED } from '../../fleet/public.ts';
import { announceChange, HA_CHANGED } from './events.ts';
import { type GivenPair, listMembersServing, readGivenPairs, storeGiven, storeMissingKeys } from './given-store.ts';
import { createKeys, type Keys, openKeys, sealKeys } from './keys.ts';
import { type Member, memberPaths } from './model.ts';

/** Clients per statement. */
const BATCH_MAX = 500;

/** The configuration of a member of a pair. */
export interface Given {
  readonly pair: fleet.HaPair;
  readonly isNew: boolean;
}

interface Built {
  readonly clientId: string;
  readonly given: GivenPair;
  readonly pair: fleet.HaPair;
  readonly digest: string;
}

const changedSchema = z.object({ client_ids: z.array(z.string()) });
const serviceSchema = z.object({ service_id: z.string() });

/**
 * Derives what the members of pairs should have. A member that was last given something else gets the next revision of its desired
 * state, and its peer reads again, because their addresses depend on each other.
 */
export class MemberConfigs {
  readonly #db: Db;
  readonly #cipher: Cipher;
  readonly #now: () => Date;
  /** Many streams open at once after a controller has started. */
  readonly #asked: Batches<string, Given | undefined>;

  constructor({ db, cipher, now = () => new Date() }: { db: Db; cipher: Cipher; now?: () => Date }) {
    this.#db = db;
    this.#cipher = cipher;
    this.#now = now;
    this.#asked = new Batches({ max: BATCH_MAX, run: (clientIds) => this.#findAll(clientIds) });
  }

  desiredFor(clientId: string): Promise<Given | undefined> {
    return this.#asked.add(clientId);
  }

  async findReached(events: readonly OutboxEvent[]): Promise<ReadonlySet<string>> {
    const changed = events.filter(({ topic }) => topic === HA_CHANGED);
    const clientIds = changed.flatMap(({ payload }) => changedSchema.safeParse(payload).data?.client_ids ?? []);
    const services = events.filter(({ topic }) => topic === SERVICES_CHANGED);
    const serviceIds = services.flatMap(({ payload }) => serviceSchema.safeParse(payload).data?.service_id ?? []);
    const serving = serviceIds.length === 0 ? [] : await listMembersServing(this.#db, serviceIds);
    return new Set([...clientIds, ...serving]);
  }

  async #findAll(clientIds: readonly string[]): Promise<Array<Given | undefined | Promise<never>>> {
    const pairs = await readGivenPairs(this.#db, clientIds);
    const built = new Map<string, Built>();
    const failed = new Map<string, unknown>();
    for (const given of pairs) {
      const own = given.members.filter(({ clientId }) => clientIds.includes(clientId));
      try {
        const keys = await this.#keysOf(given);
        for (const member of own) built.set(member.clientId, build(given, member, keys));
      } catch (error) {
        for (const { clientId } of own) failed.set(clientId, error);
      }
    }
    const renewed = await this.#noteGiven([...built.values()]);
    return clientIds.map((clientId) => {
      const found = built.get(clientId);
      // One unreadable key is the failure of its own members only.
      if (failed.has(clientId)) return Promise.reject(failed.get(clientId));
      return found && { pair: found.pair, isNew: renewed.has(clientId) };
    });
  }

  async #keysOf({ row }: GivenPair): Promise<Keys> {
    const sealed =
      row.sealed_keys ?? (await storeMissingKeys(this.#db, row.id, sealKeys(this.#cipher, row.id, createKeys())));
    return openKeys(this.#cipher, row.id, sealed);
  }

  /** Returns the clients that were last given something else. */
  async #noteGiven(built: readonly Built[]): Promise<ReadonlySet<string>> {
    const differing = built.filter(({ clientId, given, digest }) => {
      const member = given.members.find((one) => one.clientId === clientId);
      return member?.givenDigest !== digest;
    });
    if (differing.length === 0) return new Set();
    return this.#db.transaction().execute(async (tx) => {
      const sorted = differing
        .map(({ clientId, digest }) => ({ clientId, digest }))
        .toSorted((a, b) => a.clientId.localeCompare(b.clientId));
      const renewed = await storeGiven(tx, sorted);
      for (const given of new Set(differing.map((one) => one.given))) {
        const peers = given.members
          .map(({ clientId }) => clientId)
          .filter((clientId) => !built.some((one) => one.clientId === clientId));
        const key = { id: given.row.id, projectId: given.row.project_id };
        if (peers.length > 0) await announceChange(tx, key, { clientIds: peers, now: this.#now() });
      }
      return renewed;
    });
  }
}

function build(given: GivenPair, member: Member, keys: Keys): Built {
  const { row, members, addresses } = given;
  const peer = members.find(({ clientId }) => clientId !== member.clientId);
  const pair = create(fleet.HaPairSchema, {
    pairId: row.id,
    configRev: BigInt(row.config_rev),
    slot: member.slot,
    priority: member.priority,
    hasPeer: peer !== undefined,
    preempt: row.preempt,
    intervalMs: row.interval_ms,
    misses: row.misses,
    paths: memberPaths(member, peer),
    keys: keys.keys.map(({ id, secret }) => ({ id, secret: Buffer.from(secret, 'base64') })),
    sendKey: keys.sends,
    fenceTargets: row.fence_targets,
    nextHops: row.next_hops,
    addresses: addresses.map(({ address, serviceId }) => ({ address, serviceId })),
  });
  return { clientId: member.clientId, given, pair, digest: digestOf(pair) };
}

/** Without the secrets: a new key has a new id. */
function digestOf(pair: fleet.HaPair): string {
  const shown = { ...pair, keys: pair.keys.map((key) => ({ ...key, secret: new Uint8Array() })) };
  return createHash('sha256').update(toBinary(fleet.HaPairSchema, shown)).digest('hex');
}

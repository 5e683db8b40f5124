import type { haServiceSchema } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type * as z from 'zod';
import { isFresh, type PairState, type ReportingMember } from './model.ts';
import { listServedParts, type ServedPart } from './service-store.ts';
import { readPairs } from './state-store.ts';
import { deriveStatus } from './status.ts';

export type PairedService = z.output<typeof haServiceSchema>;

/**
 * The services of all pairs of a project, or of one, with who holds their addresses: the read model for screens, and for answers that
 * spread clients over addresses. A constant number of queries.
 */
export async function listPairedServices(
  db: Db,
  { projectId, pairId, now }: { projectId: string; pairId?: string; now: Date },
): Promise<PairedService[]> {
  const pairs = await readPairs(db, projectId, pairId);
  const parts = Map.groupBy(
    await listServedParts(
      db,
      pairs.map(({ id }) => id),
    ),
    (part) => part.pairId,
  );
  return pairs.flatMap((pair) => describeServices(pair, parts.get(pair.id) ?? [], now));
}

const MOVING: ReadonlySet<string> = new Set(['split_brain', 'handing_over', 'no_active']);

function describeServices(pair: PairState, parts: readonly ServedPart[], now: Date): PairedService[] {
  const isMoving = MOVING.has(deriveStatus(pair, now).status);
  return [...Map.groupBy(parts, ({ serviceId }) => serviceId).values()].flatMap((own) => {
    const [first] = own;
    return first ? [describeService(pair, { first, parts: own, isMoving, now })] : [];
  });
}

interface Served {
  readonly first: ServedPart;
  readonly parts: readonly ServedPart[];
  readonly isMoving: boolean;
  readonly now: Date;
}

function describeService({ members }: PairState, { first, parts, isMoving, now }: Served): PairedService {
  const seen = members.map((member) => describeMember(member, first.serviceId, { parts, now }));
  const holders = seen.filter(({ holds }) => holds);
  const holder = holders.length === 1 ? holders[0] : undefined;
  const served = parts.find(({ clientId }) => clientId === holder?.shown.client_id) ?? first;
  const isWithdrawn = holder?.isInMaintenance ?? false;
  return {
    service_id: first.serviceId,
    service: first.service,
    version: first.version,
    admin_port: served.adminPort,
    addresses: [...new Set(parts.flatMap(({ addresses }) => addresses))],
    ...(holder && { holder: holder.shown.client_id }),
    healthy: holder?.shown.ready ?? false,
    draining: isMoving || isWithdrawn,
    members: seen.map(({ shown }) => shown),
  };
}

function describeMember(member: ReportingMember, serviceId: string, { parts, now }: Pick<Served, 'parts' | 'now'>) {
  const part = parts.find(({ clientId }) => clientId === member.clientId);
  const reported = isFresh(member, now) && member.report?.daemon !== 'absent' ? member.report : undefined;
  const vips = (reported?.vips ?? []).filter((vip) => vip.service_id === serviceId);
  return {
    holds: vips.some(({ held }) => held),
    isInMaintenance: reported?.maintenance ?? false,
    shown: {
      client_id: member.clientId,
      client: member.name,
      deployed: part !== undefined,
      phase: part?.phase ?? null,
      // A service without addresses of the pair is nothing that its daemon looks at.
      ready: vips.length > 0 ? vips.every(({ ready }) => ready) : member.connected && part?.phase === 'running',
    },
  };
}

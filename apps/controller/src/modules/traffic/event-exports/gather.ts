import type { Db } from '@flotilla/db';
import { type EventStore, toProjectId } from '@flotilla/event-store';
import { type ArrivalRow, listArrivals } from './arrival-store.ts';
import { type EventDocument, toFindingDocument, toRequestDocument } from './document.ts';
import { listFindings } from './finding-store.ts';
import type { ClaimedExport, Place } from './place-store.ts';
import { isSelected, toConditions } from './selection.ts';

/** Arrivals that one batch looks at. Where the selection leaves out almost everything, many have nothing to send. */
const ARRIVALS_MAX = 50;

export interface Gathered {
  readonly documents: readonly EventDocument[];
  readonly next: Place;
  /** Events that the store had deleted before they were looked at. */
  readonly lost: number;
  /** Something is left behind the place. */
  readonly hasMore: boolean;
}

export interface GatherSources {
  readonly db: Db;
  /** Undefined: there is none, which matters only once requests have arrived. */
  readonly store: EventStore | undefined;
}

interface Part {
  readonly documents: readonly EventDocument[];
  /** `null`: everything of the arrival was looked at. */
  readonly cursor: string | null;
  readonly lost: number;
}

/** Reads what comes after the place of an export, until there are `limit` documents. Does not move the place. */
export async function gather(
  { db, store }: GatherSources,
  claimed: ClaimedExport,
  { place, limit }: { readonly place: Place; readonly limit: number },
): Promise<Gathered> {
  const arrivals = await listArrivals(db, claimed.project_id, { after: place.position, limit: ARRIVALS_MAX + 1 });
  const documents: EventDocument[] = [];
  let [next, lost] = [place, 0];
  for (const arrival of arrivals.slice(0, ARRIVALS_MAX)) {
    if (documents.length >= limit) return { documents, next, lost, hasMore: true };
    const wanted = { cursor: next.cursor, limit: limit - documents.length };
    const part =
      arrival.kind === 'requests'
        ? await readRequests(store, claimed, arrival, wanted)
        : await readFindings(db, claimed, arrival, wanted);
    documents.push(...part.documents);
    lost += part.lost;
    const done = arrival.total - arrival.events;
    if (part.cursor !== null) {
      next = { position: arrival.position - 1, cursor: part.cursor, total: done };
      return { documents, next, lost, hasMore: true };
    }
    next = { position: arrival.position, cursor: null, total: arrival.total };
  }
  return { documents, next, lost, hasMore: arrivals.length > ARRIVALS_MAX };
}

interface Wanted {
  readonly cursor: string | null;
  readonly limit: number;
}

async function readRequests(
  store: EventStore | undefined,
  { project_id: projectId, selection }: ClaimedExport,
  { parts, events }: Extract<ArrivalRow, { kind: 'requests' }>,
  { cursor, limit }: Wanted,
): Promise<Part> {
  if (store === undefined) throw new Error('this controller does not have the event store at the moment');
  const any = toConditions(selection);
  const page = await store.forward(toProjectId(projectId), { ...parts, cursor, limit, ...(any && { any }) });
  return {
    documents: page.events.map((event) => toRequestDocument(projectId, event)),
    cursor: page.nextCursor,
    lost: page.stored === null ? 0 : Math.max(0, events - page.stored),
  };
}

async function readFindings(
  db: Db,
  { project_id: projectId, selection }: ClaimedExport,
  { parts: { ids }, events }: Extract<ArrivalRow, { kind: 'findings' }>,
  { cursor, limit }: Wanted,
): Promise<Part> {
  const found = await listFindings(db, projectId, { ids, after: cursor, limit: limit + 1 });
  const shown = found.slice(0, limit);
  const isLast = found.length <= limit;
  return {
    documents: shown
      .filter((finding) => isSelected(selection, finding))
      .map((finding) => toFindingDocument(projectId, finding)),
    cursor: isLast ? null : (shown.at(-1)?.id ?? null),
    // A later part of the same arrival cannot say how many are missing.
    lost: cursor === null && isLast ? Math.max(0, events - found.length) : 0,
  };
}

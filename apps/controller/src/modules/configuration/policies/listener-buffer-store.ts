import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

/** The request buffer of a listener in bytes; undefined if its document does not set it. */
export interface ListenerBuffer {
  readonly listener: string;
  readonly bytes: number | undefined;
}

const BUFFER_FIELD = sql<string | null>`d.resource ->> 'per_connection_buffer_limit_bytes'`;

/** Buffers of listeners by name, for a service that is being written. */
export async function findListenerBuffers(
  db: Db,
  scope: { readonly project: string; readonly version: string },
  listeners: readonly string[],
): Promise<ListenerBuffer[]> {
  const { rows } = await sql<{ listener: string; bytes: string | null }>`
    select d.name as listener, ${BUFFER_FIELD} as bytes from documents d
    where d.project_id = ${scope.project} and d.version = ${scope.version} and d.collection = 'listeners'
      and d.name = any(${[...listeners]}::text[])
    order by d.name
  `.execute(db);
  return rows.map(toBuffer);
}

/** Buffers of all listeners of each service. */
export async function findBuffersByService(
  db: Db,
  project: string,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ListenerBuffer[]>> {
  if (serviceIds.length === 0) return new Map();
  const { rows } = await sql<{ service_id: string; listener: string; bytes: string | null }>`
    select r.from_id as service_id, d.name as listener, ${BUFFER_FIELD} as bytes
    from document_references r
    join documents d on d.project_id = r.project_id and d.version = r.version and d.collection = 'listeners' and d.name = r.to_name
    where r.project_id = ${project} and r.from_collection = 'services' and r.to_collection = 'listeners'
      and r.from_id = any(${[...serviceIds]}::uuid[])
    order by r.from_id, d.name
  `.execute(db);
  const byService = new Map<string, ListenerBuffer[]>();
  for (const row of rows) byService.set(row.service_id, [...(byService.get(row.service_id) ?? []), toBuffer(row)]);
  return byService;
}

function toBuffer({ listener, bytes }: { listener: string; bytes: string | null }): ListenerBuffer {
  return { listener, bytes: bytes === null ? undefined : Number(bytes) };
}

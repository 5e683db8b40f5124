import {
  CERTIFICATE_SOON_MS,
  type Collection,
  judgeCertificateEnd,
  OVERVIEW_LISTED_MAX,
  type Overview,
} from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

type Certificates = Overview['certificates'];

/** Expired and soon expiring certificates of the caller's documents and of the installation's authority. */
export async function readCertificates(
  db: Db,
  projectId: string,
  { authorityEndsAt, now }: { readonly authorityEndsAt: Date; readonly now: Date },
): Promise<Certificates> {
  const { rows } = await sql<{
    collection: Collection;
    name: string;
    version: string;
    ends_at: Date;
    ended: number;
    total: number;
  }>`
    select collection, name, version, certificate_ends_at as ends_at,
      count(*) filter (where certificate_ends_at <= ${now}) over ()::int as ended, count(*) over ()::int as total
    from documents
    where project_id = ${projectId} and certificate_ends_at < ${new Date(now.getTime() + CERTIFICATE_SOON_MS)}
    order by certificate_ends_at, name, version
    limit ${OVERVIEW_LISTED_MAX}`.execute(db);
  const { ended, total } = rows[0] ?? { ended: 0, total: 0 };
  const first = rows.map(({ collection, name, version, ends_at }) =>
    toListed(ends_at, now, { collection, name, version }),
  );
  if (judgeCertificateEnd(authorityEndsAt, now) === 'valid') return { ended, ends_soon: total - ended, first };
  const authority = toListed(authorityEndsAt, now, null);
  return {
    ended: ended + (authority.state === 'ended' ? 1 : 0),
    ends_soon: total - ended + (authority.state === 'ends_soon' ? 1 : 0),
    first: [authority, ...first].slice(0, OVERVIEW_LISTED_MAX),
  };
}

function toListed(
  endsAt: Date,
  now: Date,
  document: Certificates['first'][number]['document'],
): Certificates['first'][number] {
  return {
    state: judgeCertificateEnd(endsAt, now) === 'ended' ? 'ended' : 'ends_soon',
    ends_at: endsAt.toISOString(),
    document,
  };
}

import { CERTIFICATE_SOON_MS, type CertificateState } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Documents whose earliest certificate expiry is in one of these states. */
export function hasCertificateIn(states: readonly CertificateState[], now: Date): RawBuilder<SqlBool> {
  const soon = new Date(now.getTime() + CERTIFICATE_SOON_MS);
  const arms = states.map((state) => {
    if (state === 'ended') return sql`documents.certificate_ends_at <= ${now}`;
    if (state === 'valid') return sql`documents.certificate_ends_at >= ${soon}`;
    return sql`documents.certificate_ends_at > ${now} and documents.certificate_ends_at < ${soon}`;
  });
  return sql<SqlBool>`(${sql.join(arms, sql` or `)})`;
}

/** Earliest expiry first, documents without certificates last. */
export function orderByCertificateEnd(): RawBuilder<unknown> {
  return sql`coalesce(documents.certificate_ends_at, 'infinity')`;
}

/** Counts of a project's documents with certificates; each counts once, by its earliest expiry. */
export interface ProjectCertificates {
  readonly project_id: string;
  readonly ended: number;
  readonly ends_soon: number;
  readonly valid: number;
  /** The earliest expiry in the future; null if all have expired. */
  readonly next_ends_at: Date | null;
  /** Number of projects with certificates, including those not returned. */
  readonly projects: number;
}

/** Returns at most `projectsMax` projects: those whose certificates end first. */
export async function readProjectCertificates(db: Db, now: Date, projectsMax: number): Promise<ProjectCertificates[]> {
  const soon = new Date(now.getTime() + CERTIFICATE_SOON_MS);
  const { rows } = await sql<ProjectCertificates>`
    select project_id,
      count(*) filter (where certificate_ends_at <= ${now})::int as ended,
      count(*) filter (where certificate_ends_at > ${now} and certificate_ends_at < ${soon})::int as ends_soon,
      count(*) filter (where certificate_ends_at >= ${soon})::int as valid,
      min(certificate_ends_at) filter (where certificate_ends_at > ${now}) as next_ends_at,
      count(*) over ()::int as projects
    from documents where certificate_ends_at is not null
    group by project_id order by min(certificate_ends_at), project_id limit ${projectsMax}`.execute(db);
  return rows;
}

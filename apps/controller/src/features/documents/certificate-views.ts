import { CERTIFICATE_SOON_MS, type CertificateState } from '@flotilla/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Documents whose first certificate to end is in one of these states. */
export function hasCertificateIn(states: readonly CertificateState[], now: Date): RawBuilder<SqlBool> {
  const soon = new Date(now.getTime() + CERTIFICATE_SOON_MS);
  const arms = states.map((state) => {
    if (state === 'ended') return sql`documents.certificate_ends_at <= ${now}`;
    if (state === 'valid') return sql`documents.certificate_ends_at >= ${soon}`;
    return sql`documents.certificate_ends_at > ${now} and documents.certificate_ends_at < ${soon}`;
  });
  return sql<SqlBool>`(${sql.join(arms, sql` or `)})`;
}

/** The first to end before the others, those without certificates last. */
export function orderByCertificateEnd(): RawBuilder<unknown> {
  return sql`coalesce(documents.certificate_ends_at, 'infinity')`;
}

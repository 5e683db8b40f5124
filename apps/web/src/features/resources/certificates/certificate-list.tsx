import { useMemo } from 'react';
import { formatExact, Section, State, Time, useNow } from '../../../ui/index.ts';
import lines from '../../../ui/rows.module.css';
import { texts } from '../texts.tsx';
import { CERTIFICATE_LOOKS } from './certificate-looks.ts';
import { judgeCertificate, readCertificates } from './read-certificates.ts';

const text = texts.certificates;

const SHOWN = 5;
const MINUTE_MS = 60_000;

/** Lists certificates of a document, earliest expiry first. Renders nothing if there are none. */
export function CertificateList({ resource }: { resource: unknown }) {
  const certificates = useMemo(() => readCertificates(resource), [resource]);
  const now = useNow(MINUTE_MS);
  if (certificates.length === 0) return null;
  return (
    <Section title={text.title}>
      <ul className={lines.rows} aria-label={text.title}>
        {certificates.slice(0, SHOWN).map((certificate) => {
          const { subject, validFrom, validUntil } = certificate;
          const ends = new Date(validUntil).toISOString();
          return (
            <li key={`${subject} ${validFrom} ${validUntil}`} className={lines.row}>
              <State {...CERTIFICATE_LOOKS[judgeCertificate(certificate, now)]} />
              <bdi className={`${lines.grow} mono`}>{subject || text.unnamed}</bdi>
              <span>
                {text.ends(<Time at={ends} />)} <span className={lines.dim}>{formatExact(ends)}</span>
              </span>
            </li>
          );
        })}
        {certificates.length > SHOWN && (
          <li className={lines.row}>
            <span className={lines.dim}>{text.andMore(certificates.length - SHOWN)}</span>
          </li>
        )}
      </ul>
    </Section>
  );
}

import { useMemo } from 'react';
import { texts } from '../../../texts/index.ts';
import { formatExact, Section, State, Time, useNow } from '../../../ui/index.ts';
import lines from '../../../ui/rows.module.css';
import type { StateProps } from '../../../ui/state.tsx';
import { type CertificateState, judgeCertificate, readCertificates } from './read-certificates.ts';

const text = texts.resources.certificates;

const SHOWN = 5;
const MINUTE_MS = 60_000;
const LOOKS: Readonly<Record<CertificateState, StateProps>> = {
  expired: { word: text.expired, tone: 'bad', shape: 'triangle' },
  ends_soon: { word: text.endsSoon, tone: 'warn', shape: 'triangle' },
  not_yet: { word: text.notYet, tone: 'warn', shape: 'ring' },
  valid: { word: text.valid, tone: 'good', shape: 'full' },
};

/** The certificates that a document holds, the one that ends first before the others. Nothing where it holds none. */
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
              <State {...LOOKS[judgeCertificate(certificate, now)]} />
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

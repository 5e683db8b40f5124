import { judgeCertificateEnd } from '@flotilla/contract';
import { StateShape, Time, useNow } from '../../../ui/index.ts';
import { texts } from '../texts.tsx';
import classes from './certificate-end.module.css';
import { CERTIFICATE_LOOKS } from './certificate-looks.ts';

const text = texts.certificates;

const MINUTE_MS = 60_000;

/** Shows the earliest expiry of the certificates of a document, marked if it is soon or past. Renders nothing without certificates. */
export function CertificateEnd({ at }: { at: string | null }) {
  const now = useNow(MINUTE_MS);
  if (at === null) return null;
  const state = judgeCertificateEnd(new Date(at), new Date(now));
  const { tone = 'quiet', shape = 'ring', word } = CERTIFICATE_LOOKS[state];
  return (
    <span className={classes.end} data-state={word}>
      {state !== 'valid' && <StateShape tone={tone} shape={shape} />}
      <span>{(state === 'ended' ? text.hasEnded : text.ends)(<Time at={at} />)}</span>
    </span>
  );
}

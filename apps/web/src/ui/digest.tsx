import { Copy } from './copy.tsx';

const SHOWN = 12;

/** Shows the beginning of a digest, and the full one on hover and for copying. */
export function Digest({ digest, what = 'digest' }: { digest: string; what?: string }) {
  return (
    <span style={{ whiteSpace: 'nowrap' }}>
      <span className="mono" title={digest}>
        {digest.slice(0, SHOWN)}
      </span>{' '}
      <Copy text={digest} what={what} />
    </span>
  );
}

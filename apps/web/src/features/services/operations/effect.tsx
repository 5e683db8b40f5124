import classes from './operation.module.css';
import type { Operation } from './operations.ts';

/** What an operation does, to connections above all. */
export function Effect({ operation }: { operation: Operation }) {
  return (
    <dl className={`${classes.effect} ${operation.isCutting ? classes.cutting : ''}`}>
      <dt>What happens</dt>
      <dd>{operation.does}</dd>
      <dt>Open connections</dt>
      <dd>{operation.toConnections}</dd>
      <dt>Clients that are offline</dt>
      <dd>
        {operation.offline === 'later' ? 'Do it when they are back.' : 'Cannot be asked: it fails there at once.'}
      </dd>
    </dl>
  );
}

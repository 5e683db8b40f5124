import classes from './operation.module.css';
import type { Operation } from './operations.ts';
import { texts } from './texts.tsx';

const text = texts.effect;

/** Explains what an operation does, especially to connections. */
export function Effect({ operation }: { operation: Operation }) {
  return (
    <dl className={`${classes.effect} ${operation.isCutting ? classes.cutting : ''}`}>
      <dt>{text.whatHappens}</dt>
      <dd>{operation.does}</dd>
      <dt>{text.openConnections}</dt>
      <dd>{operation.toConnections}</dd>
      <dt>{text.clientsOffline}</dt>
      <dd>{operation.offline === 'later' ? text.doneWhenBack : text.failsAtOnce}</dd>
    </dl>
  );
}

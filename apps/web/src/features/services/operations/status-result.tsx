import classes from './operation.module.css';
import { texts } from './texts.tsx';

const text = texts.statusResult;

interface Unit {
  readonly pid: number;
  readonly kind: string;
  readonly name: string;
  readonly role: string;
  readonly version: string;
}

/** Shows the answer of SUB_STATUS: the processes of the service on one client. Renders nothing for other answers. */
export function StatusResult({ result }: { result: unknown }) {
  const { units, status } = (result ?? {}) as {
    units?: readonly Unit[];
    status?: { phase?: string; generation?: number; restarts?: number };
  };
  if (!Array.isArray(units)) return null;
  return (
    <span className={classes.reason}>
      {status?.phase && text.phase(status.phase, status.generation ?? '', status.restarts ?? '')}
      {units.length === 0
        ? text.noProcess
        : units
            .map((unit) => `${unit.kind} ${unit.version} pid ${unit.pid} ${unit.role}`.replace('  ', ' '))
            .join('; ')}
    </span>
  );
}

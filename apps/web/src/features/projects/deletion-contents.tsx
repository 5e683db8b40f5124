import type { DeletionPlan } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { texts } from '../../texts/index.ts';
import { Notice } from '../../ui/index.ts';
import { nameKind, type PlanLine, readPlan } from './deletion-plan.ts';
import classes from './projects.module.css';

const text = texts.projects.deletion;

/** Everything that is deleted, by kind; `before` is the previously shown plan, if it changed. */
export function DeletionContents({ plan, before }: { plan: DeletionPlan; before: DeletionPlan | undefined }) {
  const lines = readPlan(plan, before);
  if (lines.length === 0) return <p className={classes.line}>{text.nothing}</p>;
  return (
    <div>
      <p className={classes.line}>{text.lead}</p>
      <ul className={classes.plan} aria-label={text.what}>
        {lines.map((line) => (
          <li key={line.kind}>
            <span className={classes.kind}>{nameKind(line.kind, text.kinds)}</span>
            <span className={classes.count}>{line.count.toLocaleString()}</span>
            <Names line={line} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Names({ line: { count, names, unnamed, before } }: { line: PlanLine }) {
  return (
    <span className={classes.names}>
      {names.map((name, index) => (
        // Two resources of different collections may have one name.
        // biome-ignore lint/suspicious/noArrayIndexKey: the names of a plan do not move
        <bdi key={index} className={classes.name}>
          {name}
        </bdi>
      ))}
      {unnamed > 0 && <span>{text.more(unnamed)}</span>}
      {before !== undefined && <strong>{before === count ? text.others : text.before(before)}</strong>}
    </span>
  );
}

const RUNNING_SHOWN = 20;

/** Running services that block the deletion. */
export function RunningServices({ project, running }: { project: string; running: DeletionPlan['running'] }) {
  if (running.length === 0) return null;
  return (
    <Notice tone="warn" title={text.running}>
      <div>{text.runningText}</div>
      <ul className={classes.bullets}>
        {running.slice(0, RUNNING_SHOWN).map(({ service, client }) => (
          <li key={`${service} ${client}`}>{text.runningOn(service, client)}</li>
        ))}
        {running.length > RUNNING_SHOWN && <li>{text.more(running.length - RUNNING_SHOWN)}</li>}
      </ul>
      <Link to="/p/$project/services" params={{ project }}>
        {text.openServices}
      </Link>
    </Notice>
  );
}

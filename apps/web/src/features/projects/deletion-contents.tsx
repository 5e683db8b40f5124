import type { DeletionPlan } from '@flotilla/contract';
import { List, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Notice } from '../../ui/index.ts';
import { nameKind, type PlanLine, readPlan } from './deletion-plan.ts';
import classes from './projects.module.css';
import { texts } from './texts.tsx';

const text = texts.deletion;

/** Lists everything that is deleted, by kind. `before` is the previously shown plan, if it changed. */
export function DeletionContents({ plan, before }: { plan: DeletionPlan; before: DeletionPlan | undefined }) {
  const lines = readPlan(plan, before);
  if (lines.length === 0) return <Text>{text.nothing}</Text>;
  return (
    <div>
      <Text>{text.lead}</Text>
      <ul className={classes.plan} aria-label={text.what}>
        {lines.map((line) => (
          <li key={line.kind}>
            <span>{nameKind(line.kind, text.kinds)}</span>
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
        // Two resources of different collections may have the same name.
        // biome-ignore lint/suspicious/noArrayIndexKey: the names of a plan do not move
        <bdi key={index}>{name}</bdi>
      ))}
      {unnamed > 0 && <span>{text.more(unnamed)}</span>}
      {before !== undefined && <strong>{before === count ? text.others : text.before(before)}</strong>}
    </span>
  );
}

const RUNNING_SHOWN = 20;

export function RunningServices({ project, running }: { project: string; running: DeletionPlan['running'] }) {
  if (running.length === 0) return null;
  return (
    <Notice tone="warn" title={text.running}>
      <div>{text.runningText}</div>
      <List spacing={4}>
        {running.slice(0, RUNNING_SHOWN).map(({ service, client }) => (
          <List.Item key={`${service} ${client}`}>{text.runningOn(service, client)}</List.Item>
        ))}
        {running.length > RUNNING_SHOWN && <List.Item>{text.more(running.length - RUNNING_SHOWN)}</List.Item>}
      </List>
      <Link to="/p/$project/services" params={{ project }}>
        {text.openServices}
      </Link>
    </Notice>
  );
}

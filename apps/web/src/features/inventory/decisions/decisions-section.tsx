import type { TrafficGap } from '@flotilla/contract';
import { Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { Section } from '../../../ui/index.ts';
import { EventsLink } from '../events-link.tsx';
import classes from '../inventory.module.css';
import { type AskedWindow, toSearch } from '../time-window.ts';
import { DecisionChart } from './decision-chart.tsx';
import { texts } from './texts.ts';

interface DecisionsSectionProps {
  readonly asked: AskedWindow;
  readonly filters: Readonly<Record<string, string>>;
  readonly gaps: readonly TrafficGap[];
}

/** Draws how many requests the filter allowed, detected and blocked, and leads to them and to its findings. */
export function DecisionsSection({ asked, filters, gaps }: DecisionsSectionProps) {
  const project = useProject();
  const can = useCan();
  const search = { ...filters, ...toSearch(asked) };
  return (
    <Section title={texts.title}>
      <DecisionChart window={asked} filters={filters} gaps={gaps} />
      <Group gap="md">
        <EventsLink search={{ ...search, action: 'block' }}>{texts.blocked}</EventsLink>
        <EventsLink search={{ ...search, action: 'detect' }}>{texts.detected}</EventsLink>
        {can(routes.shieldEvent.list) && (
          <Link to="/p/$project/shield/events" params={{ project: project.name }}>
            {texts.findings}
          </Link>
        )}
      </Group>
      <p className={classes.dim}>{texts.hint}</p>
    </Section>
  );
}

import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useCan } from '../app/project.tsx';
import { texts } from '../texts/index.ts';
import { type Area, type Destination, INSTALLATION, PROJECT_AREAS } from './destinations.ts';
import classes from './frame.module.css';

const text = texts.shell.navigation;

/** Links to everything that the user may open. */
export function Navigation({ project }: { project: string | undefined }) {
  const can = useCan();
  const areas: readonly Area[] = [
    ...(project === undefined ? [] : PROJECT_AREAS),
    { label: text.installation, destinations: INSTALLATION },
  ];
  return areas.map(({ label, destinations }) => {
    const allowed = destinations.filter(({ needs }) => can(needs));
    if (allowed.length === 0) return null;
    return (
      <Fragment key={label ?? 'first'}>
        {label && <div className={classes.area}>{label}</div>}
        {allowed.map((destination) => (
          <NavigationLink key={destination.label} destination={destination} project={project} />
        ))}
      </Fragment>
    );
  });
}

function NavigationLink({ destination, project }: { destination: Destination; project: string | undefined }) {
  return (
    <Link
      to={String(destination.to)}
      params={{ project, ...destination.params }}
      className={classes.link}
      activeOptions={{ includeSearch: false }}
    >
      {destination.label}
    </Link>
  );
}

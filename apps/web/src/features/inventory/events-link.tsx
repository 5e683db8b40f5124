import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProject } from '../../app/project.tsx';

interface EventsLinkProps {
  /** Filters of the events, and the time range. */
  readonly search: Readonly<Record<string, string | readonly string[]>>;
  readonly title?: string;
  readonly children: ReactNode;
}

/** Links to the requests that match. */
export function EventsLink({ search, title, children }: EventsLinkProps) {
  const project = useProject();
  return (
    <Link to="/p/$project/traffic/events" params={{ project: project.name }} search={search} {...(title && { title })}>
      {children}
    </Link>
  );
}

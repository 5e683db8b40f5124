import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Page } from '../../ui/index.ts';
import { texts } from './texts.tsx';
import { keepTimes } from './time-window.ts';
import classes from './traffic-room.module.css';

const text = texts.room;

interface TrafficRoomProps {
  readonly title: string;
  readonly lead: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** One of the screens about traffic, with links to the others. */
export function TrafficRoom({ title, lead, actions, children }: TrafficRoomProps) {
  return (
    <Page title={title} lead={lead} actions={actions} isWide>
      <RoomLinks />
      {children}
    </Page>
  );
}

/** Keeps the link of the open screen in view: on a phone each line of links scrolls. */
function useShownLink() {
  const rooms = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another screen has another link
  useEffect(() => {
    const current = rooms.current?.querySelector<HTMLElement>('[data-status="active"]');
    const line = current?.parentElement;
    if (current && line)
      line.scrollLeft = current.offsetLeft - line.offsetLeft - (line.clientWidth - current.offsetWidth) / 2;
  }, [pathname]);
  return rooms;
}

/** Screens to look at; below them, those to work with. */
function RoomLinks() {
  const params = { project: useProject().name };
  const can = useCan();
  const rooms = useShownLink();
  // Filters belong to one screen.
  const shared = { params, search: keepTimes, className: classes.link ?? '' };
  return (
    <nav ref={rooms} className={classes.rooms} aria-label={text.screens}>
      <div className={classes.links}>
        <Link to="/p/$project/traffic" activeOptions={{ exact: true, includeSearch: false }} {...shared}>
          {text.overview}
        </Link>
        <Link to="/p/$project/traffic/endpoints" activeOptions={{ includeSearch: false }} {...shared}>
          {text.endpoints}
        </Link>
        <Link to="/p/$project/traffic/events" activeOptions={{ includeSearch: false }} {...shared}>
          {text.events}
        </Link>
        <Link to="/p/$project/traffic/errors" activeOptions={{ includeSearch: false }} {...shared}>
          {text.errors}
        </Link>
        <Link to="/p/$project/traffic/consumers" activeOptions={{ includeSearch: false }} {...shared}>
          {text.consumers}
        </Link>
        <Link to="/p/$project/traffic/compare" params={params} className={classes.link ?? ''}>
          {text.compare}
        </Link>
        <Link to="/p/$project/traffic/risk" activeOptions={{ includeSearch: false }} {...shared}>
          {text.risk}
        </Link>
        <Link to="/p/$project/traffic/findings" activeOptions={{ includeSearch: false }} {...shared}>
          {text.findings}
        </Link>
      </div>
      <div className={classes.tools}>
        <Link to="/p/$project/traffic/drafts/new" activeOptions={{ includeSearch: false }} {...shared}>
          {text.drafts}
        </Link>
        <Link to="/p/$project/traffic/documents" activeOptions={{ includeSearch: false }} {...shared}>
          {text.documents}
        </Link>
        <Link to="/p/$project/traffic/teams" activeOptions={{ includeSearch: false }} {...shared}>
          {text.teams}
        </Link>
        <Link to="/p/$project/traffic/names" activeOptions={{ includeSearch: false }} {...shared}>
          {text.names}
        </Link>
        {can(routes.eventExport.list) && (
          <Link to="/p/$project/traffic/exports" activeOptions={{ includeSearch: false }} {...shared}>
            {text.exports}
          </Link>
        )}
      </div>
    </nav>
  );
}

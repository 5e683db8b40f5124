import { routes } from '../../../api/index.ts';
import { useCan } from '../../../app/project.tsx';
import { Empty } from '../../../ui/index.ts';
import { TrafficRoom } from '../traffic-room.tsx';
import { ViewsMenu } from '../views/views-menu.tsx';
import { EVENT_VIEWS } from './event-views.ts';
import { EventsExplorer } from './events-explorer.tsx';
import { texts } from './texts.tsx';

/** All requests of the project. */
export function TrafficEventsPage() {
  const can = useCan();
  return (
    <TrafficRoom
      title={texts.title}
      lead={texts.lead}
      actions={can(routes.trafficEvent.list) && <ViewsMenu list="event" suggestions={EVENT_VIEWS} />}
    >
      {can(routes.trafficEvent.list) ? <EventsExplorer /> : <Empty title={texts.notAllowed} />}
    </TrafficRoom>
  );
}

import { useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Section, shortenId, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { describeEvent, dropPassedProgress, type JobEvent } from './job-model.ts';
import { texts } from './texts.ts';

const text = texts.events;
const SHOWN_MAX = 100;

export function JobEvents({ events }: { events: readonly JobEvent[] }) {
  const nameOf = useControllerNames();
  const shown = dropPassedProgress(events).slice(-SHOWN_MAX).reverse();
  return (
    <Section title={text.title}>
      {shown.length === 0 ? (
        <p className={layout.note}>{text.none}</p>
      ) : (
        <ol className={lines.rows} aria-label={text.title} aria-live="polite" reversed>
          {shown.map((event) => (
            <li key={event.seq} className={lines.row}>
              <span className={lines.grow}>
                {text.words[event.kind] ?? event.kind} <bdi className={lines.dim}>{describeEvent(event, nameOf)}</bdi>
              </span>
              <span className={lines.dim}>
                <Time at={event.at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

/** Returns host names of controllers, with permission. A removed controller is shown by the end of its ID. */
function useControllerNames(): (controllerId: string) => string {
  const project = useProject();
  const isTold = useCan()(routes.controller.instances);
  const found = useApi(routes.controller.instances, { query: { project: project.id } }, { enabled: isTold });
  const instances = found.data?.body.instances;
  return useMemo(() => {
    const names = new Map(instances?.map(({ id, hostname }) => [id, hostname]));
    return (id) => (isTold ? (names.get(id) ?? shortenId(id)) : '');
  }, [instances, isTold]);
}

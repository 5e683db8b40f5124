import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { State, StateShape, Time } from '../../../ui/index.ts';
import { nameOf } from '../../clients/index.ts';
import classes from './operation.module.css';
import { texts } from './texts.tsx';

const text = texts.runningCommands;

const SHOWN = 6;

/** Lists unfinished commands of a service, or of the whole project. Renders nothing if there are none. */
export function RunningCommands({ serviceId }: { serviceId?: string }) {
  const project = useProject();
  const { data } = useApi(
    routes.command.list,
    {
      query: {
        project: project.id,
        ...(serviceId && { service_id: serviceId }),
        outcome: ['running', 'pending'],
        kind: ['action', 'desired'],
        limit: 200,
      },
    },
    { topics: ['command', 'client'] },
  );
  const commands = (data?.body.items ?? []).filter((command) => command.service_id !== null);
  if (commands.length === 0) return null;
  return (
    <section className={classes.running} aria-label={text.title}>
      <span>{text.summary(<StateShape tone="busy" shape="arc" />, commands.length)}</span>
      <ul>
        {commands.slice(0, SHOWN).map((command) => (
          <li key={command.id}>
            {text.line(
              nameOf(command),
              <bdi>{command.client_name}</bdi>,
              command.outcome === 'pending' ? (
                <State word={text.pending} why={texts.progress.pending} />
              ) : (
                command.step && <span>({command.step})</span>
              ),
              <Time at={command.created_at} />,
            )}
          </li>
        ))}
        {commands.length > SHOWN && <li>{texts.progressList.list.andMore(commands.length - SHOWN)}</li>}
      </ul>
    </section>
  );
}

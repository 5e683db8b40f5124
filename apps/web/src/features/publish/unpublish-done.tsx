import type { UnpublishResult } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { ClientLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import { RolloutProgress } from '../../changes/rollout-progress.tsx';
import { Section, State, toWord } from '../../ui/index.ts';
import classes from './publish.module.css';
import { texts } from './texts.tsx';

const text = texts.unpublish;
const ASK_EVERY_MS = 1000;

/** The progress of the changed services and documents, and of the removal of deleted services from their clients. */
export function UnpublishDone({ removed, onAnother }: { removed: UnpublishResult; onAnother: () => void }) {
  const { documents, changed_services: services, clients, version } = removed;
  const changed = services.flatMap(({ name, outcome, revision }) =>
    outcome === 'changed' && revision !== null ? [{ name, revision }] : [],
  );
  const written = documents.flatMap(({ collection, name, outcome, revision }) =>
    outcome === 'changed' && revision !== null ? [{ collection, name, revision }] : [],
  );
  const waits = changed.length + written.length + clients.length > 0;
  return (
    <div className={classes.stack}>
      <p>{waits ? text.removed : text.nothingToWait}</p>
      {changed.map((one) => (
        <RolloutProgress key={one.name} collection="services" {...one} />
      ))}
      {written.map((one) => (
        <RolloutProgress key={`${one.collection}/${one.name}`} version={version} {...one} />
      ))}
      {clients.length > 0 && (
        <Section title={text.outcome}>
          <ul className={classes.records} aria-label={text.outcome}>
            {clients.map((client) => (
              <ClientLine key={`${client.client_id} ${client.service}`} {...client} />
            ))}
          </ul>
        </Section>
      )}
      <div className={classes.foot}>
        <Button variant="default" onClick={onAnother}>
          {text.another}
        </Button>
      </div>
    </div>
  );
}

function ClientLine({ client_id: id, client_name: name, command_id, outcome }: UnpublishResult['clients'][number]) {
  const project = useProject();
  const { data } = useApi(
    routes.command.read,
    { params: { command_id: command_id ?? '' }, query: { project: project.id } },
    {
      enabled: command_id !== null,
      topics: ['command'],
      refetchEveryMs: (command) => (command?.outcome === 'running' || !command ? ASK_EVERY_MS : false),
    },
  );
  const state = data?.body.outcome ?? outcome ?? 'running';
  return (
    <li className={classes.record}>
      <span />
      <span className={classes.name}>
        <ClientLink id={id} name={name} /> <State word={toWord(state)} />
        {data?.body.error && ` ${data.body.error.message}`}
      </span>
    </li>
  );
}

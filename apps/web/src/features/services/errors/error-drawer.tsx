import { Button, Drawer, Group, Stack } from '@mantine/core';
import { ClientLink } from '../../../app/links.tsx';
import { texts } from '../../../texts/index.ts';
import { Copy, Facts, Notice, Time } from '../../../ui/index.ts';
import { ResourceName } from '../nodes/resource-table.tsx';
import { toKind } from '../resource-kind.ts';
import type { ConfigError, Service } from '../types.ts';
import { ErrorState } from './error-columns.tsx';
import classes from './errors.module.css';

const text = texts.services.errors.errorDrawer;

interface ErrorDrawerProps {
  readonly error: ConfigError | undefined;
  readonly service: Service;
  readonly known: ReadonlySet<string>;
  readonly mayChange: boolean;
  readonly onResolve: (id: string) => void;
  readonly onClear: (id: string) => void;
  readonly onClose: () => void;
}

/** One error with everything that is known of it. */
export function ErrorDrawer({ error, service, known, mayChange, onResolve, onClear, onClose }: ErrorDrawerProps) {
  return (
    <Drawer opened={error !== undefined} onClose={onClose} title={text.errorDrawer.title} size="lg">
      {error && (
        <Stack gap="md">
          <strong>
            <bdi>{error.message}</bdi>
          </strong>
          {error.suggested_fix && (
            <Notice tone="quiet" title={text.errorDrawer.titleHelps}>
              {error.suggested_fix}
            </Notice>
          )}
          <div>
            <Group justify="space-between">
              <span>{text.errorDrawer.text}</span>
              <Copy text={error.raw_message} what={text.errorDrawer.what} />
            </Group>
            <pre className={classes.words}>{error.raw_message}</pre>
          </div>
          <Facts
            facts={[
              [text.errorDrawer.factState, <ErrorState key="state" error={error} />],
              [text.errorDrawer.factType, toKind(error.resource.type).label],
              [
                text.errorDrawer.factResource,
                <ResourceName key="resource" resource={error.resource} version={service.version} known={known} />,
              ],
              [text.errorDrawer.factClient, <ErrorClient key="client" error={error} service={service} />],
              [
                text.errorDrawer.factNodeId,
                error.resource.node_id ? (
                  <span key="node" className="mono">
                    {error.resource.node_id}
                  </span>
                ) : null,
              ],
              [text.errorDrawer.factFirstSeen, <Time key="first" at={error.first_seen} />],
              [text.errorDrawer.factLastSeen, <Time key="last" at={error.last_seen} />],
              [
                text.errorDrawer.factSeen,
                `${error.occurrence_count} ${error.occurrence_count === 1 ? 'time' : 'times'}`,
              ],
              [
                text.errorDrawer.factResolved,
                error.resolved_at ? <Time key="resolved" at={error.resolved_at} /> : undefined,
              ],
              [text.errorDrawer.factResolved2, error.resolved_by],
            ]}
          />
          {mayChange && (
            <Group gap="xs">
              {error.status === 'active' && (
                <Button onClick={() => onResolve(error.id)}>{text.errorDrawer.button}</Button>
              )}
              <Button variant="default" onClick={() => onClear(error.id)}>
                {text.errorDrawer.buttonClear}
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </Drawer>
  );
}

function ErrorClient({ error, service }: { error: ConfigError; service: Service }) {
  const target = service.targets.find(({ client_id }) => client_id === error.client_id);
  if (target) return <ClientLink id={target.client_id} name={target.client_name} />;
  return error.client_id === null ? text.errorClient.text : <span className="mono">{error.client_id}</span>;
}

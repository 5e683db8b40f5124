import { Button, Drawer, Group, Stack } from '@mantine/core';
import { ClientLink } from '../../../app/links.tsx';
import { Copy, Facts, Notice, Time } from '../../../ui/index.ts';
import { ResourceName } from '../nodes/resource-table.tsx';
import { toKind } from '../resource-kind.ts';
import type { ConfigError, Service } from '../types.ts';
import { ErrorState } from './error-columns.tsx';
import classes from './errors.module.css';

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
    <Drawer
      opened={error !== undefined}
      onClose={onClose}
      title="Configuration error"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {error && (
        <Stack gap="md">
          <strong>
            <bdi>{error.message}</bdi>
          </strong>
          {error.suggested_fix && (
            <Notice tone="quiet" title="What helps">
              {error.suggested_fix}
            </Notice>
          )}
          <div>
            <Group justify="space-between">
              <span>In the words of whoever complained</span>
              <Copy text={error.raw_message} what="message" />
            </Group>
            <pre className={classes.words}>{error.raw_message}</pre>
          </div>
          <Facts
            facts={[
              ['State', <ErrorState key="state" error={error} />],
              ['Type', toKind(error.resource.type).label],
              [
                'Resource',
                <ResourceName key="resource" resource={error.resource} version={service.version} known={known} />,
              ],
              ['Client', <ErrorClient key="client" error={error} service={service} />],
              [
                'Node id',
                error.resource.node_id ? (
                  <span key="node" className="mono">
                    {error.resource.node_id}
                  </span>
                ) : null,
              ],
              ['First seen', <Time key="first" at={error.first_seen} />],
              ['Last seen', <Time key="last" at={error.last_seen} />],
              ['Seen', `${error.occurrence_count} ${error.occurrence_count === 1 ? 'time' : 'times'}`],
              ['Resolved', error.resolved_at ? <Time key="resolved" at={error.resolved_at} /> : undefined],
              ['Resolved by', error.resolved_by],
            ]}
          />
          {mayChange && (
            <Group gap="xs">
              {error.status === 'active' && <Button onClick={() => onResolve(error.id)}>Resolve</Button>}
              <Button variant="default" onClick={() => onClear(error.id)}>
                Clear …
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
  return error.client_id === null ? (
    <>All: it could not be made for any</>
  ) : (
    <span className="mono">{error.client_id}</span>
  );
}

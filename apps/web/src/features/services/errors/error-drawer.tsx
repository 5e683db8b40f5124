import { Button, Drawer, Group, Stack } from '@mantine/core';
import { ClientLink } from '../../../app/links.tsx';
import { Copy, Facts, Notice, Time } from '../../../ui/index.ts';
import { FixLink } from '../fix-link.tsx';
import { ResourceName } from '../nodes/resource-table.tsx';
import { toKind } from '../resource-kind.ts';
import type { ConfigError, Service } from '../types.ts';
import { ErrorState } from './error-columns.tsx';
import classes from './errors.module.css';
import { texts } from './texts.tsx';

const text = texts.errorDrawer;

interface ErrorDrawerProps {
  readonly error: ConfigError | undefined;
  readonly service: Service;
  readonly known: ReadonlySet<string>;
  readonly mayChange: boolean;
  readonly onResolve: (id: string) => void;
  readonly onClear: (id: string) => void;
  readonly onClose: () => void;
}

/** All details of one error. */
export function ErrorDrawer({ error, service, known, mayChange, onResolve, onClear, onClose }: ErrorDrawerProps) {
  return (
    <Drawer opened={error !== undefined} onClose={onClose} title={text.drawer.title} size="lg">
      {error && (
        <Stack gap="md">
          <strong>
            <bdi>{error.message}</bdi>
          </strong>
          {error.suggested_fix && (
            <Notice tone="quiet" title={text.drawer.whatHelps}>
              {error.suggested_fix}
            </Notice>
          )}
          <FixLink fixAt={error.fix_at} service={service} known={known} />
          <div>
            <Group justify="space-between">
              <span>{text.drawer.rawMessage}</span>
              <Copy text={error.raw_message} what={text.drawer.rawMessageName} />
            </Group>
            <pre className={classes.words}>{error.raw_message}</pre>
          </div>
          <Facts
            facts={[
              [text.drawer.state, <ErrorState key="state" error={error} />],
              [text.drawer.type, toKind(error.resource.type).label],
              [
                text.drawer.resource,
                <ResourceName key="resource" resource={error.resource} version={service.version} known={known} />,
              ],
              [text.drawer.client, <ErrorClient key="client" error={error} service={service} />],
              [
                text.drawer.nodeId,
                error.resource.node_id ? (
                  <span key="node" className="mono">
                    {error.resource.node_id}
                  </span>
                ) : null,
              ],
              [text.drawer.firstSeen, <Time key="first" at={error.first_seen} />],
              [text.drawer.lastSeen, <Time key="last" at={error.last_seen} />],
              [text.drawer.seen, text.drawer.times(error.occurrence_count)],
              [text.drawer.resolved, error.resolved_at ? <Time key="resolved" at={error.resolved_at} /> : undefined],
              [text.drawer.resolvedBy, error.resolved_by],
            ]}
          />
          {mayChange && (
            <Group gap="xs">
              {error.status === 'active' && <Button onClick={() => onResolve(error.id)}>{text.drawer.resolve}</Button>}
              <Button variant="default" onClick={() => onClear(error.id)}>
                {text.drawer.clear}
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
  return error.client_id === null ? text.client.all : <span className="mono">{error.client_id}</span>;
}

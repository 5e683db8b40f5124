import { Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useProject } from '../../app/project.tsx';
import { Notice } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { Loaded, type LoadedProps } from '../../ui/loaded.tsx';
import { texts } from './texts.tsx';
import { whyStoreIsOff } from './use-inventory.ts';

const text = texts.storeOff;

/** Renders an answer about requests. Says why there is none if the controller has no store for them. */
export function StoreLoaded<T>(props: LoadedProps<T>) {
  const { query } = props;
  const reason = whyStoreIsOff(query.error);
  if (reason !== undefined) return <StoreOff reason={reason} onRetry={() => void query.refetch()} />;
  return <Loaded {...props} />;
}

function StoreOff({ reason, onRetry }: { reason: string; onRetry: () => void }) {
  const project = useProject();
  return (
    <Notice tone="quiet" title={text.title}>
      <div className={layout.stack}>
        <div>{reason}</div>
        <div>{text.catalogue}</div>
        <Group gap="xs">
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link {...props} to="/p/$project/traffic/endpoints" params={{ project: project.name }} />
            )}
          >
            {text.showEndpoints}
          </Button>
          <Button variant="default" onClick={onRetry}>
            {text.again}
          </Button>
        </Group>
      </div>
    </Notice>
  );
}

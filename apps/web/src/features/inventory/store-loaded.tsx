import { Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useProject } from '../../app/project.tsx';
import { Notice, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { Loaded, type LoadedProps } from '../../ui/loaded.tsx';
import { texts } from './texts.tsx';
import { whyStoreIsOff } from './use-inventory.ts';

const { storeOff: text, deleted } = texts;

interface Covered {
  readonly complete_from?: string | null;
}

interface StoreLoadedProps<T> extends LoadedProps<T> {
  /** Another part of the page says what the answer lacks. */
  readonly isPart?: boolean;
}

/**
 * Renders an answer about requests. Says why there is none if the controller has no store for them, and from when on they are complete if
 * earlier ones are deleted.
 */
export function StoreLoaded<T extends object>({ isPart = false, ...props }: StoreLoadedProps<T>) {
  const { query, children } = props;
  const reason = whyStoreIsOff(query.error);
  if (reason !== undefined) return <StoreOff reason={reason} onRetry={() => void query.refetch()} />;
  return (
    <Loaded {...props}>
      {(answer) => (
        <>
          {!isPart && <DeletedNotice answer={answer} />}
          {children(answer)}
        </>
      )}
    </Loaded>
  );
}

function DeletedNotice({ answer }: { readonly answer: object }) {
  const { complete_from: from = null }: Covered = 'body' in answer ? (answer.body as Covered) : answer;
  if (from === null) return null;
  return (
    <Notice tone="quiet" title={deleted.title(<Time at={from} />)}>
      {deleted.text}
    </Notice>
  );
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

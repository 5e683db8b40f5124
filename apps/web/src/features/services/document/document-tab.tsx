import { Button } from '@mantine/core';
import { useState } from 'react';
import { routes } from '../../../api/index.ts';
import { useCan } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Section } from '../../../ui/index.ts';
import { toDraft } from '../editing/draft.ts';
import classes from '../service.module.css';
import type { WholeService } from '../types.ts';
import { Code, FormatChoice } from './code.tsx';
import { History } from './history.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import { RevisionView } from './revision-view.tsx';
import { texts } from './texts.tsx';

const text = texts.documentTab;

/** Shows the stored document, its history, and one revision of it (`?rev=`). */
export function DocumentTab({ service }: { service: WholeService }) {
  const url = useUrlState();
  const can = useCan();
  const [restoring, setRestoring] = useState<number>();
  const revision = Number(url.get('rev')) || undefined;
  const mayRestore = can(routes.service.restore);
  return (
    <div className={classes.stack}>
      {revision === undefined ? (
        <Section title={text.title(service.revision)} actions={<FormatChoice />}>
          <Code value={toDraft(service)} label={text.code} />
        </Section>
      ) : (
        <RevisionView
          key={revision}
          service={service}
          revision={revision}
          onClose={() => url.set({ rev: undefined, with: undefined }, 'push')}
          actions={
            mayRestore &&
            revision !== service.revision && <Button onClick={() => setRestoring(revision)}>{text.restoreThis}</Button>
          }
        />
      )}
      <Section title={text.history}>
        <History
          service={service}
          opened={revision}
          onOpen={(rev) => url.set({ rev: String(rev), with: undefined }, 'push')}
          {...(mayRestore && { onRestore: setRestoring })}
        />
      </Section>
      {restoring !== undefined && (
        <RestoreDialog service={service} revision={restoring} onClose={() => setRestoring(undefined)} />
      )}
    </div>
  );
}

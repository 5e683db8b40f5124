import { Button, Drawer } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes, useApi } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Confirm, formatBytes, formatExact, Loaded, Section, sayDone, useKept } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import type { Backup } from './backup-columns.tsx';
import { BackupFacts } from './backup-facts.tsx';
import classes from './backups.module.css';
import { useScope } from './scope.ts';

const text = texts.backups.detail;

/** What `?backup=<id>` names, and what can be done with it. */
export function BackupDrawer({ canRestore }: { canRestore: boolean }) {
  const { query } = useScope();
  const url = useUrlState();
  const asked = url.get('backup');
  const id = useKept(asked) ?? '';
  const found = useApi(
    routes.backup.get,
    { params: { backup_id: id }, query },
    { topics: ['job'], enabled: asked !== undefined },
  );
  const close = () => url.set({ backup: undefined });
  return (
    <Drawer opened={asked !== undefined} onClose={close} title={text.title} size="lg">
      <Loaded query={found} what={text.what} missing={<p className={layout.note}>{text.missing}</p>}>
        {({ body }) => (
          <div className={layout.stack}>
            <Actions backup={body} canRestore={canRestore} onDeleted={close} />
            <BackupFacts backup={body} />
            <p className={layout.note}>{text.signerHint}</p>
            {body.sections.length > 0 && (
              <Section title={text.sections}>
                <Sections backup={body} />
              </Section>
            )}
          </div>
        )}
      </Loaded>
    </Drawer>
  );
}

interface ActionsProps {
  readonly backup: Backup;
  readonly canRestore: boolean;
  readonly onDeleted: () => void;
}

function Actions({ backup, canRestore, onDeleted }: ActionsProps) {
  const { query } = useScope();
  const can = useCan();
  const url = useUrlState();
  const queryClient = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const isReady = backup.status === 'ready';
  const path = routes.backup.download.path.replace(':backup_id', encodeURIComponent(backup.id));
  return (
    <div className={layout.actions}>
      {isReady && can(routes.backup.download) && (
        <Button component="a" href={`${path}?${new URLSearchParams(query).toString()}`} download>
          {text.download}
        </Button>
      )}
      {isReady && canRestore && backup.content?.kind === 'project' && (
        <Button variant="default" onClick={() => url.set({ backup: undefined, restore: backup.id }, 'push')}>
          {text.restore}
        </Button>
      )}
      {can(routes.backup.delete) && (
        <Button variant="default" onClick={() => setDeleting(true)}>
          {text.remove}
        </Button>
      )}
      <Confirm
        opened={isDeleting}
        title={texts.backups.remove.title}
        action={texts.backups.remove.action}
        isDangerous
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await call(routes.backup.delete, { params: { backup_id: backup.id }, query });
          onDeleted();
          sayDone(texts.backups.remove.done);
          await invalidate(queryClient, routes.backup.list);
        }}
      >
        {texts.backups.remove.text(formatExact(backup.created_at))}
      </Confirm>
    </div>
  );
}

function Sections({ backup: { sections } }: { backup: Backup }) {
  return (
    <table className={classes.sections}>
      <thead>
        <tr>
          <th scope="col">{text.section}</th>
          <th scope="col">{text.rows}</th>
          <th scope="col">{text.bytes}</th>
        </tr>
      </thead>
      <tbody>
        {sections.map(({ name, rows, bytes }) => (
          <tr key={name}>
            <th scope="row" className="mono">
              {name}
            </th>
            <td>{rows.toLocaleString('en')}</td>
            <td>{formatBytes(bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

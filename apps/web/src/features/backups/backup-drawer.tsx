import { Button } from '@mantine/core';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import {
  Confirm,
  formatBytes,
  formatExact,
  Loaded,
  type PlainColumn,
  PlainTable,
  Section,
  UrlDrawer,
  useWrite,
} from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import type { Backup } from './backup-columns.tsx';
import { BackupFacts } from './backup-facts.tsx';
import { useScope } from './scope.ts';
import { texts } from './texts.ts';

const text = texts.detail;

/** Shows the backup of `?backup=<id>` and its actions. */
export function BackupDrawer({ canRestore }: { canRestore: boolean }) {
  return (
    <UrlDrawer name="backup" title={text.title} size="lg">
      {(id, close) => <Shown id={id} canRestore={canRestore} onDeleted={close} />}
    </UrlDrawer>
  );
}

function Shown({ id, ...actions }: Omit<ActionsProps, 'backup'> & { readonly id: string }) {
  const { query } = useScope();
  const found = useApi(routes.backup.get, { params: { backup_id: id }, query }, { topics: ['job'] });
  return (
    <Loaded query={found} what={text.what} missing={<p className={layout.note}>{text.missing}</p>}>
      {({ body }) => (
        <div className={layout.stack}>
          <Actions backup={body} {...actions} />
          <BackupFacts backup={body} />
          <p className={layout.note}>{text.signerHint}</p>
          {body.sections.length > 0 && (
            <Section title={text.sections}>
              <PlainTable
                name={text.sections}
                rows={body.sections}
                columns={SECTION_COLUMNS}
                rowId={({ name }) => name}
              />
            </Section>
          )}
        </div>
      )}
    </Loaded>
  );
}

const SECTION_COLUMNS: readonly PlainColumn<Backup['sections'][number]>[] = [
  { id: 'name', header: text.section, isNarrow: true, cell: ({ name }) => <span className="mono">{name}</span> },
  { id: 'rows', header: text.rows, isNarrow: true, cell: ({ rows }) => rows.toLocaleString('en') },
  { id: 'bytes', header: text.bytes, isNarrow: true, cell: ({ bytes }) => formatBytes(bytes) },
];

interface ActionsProps {
  readonly backup: Backup;
  readonly canRestore: boolean;
  readonly onDeleted: () => void;
}

function Actions({ backup, canRestore, onDeleted }: ActionsProps) {
  const { query } = useScope();
  const can = useCan();
  const url = useUrlState();
  const write = useWrite();
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
        title={texts.remove.title}
        action={texts.remove.action}
        isDangerous
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          const about = { done: texts.remove.done, stale: [routes.backup.list] };
          await write(routes.backup.delete, { params: { backup_id: backup.id }, query }, about);
          onDeleted();
        }}
      >
        {texts.remove.text(formatExact(backup.created_at))}
      </Confirm>
    </div>
  );
}

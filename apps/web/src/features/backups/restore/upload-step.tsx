import { Button, FileButton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call, invalidate, routes } from '../../../api/index.ts';
import { texts } from '../../../texts/index.ts';
import { Problem, Section, useSending } from '../../../ui/index.ts';
import type { Backup } from '../backup-columns.tsx';
import classes from '../backups.module.css';
import { useScope } from '../scope.ts';

const text = texts.backups.restore;

export function UploadStep({ onTaken }: { onTaken: (backup: Backup) => void }) {
  const { query } = useScope();
  const queryClient = useQueryClient();
  const sending = useSending();
  const take = (file: File | null) =>
    file &&
    sending.send(async () => {
      const { body } = await call(routes.backup.upload, { query, file });
      void invalidate(queryClient, routes.backup.list);
      onTaken(body);
    });
  return (
    <Section title={text.file}>
      <div className={classes.step}>
        <p className={classes.note}>{text.fileHint}</p>
        <div>
          <FileButton onChange={(file) => void take(file)}>
            {(props) => (
              <Button {...props} loading={sending.isBusy} data-autofocus>
                {text.choose}
              </Button>
            )}
          </FileButton>
        </div>
        {sending.isBusy && (
          <p className={classes.note} role="status">
            {text.uploading}
          </p>
        )}
        {sending.error !== undefined && <Problem error={sending.error} what={text.uploadFailed} />}
      </div>
    </Section>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { call, invalidate, routes } from '../../../api/index.ts';
import { Section, UploadButton } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import type { Backup } from '../backup-columns.tsx';
import { useScope } from '../scope.ts';
import { texts } from '../texts.ts';

const text = texts.restore;

export function UploadStep({ onTaken }: { onTaken: (backup: Backup) => void }) {
  const { query } = useScope();
  const queryClient = useQueryClient();
  return (
    <Section title={text.file}>
      <div className={layout.stack}>
        <p className={layout.note}>{text.fileHint}</p>
        <UploadButton
          label={text.choose}
          failed={text.uploadFailed}
          maxBytes={routes.backup.upload.bodyLimit}
          send={async (file, options) => {
            const { body } = await call(routes.backup.upload, { query, file }, options);
            void invalidate(queryClient, routes.backup.list);
            onTaken(body);
          }}
        />
      </div>
    </Section>
  );
}

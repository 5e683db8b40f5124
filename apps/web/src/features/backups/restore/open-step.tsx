import type { backupRoutes, CallInput, RestorePreview } from '@flotilla/contract';
import { PasswordInput, Radio, Stack, TextInput } from '@mantine/core';
import { call, routes } from '../../../api/index.ts';
import type { Project } from '../../../app/project.tsx';
import { ApiFormBody, Notice, Section, useApiForm } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import type { Backup } from '../backup-columns.tsx';
import { BackupFacts } from '../backup-facts.tsx';
import { canOpen, readFingerprint, toOpening } from '../backup-model.ts';
import { texts } from '../texts.ts';

const text = texts.restore;
const CHOICES = ['skip', 'replace'] as const;
type Choice = (typeof CHOICES)[number];

/** The request of a dry run, which the restore repeats, and its result. */
export interface Opened {
  readonly body: NonNullable<CallInput<typeof backupRoutes.import>['body']>;
  readonly preview: RestorePreview;
}

interface OpenStepProps {
  readonly backup: Backup;
  readonly project: Project;
  /** undefined: the choices have changed since the last dry run. */
  readonly onOpened: (opened: Opened | undefined) => void;
}

/** Shows the content of the file, and asks for what is needed to read it and for the one choice of a restore. */
export function OpenStep(props: OpenStepProps) {
  const { backup } = props;
  const { content, protection } = backup;
  const form = useOpening(props);
  return (
    <Section title={text.content}>
      <ApiFormBody form={form} action={text.look} failed={text.lookFailed} isReady={canOpen(backup, form.values)}>
        <BackupFacts backup={backup} />
        {backup.verified_at === null && <p className={layout.note}>{text.claimed}</p>}
        {content?.kind === 'installation' && <Notice tone="warn" title={text.wrongKind} />}
        {protection === 'passphrase' && (
          <PasswordInput label={texts.passphrase} autoComplete="off" {...form.field('passphrase')} />
        )}
        {content?.own === false && (
          <TextInput
            label={text.trust}
            description={text.trustHint}
            className="mono"
            autoComplete="off"
            spellCheck={false}
            {...form.field('trust_key')}
          />
        )}
        <Radio.Group label={text.conflict} {...form.field('on_conflict')}>
          <Stack gap="xs" mt={6}>
            {CHOICES.map((one) => (
              <Radio key={one} value={one} label={text.conflicts[one][0]} description={text.conflicts[one][1]} />
            ))}
          </Stack>
        </Radio.Group>
      </ApiFormBody>
    </Section>
  );
}

function useOpening({ backup, project, onOpened }: OpenStepProps) {
  const signer = backup.content?.signer;
  return useApiForm({
    // The fingerprint is normalised before it is sent, so it has no rule here.
    route: routes.backup.export,
    initial: { passphrase: '', trust_key: '', on_conflict: 'skip' as Choice },
    messages: {
      'backup.wrong_passphrase': 'passphrase',
      'backup.passphrase_needed': 'passphrase',
      'backup.foreign_signer': 'trust_key',
    },
    check: ({ trust_key: typed }) => {
      const trust = readFingerprint(typed);
      return trust.length >= 64 && trust !== signer ? { trust_key: text.trustWrong } : {};
    },
    // The result of the last dry run is about other values.
    onChange: () => onOpened(undefined),
    send: async (values) => {
      const body = { ...toOpening(backup, values), on_conflict: values.on_conflict };
      const query = { project: project.id, dry_run: 'true' as const };
      const { body: preview } = await call(routes.backup.import, { query, body });
      if ('dry_run' in preview) onOpened({ body, preview });
    },
  });
}

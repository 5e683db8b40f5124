import type { backupRoutes, CallInput, RestorePreview } from '@flotilla/contract';
import { Button, PasswordInput, Radio, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError, call, fieldError, routes } from '../../../api/index.ts';
import type { Project } from '../../../app/project.tsx';
import { texts } from '../../../texts/index.ts';
import { Notice, Problem, Section, useSending } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import type { Backup } from '../backup-columns.tsx';
import { BackupFacts } from '../backup-facts.tsx';
import { canOpen, readFingerprint, toOpening } from '../backup-model.ts';

const text = texts.backups.restore;
const CHOICES = ['skip', 'replace'] as const;
type Choice = (typeof CHOICES)[number];

/** The request of a dry run, which the restore repeats, and its answer. */
export interface Opened {
  readonly body: NonNullable<CallInput<typeof backupRoutes.import>['body']>;
  readonly preview: RestorePreview;
}

interface OpenStepProps {
  readonly backup: Backup;
  readonly project: Project;
  /** Undefined: the last dry run was made with other choices. */
  readonly onOpened: (opened: Opened | undefined) => void;
}

/** Shows the content of the file, and asks for what is needed to read it and for the one choice of a restore. */
export function OpenStep({ backup, project, onOpened }: OpenStepProps) {
  const sending = useSending();
  const [passphrase, setPassphrase] = useState('');
  const [trust, setTrust] = useState('');
  const [choice, setChoice] = useState<Choice>('skip');
  const { content, protection } = backup;
  const opening = { passphrase, trust };
  const phraseError = errorOf(sending.error, 'passphrase', ['backup.wrong_passphrase', 'backup.passphrase_needed']);
  const isOtherSigner = readFingerprint(trust).length >= 64 && readFingerprint(trust) !== content?.signer;
  const trustError = isOtherSigner ? text.trustWrong : errorOf(sending.error, 'trust_key', ['backup.foreign_signer']);
  const change = (apply: () => void) => {
    sending.clear();
    onOpened(undefined);
    apply();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    onOpened(undefined);
    await sending.send(async () => {
      const body = { ...toOpening(backup, opening), on_conflict: choice };
      const query = { project: project.id, dry_run: 'true' as const };
      const { body: preview } = await call(routes.backup.import, { query, body });
      if ('dry_run' in preview) onOpened({ body, preview });
    });
  };
  return (
    <Section title={text.content}>
      <form className={layout.stack} onSubmit={(event) => void submit(event)}>
        <BackupFacts backup={backup} />
        {backup.verified_at === null && <p className={layout.note}>{text.claimed}</p>}
        {content?.kind === 'installation' && <Notice tone="warn" title={text.wrongKind} />}
        {protection === 'passphrase' && (
          <PasswordInput
            label={texts.backups.passphrase}
            autoComplete="off"
            value={passphrase}
            error={phraseError}
            onChange={({ currentTarget: { value } }) => change(() => setPassphrase(value))}
          />
        )}
        {content?.own === false && (
          <TextInput
            label={text.trust}
            description={text.trustHint}
            className="mono"
            autoComplete="off"
            spellCheck={false}
            value={trust}
            error={trustError}
            onChange={({ currentTarget: { value } }) => change(() => setTrust(value))}
          />
        )}
        <Radio.Group
          label={text.conflict}
          value={choice}
          onChange={(value) => change(() => setChoice(value === 'replace' ? 'replace' : 'skip'))}
        >
          <Stack gap="xs" mt={6}>
            {CHOICES.map((one) => (
              <Radio key={one} value={one} label={text.conflicts[one][0]} description={text.conflicts[one][1]} />
            ))}
          </Stack>
        </Radio.Group>
        {sending.error !== undefined && !phraseError && !trustError && (
          <Problem error={sending.error} what={text.lookFailed} />
        )}
        <div>
          <Button type="submit" loading={sending.isBusy} disabled={!canOpen(backup, opening)}>
            {text.look}
          </Button>
        </div>
      </form>
    </Section>
  );
}

/** A refusal that is about one field, by its path or by its code. */
function errorOf(error: unknown, field: string, codes: readonly string[]): string | undefined {
  if (error instanceof ApiError && codes.includes(error.code)) return error.message;
  return fieldError(error, field);
}

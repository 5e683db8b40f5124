import type { backupRoutes, CallInput, RestorePlan } from '@flotilla/contract';
import { Button, Checkbox, PasswordInput, Radio, Stack, TextInput } from '@mantine/core';
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

/** What a plan was made by: a restore says the same again. */
export interface Opened {
  readonly body: NonNullable<CallInput<typeof backupRoutes.plan>['body']>;
  readonly plan: RestorePlan;
}

interface OpenStepProps {
  readonly backup: Backup;
  readonly project: Project;
  /** Undefined: what was seen does not hold for what is chosen now. */
  readonly onOpened: (opened: Opened | undefined) => void;
}

/** Shows what is in the file, and asks for what it takes to read it and to plan. */
export function OpenStep({ backup, project, onOpened }: OpenStepProps) {
  const sending = useSending();
  const [passphrase, setPassphrase] = useState('');
  const [trust, setTrust] = useState('');
  const [choice, setChoice] = useState<Choice>('skip');
  const [withMembers, setWithMembers] = useState(false);
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
      const body = { ...toOpening(backup, opening), on_conflict: choice, with_members: withMembers };
      const { body: plan } = await call(routes.backup.plan, { query: { project: project.id }, body });
      onOpened({ body, plan });
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
        {content?.own === true && content.project?.id === project.id && (
          <Checkbox
            label={text.members}
            description={text.membersHint}
            checked={withMembers}
            onChange={({ currentTarget: { checked } }) => change(() => setWithMembers(checked))}
          />
        )}
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
